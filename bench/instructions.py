#!/usr/bin/env python3
"""The machine instructions that each instruction set takes per element, beside the number that its vectors suggest.

    bench/instructions.py [--hloir BIN] [--isa NAMES] [--emulator COMMAND] [--only REGEX] [--json OUT]

A case is one loop, reduction, movement or product. Of each is known how many operations it has per element and how many values it
reads and writes; a set whose vectors hold L of the widest elements should take (operations + reads + writes) / L instructions. A
multiply-add of a product counts as one operation, as two on sets without FMA; a function as many as its formula has
(kernels/math_kernels.h). Printed are the instructions that were executed per element and, in brackets, their
ratio to that number; `>` marks those over 2.

Instructions are counted by qemu's user mode (Debian's package qemu-user), with a plugin that this compiles with $CC, cc by default:
of four runs and of one, a third of the difference, less the same of a module that only negates one number. For another architecture:

    bench/instructions.py --hloir=build/aarch64/tools/hloir --isa=scalar,neon --emulator='qemu-aarch64 -L /usr/aarch64-linux-gnu'
"""
import argparse, json, os, re, shlex, subprocess, sys, tempfile

BYTES = {"f32": 4, "f64": 8, "bf16": 2, "f16": 2, "s8": 1, "u8": 1, "s16": 2, "s32": 4, "u32": 4, "s64": 8, "c64": 8, "pred": 1}
# Bytes of a vector, and whether the set has multiply-adds.
SETS = {"scalar": (0, False), "sse2": (16, False), "avx2": (32, True), "avx512": (64, True), "neon": (16, True)}
COMPUTED = {"bf16": "f32", "f16": "f32"}  # in f32
SUMS = "add {{\n  a = {t}[] parameter(0)\n  b = {t}[] parameter(1)\n  ROOT r = {t}[] {op}(a, b)\n}}\n\n"
COUNT = 1 << 14


def module(parameters, lines, before=""):
    text = "".join(f"  p{i} = {shape} parameter({i})\n" for i, shape in enumerate(parameters))
    return f"HloModule case\n\n{before}ENTRY main {{\n{text}" + "".join(f"  {line}\n" for line in lines) + "}\n"


def loop(kind, operands, operations, *lines, widest=None, writes=1):
    """A loop over COUNT elements; {t} is the array's type, {s} that of a number, {k} the element type."""
    names = {"t": f"{kind}[{COUNT}]", "s": f"{kind}[]", "k": kind, "n": COUNT}
    text = module([names["t"]] * operands, [line.format(**names) for line in lines])
    return text, COUNT, operations + operands + writes, widest or COMPUTED.get(kind, kind)


def function(kind, name, operations): return loop(kind, 1, operations, f"ROOT r = {{t}} {name}(p0)")
def convert(source, target, operations=1):
    wide = max(COMPUTED.get(source, source), COMPUTED.get(target, target), key=lambda k: BYTES[k])
    return loop(source, 1, operations, f"ROOT r = {target}[{{n}}] convert(p0)", widest=wide)


def reduction(kind, op, rows, columns, dimension, operations=1):
    left = rows if dimension == 1 else columns
    start = {"add": "0", "maximum": "-inf" if kind[0] in "fb" else "-100"}[op]
    text = module([f"{kind}[{rows},{columns}]"], [f"z = {kind}[] constant({start})",
                  f"ROOT r = {kind}[{left}] reduce(p0, z), dimensions={{{dimension}}}, to_apply=add"], SUMS.format(t=kind, op=op))
    return text, rows * columns, operations + 1, COMPUTED.get(kind, kind)


def widened_sum(kind, rows, columns):
    """As programs sum narrow floats: in f32."""
    text = module([f"{kind}[{rows},{columns}]"], [f"x = f32[{rows},{columns}] convert(p0)", "z = f32[] constant(0)",
                  f"ROOT r = f32[{rows}] reduce(x, z), dimensions={{1}}, to_apply=add"], SUMS.format(t="f32", op="add"))
    return text, rows * columns, 3, "f32"


def window(op, operations):
    """Windows of 2 × 2 over 32 channels: counted per operand."""
    start = {"add": "0", "maximum": "-inf"}[op]
    text = module(["f32[1,32,32,32]"], [f"z = f32[] constant({start})",
                  "ROOT r = f32[1,16,16,32] reduce-window(p0, z), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add"], SUMS.format(t="f32", op=op))
    return text, 32 * 32 * 32, operations + 1.25, "f32"


