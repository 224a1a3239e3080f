#!/usr/bin/env python3
"""Each case beside the roofline of the machine, measured in the same run.

    bench/roofline.py [--hloir BIN] [--only REGEX] [--isa avx512|avx2] [--threads N] [--rounds N] [--realtime] [--cases] [--json OUT]

The roof of a case is the larger of two times: its operations at the peak of its type (multiply-adds of peaks.cc, which this compiles
with $CXX, g++ by default), and the bytes of its operands and results, each once, at the rate of a STREAM triad over as many bytes. Peaks are
measured before and after the case, each round, and the best one counts; the case's time is the median of its runs in the round
with the best. Printed are time, operations and bytes a second, and the share of the roof. Cases: products and convolutions of
512 and more, and loops that do little with each byte, written here as HLO; --cases adds those of cases.py (that needs jax).
Of cases.py, a transcendental function counts as one operation, so that those shares are low.

The goals, by which cases are marked: 90 % of the peak for f32 and f64, 70 % for bf16 and s8, 85 % of the triad.
"""
import argparse, json, os, re, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
BYTES = {"f32": 4, "f64": 8, "bf16": 2, "s8": 1, "s32": 4}
GOALS = {"f32": 0.9, "f64": 0.9, "bf16": 0.7, "s8": 0.7, "triad": 0.85}


def dot(kind, m, n, k, result=None):
    result = result or ("s32" if kind == "s8" else kind)
    text = (f"HloModule dot\n\nENTRY main {{\n  a = {kind}[{m},{k}] parameter(0)\n  b = {kind}[{k},{n}] parameter(1)\n"
            f"  ROOT c = {result}[{m},{n}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n")
    return text, kind, 2 * m * n * k, BYTES[kind] * (m * k + k * n) + BYTES[result] * m * n


def convolution(kind, batch, places, into, out, window):
    pad = f" pad={window // 2}_{window // 2}x{window // 2}_{window // 2}" if window > 1 else ""
    image, kernel, result = (f"{kind}[{batch},{places},{places},{into}]", f"{kind}[{window},{window},{into},{out}]",
                             f"{kind}[{batch},{places},{places},{out}]")
    text = (f"HloModule convolution\n\nENTRY main {{\n  x = {image} parameter(0)\n  w = {kernel} parameter(1)\n"
            f"  ROOT y = {result} convolution(x, w), window={{size={window}x{window}{pad}}}, dim_labels=b01f_01io->b01f\n}}\n")
    area = batch * places * places
    return text, kind, 2 * area * into * out * window * window, BYTES[kind] * (area * (into + out) + window * window * into * out)


def loop(kind, count, lines, operands, flops, root="r"):
    parameters = "".join(f"  p{i} = {kind}[{count}] parameter({i})\n" for i in range(operands))
    text = f"HloModule loop\n\nENTRY main {{\n{parameters}{lines.format(t=f'{kind}[{count}]', s=f'{kind}[]')}}}\n"
    return text, "triad", flops * count, BYTES[kind] * count * (operands + 1)


def row_sum(kind, rows, columns):
    text = (f"HloModule rows\n\nadd {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT s = {kind}[] add(a, b)\n}}\n\n"
            f"ENTRY main {{\n  x = {kind}[{rows},{columns}] parameter(0)\n  z = {kind}[] constant(0)\n"
            f"  ROOT r = {kind}[{rows}] reduce(x, z), dimensions={{1}}, to_apply=add\n}}\n")
    return text, "triad", rows * columns, BYTES[kind] * (rows * columns + rows)


TRIAD = "  c = {s} constant(3)\n  w = {t} broadcast(c), dimensions={{}}\n  m = {t} multiply(p1, w)\n  ROOT r = {t} add(p0, m)\n"
CHAIN = "  m = {t} multiply(p0, p1)\n  a = {t} add(m, p0)\n  ROOT r = {t} maximum(a, p1)\n"
OWN = {
    **{f"dot_{kind}_{n}": dot(kind, n, n, n) for kind in ("f32", "f64", "bf16", "s8") for n in (512, 1024, 2048)},
    "dot_f32_512x2048x512": dot("f32", 512, 512, 2048),
    "conv_f32_3x3_256": convolution("f32", 2, 28, 256, 256, 3), "conv_f32_1x1_512": convolution("f32", 2, 28, 512, 512, 1),
    "conv_f64_3x3_128": convolution("f64", 1, 28, 128, 128, 3), "conv_bf16_1x1_512": convolution("bf16", 2, 28, 512, 512, 1),
    "triad_f64_64k": loop("f64", 1 << 16, TRIAD, 2, 2), "triad_f64_4M": loop("f64", 1 << 22, TRIAD, 2, 2),
    "chain_f32_256k": loop("f32", 1 << 18, CHAIN, 2, 3), "chain_f32_4M": loop("f32", 1 << 22, CHAIN, 2, 3),
    "rows_f32_4M": row_sum("f32", 4096, 1024), "rows_f64_4M": row_sum("f64", 4096, 1024),
}


