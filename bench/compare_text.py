#!/usr/bin/env python3
"""Times hloir's parser and printer against XLA's own (jaxlib's) on the same text, in one run.

    bench/compare_text.py [--hloir BIN] [--repeat N] [--generate INSTRUCTIONS] [--json OUT] [FILE…]

For each file, and for one generated module, prints MB, instructions, and the medians of N parses and N prints of each
side with their ratio (XLA's time over hloir's: above 1, hloir is faster). The sides take turns, so that a noisy machine
disturbs both alike. XLA's parse is hlo_module_from_text, its print HloModule.to_string(); hloir's are measured inside
`hloir print --bench`, which like XLA's starts from text in memory. The last column is hloir's parse of the text without
metadata and stack frames, in GB/s. Needs jaxlib.
"""
import argparse, json, math, os, re, statistics, subprocess, tempfile, time

ROUNDS = 3


def generated(instructions):
    """A module of that many instructions: blocks of a residual network, some metadata, a reducer."""
    lines = ["HloModule generated", "", "%add (x: f32[], y: f32[]) -> f32[] {", "  %x = f32[] parameter(0)",
             "  %y = f32[] parameter(1)", "  ROOT %sum = f32[] add(%x, %y)", "}", "", "ENTRY %main (p: f32[64,128]) -> f32[64,128] {",
             "  %p = f32[64,128]{1,0} parameter(0)", "  %w = f32[128,128]{1,0} constant({...})", "  %zero = f32[] constant(0)"]
    last = "p"
    for i in range(max(1, instructions // 8)):
        meta = f'metadata={{op_name="jit(main)/block_{i}/dense" source_file="model.py" source_line={i % 900 + 1}}}'
        lines += [
            f"  %dot.{i} = f32[64,128]{{1,0}} dot(%{last}, %w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, {meta}",
            f"  %reduce.{i} = f32[64]{{0}} reduce(%dot.{i}, %zero), dimensions={{1}}, to_apply=%add, {meta}",
            f"  %broadcast.{i} = f32[64,128]{{1,0}} broadcast(%reduce.{i}), dimensions={{0}}",
            f"  %subtract.{i} = f32[64,128]{{1,0}} subtract(%dot.{i}, %broadcast.{i})",
            f"  %tanh.{i} = f32[64,128]{{1,0}} tanh(%subtract.{i}), {meta}",
            f"  %transpose.{i} = f32[128,64]{{1,0}} transpose(%tanh.{i}), dimensions={{1,0}}",
            f"  %reshape.{i} = f32[64,128]{{1,0}} reshape(%transpose.{i})",
            f"  %residual.{i} = f32[64,128]{{1,0}} add(%{last}, %reshape.{i}), {meta}"]
        last = f"residual.{i}"
    lines += [f"  ROOT %result = f32[64,128]{{1,0}} copy(%{last})", "}", ""]
    return "\n".join(lines)


def without_metadata(text):
    text = re.sub(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}', "", text)
    return re.sub(r"\nFileNames\n.*?\nStackFrames\n(?:\d[^\n]*\n)*", "", text, flags=re.DOTALL)


def time_xla(hlo, text, repeat):
    parse, write = [], []
    for _ in range(repeat):
        start = time.perf_counter(); module = hlo.hlo_module_from_text(text); parse.append(time.perf_counter() - start)
        start = time.perf_counter(); module.to_string(); write.append(time.perf_counter() - start)
    return parse, write


def time_hloir(binary, path, repeat):
    out = subprocess.run([binary, "print", f"--bench={repeat}", "--json", path], check=True, capture_output=True, text=True)
    result = json.loads(out.stdout)
    return result["parse_ms"] / 1e3, result["print_ms"] / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--generate", type=int, default=80000, help="instructions of the generated module; 0 for none")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    import jaxlib._hlo as hlo

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = list(options.files)
        if options.generate:
            files.append(os.path.join(folder, "generated.hlo"))
            with open(files[-1], "w") as out:
                out.write(generated(options.generate))
        print(f"{'module':44} {'MB':>7} {'parse: XLA':>11} {'hloir ms':>9} {'ratio':>7}   {'print: XLA':>11} {'hloir ms':>9} {'ratio':>7}   {'no metadata':>11}")
        for path in files:
            with open(path) as file:
                text = file.read()
            plain = os.path.join(folder, "plain.hlo")
            with open(plain, "w") as out:
                out.write(without_metadata(text))
            sides = {"xp": [], "xw": [], "hp": [], "hw": [], "pp": []}
            for _ in range(ROUNDS):
                parse, write = time_xla(hlo, text, options.repeat)
                sides["xp"] += parse; sides["xw"] += write
                parse, write = time_hloir(options.hloir, path, 3 * options.repeat)
                sides["hp"].append(parse); sides["hw"].append(write)
                sides["pp"].append(time_hloir(options.hloir, plain, 3 * options.repeat)[0])
            speed = os.path.getsize(plain) / statistics.median(sides["pp"]) / 1e9
            xp, xw, hp, hw = (statistics.median(sides[k]) for k in ("xp", "xw", "hp", "hw"))
            rows.append({"module": os.path.basename(path), "mb": len(text) / 1e6, "parse_ratio": xp / hp, "print_ratio": xw / hw, "plain_gb_per_s": speed,
                         "xla_parse_ms": 1e3 * xp, "hloir_parse_ms": 1e3 * hp, "xla_print_ms": 1e3 * xw, "hloir_print_ms": 1e3 * hw})
            print(f"{os.path.basename(path)[-44:]:44} {len(text) / 1e6:7.2f} {1e3 * xp:11.2f} {1e3 * hp:9.3f} {xp / hp:7.1f}   "
                  f"{1e3 * xw:11.2f} {1e3 * hw:9.3f} {xw / hw:7.1f}   {speed:11.2f}", flush=True)
    mean = lambda key: math.exp(statistics.mean(math.log(row[key]) for row in rows))
    print(f"geometric mean of {len(rows)}: parse {mean('parse_ratio'):.1f} times XLA's speed, print {mean('print_ratio'):.1f} times; "
          f"without metadata {mean('plain_gb_per_s'):.2f} GB/s")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