def dot(kind, n, result=None):
    result = result or kind
    text = module([f"{kind}[{n},{n}]"] * 2, [f"ROOT r = {result}[{n},{n}] dot(p0, p1), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"])
    return text, n ** 3, "product", COMPUTED.get(kind, "s32" if kind[0] in "su" else kind)


CASES = {
    "add_f32": loop("f32", 2, 1, "ROOT r = {t} add(p0, p1)"),
    "chain_f32": loop("f32", 2, 5, "a = {t} multiply(p0, p1)", "b = {t} add(a, p0)", "c = {t} subtract(b, p1)", "d = {t} multiply(c, p0)",
                      "ROOT r = {t} maximum(d, p1)"),
    "chain_f64": loop("f64", 2, 3, "a = {t} multiply(p0, p1)", "b = {t} add(a, p0)", "ROOT r = {t} subtract(b, p1)"),
    "chain_bf16": loop("bf16", 2, 2 + 8 + 3, "a = {t} multiply(p0, p1)", "ROOT r = {t} add(a, p0)"),
    "chain_f16": loop("f16", 2, 2 + 2 + 3, "a = {t} multiply(p0, p1)", "ROOT r = {t} add(a, p0)"),
    "chain_s32": loop("s32", 2, 6, "a = {t} multiply(p0, p1)", "k = {s} constant(3)", "kk = {t} broadcast(k), dimensions={{}}",
                      "b = {t} shift-right-arithmetic(p0, kk)", "c = {t} xor(a, b)", "d = {t} subtract(p1, p0)", "e = {t} abs(d)",
                      "ROOT r = {t} add(c, e)"),
    "chain_s8": loop("s8", 2, 3, "a = {t} subtract(p0, p1)", "b = {t} add(a, p0)", "ROOT r = {t} maximum(b, p1)"),
    "chain_s64": loop("s64", 2, 3, "a = {t} subtract(p0, p1)", "b = {t} add(a, p0)", "ROOT r = {t} xor(b, p1)"),
    "rotate_u32": loop("u32", 1, 4, "k = {s} constant(13)", "l = {s} constant(19)", "kk = {t} broadcast(k), dimensions={{}}",
                       "ll = {t} broadcast(l), dimensions={{}}", "a = {t} shift-left(p0, kk)", "b = {t} shift-right-logical(p0, ll)",
                       "c = {t} or(a, b)", "ROOT r = {t} add(c, p0)"),
    "select_f32": loop("f32", 2, 3, "a = pred[{n}] compare(p0, p1), direction=GT", "b = {t} negate(p1)", "ROOT r = {t} select(a, p0, b)"),
    "chain_c64": loop("c64", 2, 7, "a = {t} multiply(p0, p1)", "ROOT r = {t} add(a, p0)"),
    "divide_s32": loop("s32", 2, 10, "ROOT r = {t} divide(p0, p1)", widest="f64"),
    "sqrt_f32": function("f32", "sqrt", 1), "exp_f32": function("f32", "exponential", 24), "tanh_f32": function("f32", "tanh", 32),
    "logistic_f32": function("f32", "logistic", 32), "log_f32": function("f32", "log", 32), "erf_f32": function("f32", "erf", 40),
    "sine_f32": function("f32", "sine", 32), "exp_f64": function("f64", "exponential", 29),
    "f32_to_s32": convert("f32", "s32", 6), "s32_to_f32": convert("s32", "f32"), "f32_to_f64": convert("f32", "f64"),
    "f64_to_f32": convert("f64", "f32"), "f32_to_bf16": convert("f32", "bf16", 8), "bf16_to_f32": convert("bf16", "f32"),
    "f64_to_bf16": convert("f64", "bf16", 10), "f32_to_f16": convert("f32", "f16"), "f16_to_f32": convert("f16", "f32"),
    "s8_to_f32": convert("s8", "f32", 2), "s8_to_s32": convert("s8", "s32"), "f32_to_s8": convert("f32", "s8", 7),
    "pred_to_f32": loop("f32", 2, 3, "a = pred[{n}] compare(p0, p1), direction=GT", "ROOT r = {t} convert(a)"),
    "sum_rows_f32": reduction("f32", "add", 64, 512, 1), "sum_columns_f32": reduction("f32", "add", 64, 512, 0),
    "max_rows_f32": reduction("f32", "maximum", 64, 512, 1, 3), "max_columns_f32": reduction("f32", "maximum", 64, 512, 0, 3),
    "sum_rows_bf16": widened_sum("bf16", 64, 512), "sum_rows_s32": reduction("s32", "add", 64, 512, 1),
    "sum_rows_f64": reduction("f64", "add", 64, 512, 1), "max_rows_s8": reduction("s8", "maximum", 64, 512, 1),
    "sum_window_f32": window("add", 1), "max_window_f32": window("maximum", 3),
    "transpose_f32": (module(["f32[128,128]"], ["ROOT r = f32[128,128] transpose(p0), dimensions={1,0}"]), COUNT, 2 + 2, "f32"),
    "transpose_s8": (module(["s8[128,128]"], ["ROOT r = s8[128,128] transpose(p0), dimensions={1,0}"]), COUNT, 2 + 4, "s8"),
    "reverse_f32": (module(["f32[128,128]"], ["ROOT r = f32[128,128] reverse(p0), dimensions={1}"]), COUNT, 2 + 1, "f32"),
    "dot_f32": dot("f32", 96), "dot_f64": dot("f64", 96), "dot_bf16": dot("bf16", 96), "dot_f16": dot("f16", 96),
    "dot_s8": dot("s8", 96, "s32"), "dot_s32": dot("s32", 96),
    "matrix_vector_f32": (module(["f32[128,128]", "f32[128]"], ["ROOT r = f32[128] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"]),
                          COUNT, "product", "f32"),
    "threefry": (module(["u64[2]"], [f"t = (u64[2], u32[{COUNT}]) rng-bit-generator(p0), algorithm=rng_three_fry", "ROOT r = u32[16384] get-tuple-element(t), index=1"]),
                 COUNT, 40, "u32"),
}