def from_cases(hloir, folder, only):
    """Cases of cases.py: their types, operations and bytes by `hloir cost` and the entry's shapes."""
    import jax
    jax.config.update("jax_enable_x64", True)
    import cases
    for name in (name for name in cases.CASES if re.search(only, name)):
        text, inputs = cases.make(name)
        path = os.path.join(folder, name + ".hlo")
        with open(path, "w") as out:
            out.write(text)
        cost = json.loads(subprocess.run([hloir, "cost", "--json", path], capture_output=True, text=True, check=True).stdout)
        import jax.tree_util as tree
        results = tree.tree_leaves(jax.eval_shape(cases.CASES[name][0], *inputs))
        moved = sum(x.nbytes for x in inputs) + sum(int(x.size) * x.dtype.itemsize for x in results)
        product = re.search(r"= (?:\w+)\[[^\]]*\]\S* (?:dot|convolution)\(", text)
        kinds = re.search(r"\((\w+)\[", text).group(1) if product is None else max(("f32", "f64", "bf16", "s8"), key=lambda k: text.count(f" {k}["))
        yield name, (text, kinds if product and kinds in BYTES else "f32", cost["flops"] + cost["transcendentals"], moved)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--isa", default="", help="avx512 or avx2 (default: the best that there is)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each case in each round, about")
    parser.add_argument("--realtime", action="store_true", help="both under `chrt -f 1`, for a machine that is busy")
    parser.add_argument("--cases", action="store_true", help="the cases of cases.py, too")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    isa = options.isa or ("avx512" if "avx512bw" in open("/proc/cpuinfo").read() else "avx2")
    before = ["chrt", "-f", "1"] if options.realtime else []
    environment = os.environ | {"HLOIR_FORCE_ISA": isa}
    here, rows = os.path.dirname(os.path.abspath(__file__)), []
    with tempfile.TemporaryDirectory() as folder:
        peaks = os.path.join(folder, "peaks")
        subprocess.run([os.environ.get("CXX", "g++"), "-O2", "-std=c++20", "-pthread", os.path.join(here, "peaks.cc"), "-o", peaks], check=True)

        def measure(names):
            out = subprocess.run(before + [peaks, f"isa={isa}", f"threads={options.threads}", *names], capture_output=True, text=True, check=True)
            return [float(line.split()[1]) for line in out.stdout.splitlines()]

        own = [(name, case) for name, case in OWN.items() if re.search(options.only, name)]
        cases = own + (list(from_cases(options.hloir, folder, options.only)) if options.cases else [])
        print(f"{isa}, {options.threads} thread{'s' if options.threads > 1 else ''}; load {os.getloadavg()[0]:.0f}")
        print(f"{'case':24} {'ms':>9} {'GFLOP/s':>8} {'GB/s':>7}   {'peak GFLOP/s':>12} {'triad GB/s':>10} {'of roof':>8}  by")
        for name, (text, kind, flops, moved) in cases:
            path = os.path.join(folder, "case.hlo")
            with open(path, "w") as out:
                out.write(text)
            compute = "f32" if kind == "triad" else kind
            asked = [compute, f"triad:{moved // options.threads}"]
            best, peak, triad = float("inf"), 0.0, 0.0
            for _ in range(options.rounds):
                command = before + [options.hloir, "run", path, "--json", "--seed=2", f"--threads={options.threads}"]

                def runs(repeat):
                    done = subprocess.run(command + [f"--repeat={repeat}"], capture_output=True, text=True, check=True, env=environment)
                    return json.loads(done.stdout)["runs_ms"][1:]
                first, repeat = measure(asked), max(5, min(2000, int(1e3 * options.seconds / max(1e-3, min(runs(4))))))
                best = min(best, statistics.median(runs(repeat)) / 1e3)
                for rates in (first, measure(asked)):
                    peak, triad = max(peak, rates[0]), max(triad, rates[1])
            by_compute, by_memory = flops / peak, moved / triad
            share = max(by_compute, by_memory) / best
            bound = kind if by_compute > by_memory and kind != "triad" else "compute" if by_compute > by_memory else "triad"
            # Cases of cases.py have goals where they are a product or do little with each byte.
            goal = GOALS.get(bound) if (name, (text, kind, flops, moved)) in own else None
            rows.append({"case": name, "isa": isa, "threads": options.threads, "ms": 1e3 * best, "flops": flops, "bytes": moved, "peak": peak,
                         "triad": triad, "share": share, "bound": bound, "goal": goal})
            mark = "" if goal is None else "" if share >= goal else f"  below {100 * goal:.0f} %"
            print(f"{name:24} {1e3 * best:9.3f} {flops / best / 1e9:8.1f} {moved / best / 1e9:7.1f}   {peak / 1e9:12.1f} {triad / 1e9:10.1f} "
                  f"{100 * share:7.1f}%  {bound}{mark}", flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