def suggested(operations, widest, isa):
    bytes_, fma = SETS[isa]
    if operations == "product":
        operations = 1 if fma or widest[0] != "f" and isa == "neon" else 2
    return operations / max(1, bytes_ // BYTES[widest])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--isa", default="scalar,sse2,avx2", help="instruction sets, with commas between them")
    parser.add_argument("--emulator", default="qemu-x86_64 -cpu max")
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    here, sets, figures = os.path.dirname(os.path.abspath(__file__)), options.isa.split(","), {}
    with tempfile.TemporaryDirectory() as folder:
        plugin, path = os.path.join(folder, "count.so"), os.path.join(folder, "case.hlo")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", os.path.join(here, "count_instructions.c"), "-o", plugin], check=True)

        # glibc's memcpy is one instruction for 2 kB and more, of which the emulator counts each byte.
        environment = os.environ | {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1073741824"}

        def count(isa, runs):
            command = shlex.split(options.emulator) + ["-plugin", plugin, "-d", "plugin", options.hloir, "run", path, "--json", "--seed=2",
                                                       "--threads=1", f"--repeat={runs}"]
            done = subprocess.run(command, capture_output=True, text=True, env=environment | {"HLOIR_FORCE_ISA": isa})
            found = re.search(r"^instructions (\d+)$", done.stderr, re.M)
            if done.returncode != 0 or not found:
                sys.exit(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
            return int(found.group(1))

        def of_run(text, isa, runs=3):
            with open(path, "w") as out:
                out.write(text)
            return (count(isa, 1 + runs) - count(isa, 1)) / runs

        nothing = {isa: of_run(module(["f32[]"], ["ROOT r = f32[] negate(p0)"]), isa) for isa in sets}
        print(f"{'case':20}" + "".join(f"{isa:>18}" for isa in sets))
        for name, (text, elements, operations, widest) in CASES.items():
            if not re.search(options.only, name):
                continue
            cells = []
            for isa in sets:
                each = (of_run(text, isa) - nothing[isa]) / elements
                ratio = each / suggested(operations, widest, isa)
                figures.setdefault(name, {})[isa] = {"instructions": each, "ratio": ratio}
                cells.append(f"{each:9.2f} ({ratio:5.2f}){'>' if ratio > 2 else ' '}")
            print(f"{name:20}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    for isa in sets:
        over = [name for name, figure in figures.items() if figure[isa]["ratio"] > 2]
        print(f"{isa}: {len(over)} of {len(figures)} over 2" + (f": {', '.join(over)}" if over else ""))
    if options.json:
        with open(options.json, "w") as out:
            json.dump(figures, out, indent=1)


if __name__ == "__main__":
    main()
