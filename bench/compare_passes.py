#!/usr/bin/env python3
"""Holds hloir's passes against XLA:CPU's own, by XLA's own cost analysis of both results.

    bench/compare_passes.py [--hloir BIN] [--math exact,rounding] [--worst N] [--svg OUT.svg] [--json OUT] [--no-run] [--programs] [FILE…]

For each module (default: the corpus and the cases of cases.py; --programs: those of pass_programs.py) XLA:CPU optimizes it and hloir does; XLA reads back what hloir printed, and says of
both results what they cost: bytes accessed, FLOPs (transcendentals among them), and instructions (outside the bodies of
fusions). Printed are geometric means of hloir's figure over XLA's (below 1, hloir's is better), the worst modules, and,
unless --no-run, whether XLA gets the same results from hloir's module as from the original (fusions written as calls, as
StableHLO, XLA's way in, has none) and how much faster hloir itself runs its module after the passes (medians of
`hloir run` on one thread): than the original as its engine runs it, which fuses by itself, and, in a line of its own, than
the original one instruction at a time (`hloir run --no-fusion`). A figure that is zero on both sides, or that XLA has not (it
says -1 where there is a custom-call), counts as 1. Needs jax.
"""
import argparse, glob, json, math, os, re, subprocess, sys, tempfile, zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
FIGURES = ("bytes", "flops", "instructions")


class Xla:
    def __init__(self):
        import jax, jaxlib._hlo as hlo, jaxlib._jax as xj
        from jax._src.lib import xla_client
        jax.config.update("jax_enable_x64", True)
        self.jax, self.hlo, self.xj, self.client_module = jax, hlo, xj, xla_client
        self.device = jax.devices("cpu")[0]
        self.client = self.device.client

    def compile(self, text):
        for word in ("input_output_alias", "buffer_donor"):
            text = re.sub(word + r"=\{(?:[^{}]|\{[^{}]*\})*\},? ?", "", text, count=1)
        computation = self.hlo.XlaComputation(self.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
        stablehlo = self.xj.mlir.xla_computation_to_mlir_module(computation)
        devices = self.client_module.DeviceList((self.device,))
        return self.client.compile_and_load(stablehlo, devices, self.client_module.CompileOptions())

    def cost(self, module):
        analysis = self.xj.hlo_module_cost_analysis(self.client, module)
        return {"bytes": analysis.get("bytes accessed", 0.0),
                "flops": analysis.get("flops", 0.0) + analysis.get("transcendentals", 0.0),
                "instructions": float(count_instructions(module.to_string()))}

    def run(self, text, inputs):
        import numpy as np
        arguments = [self.jax.device_put(value, self.device) for value in inputs]
        outputs = self.compile(text).execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [np.asarray(output[0]) for output in outputs]


def count_instructions(text):
    """Lines with an instruction, but for those in bodies that a fusion calls."""
    bodies = set(re.findall(r"fusion\(.*?calls=%?([^\s,]+)", text))
    count, inside = 0, None
    for line in text.splitlines():
        head = re.match(r"(?:ENTRY )?%?([^\s(]+) .*\{$", line)
        if head and not line.startswith("HloModule"):
            inside = head.group(1)
        elif inside not in bodies and re.match(r"\s+(ROOT )?%?\S+ = ", line):
            count += 1
    return count


def fusions_as_calls(text):
    """The same module in what StableHLO has: a fusion is a call of its body, a bitcast (of one type) a reshape."""
    text = re.sub(r" bitcast\(", " reshape(", text)
    return re.sub(r" fusion\((.*?)\), kind=k\w+,(.*?) ?calls=", r" call(\1),\2 to_apply=", text)


def load_inputs(path):
    import ml_dtypes, numpy as np
    stored, values = np.load(path), []
    while f"in{len(values)}" in stored:
        name = f"in{len(values)}"
        value = stored[name]
        if f"{name}.dtype" in stored:
            value = value.view(np.dtype(getattr(ml_dtypes, str(stored[f"{name}.dtype"]))))
        values.append(value)
    return values


def same(a, b):
    """Equal but for rounding: both are XLA's own results, of modules that compute the same in another order."""
    import numpy as np
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    digits = {1: 0.2, 2: 2e-2, 4: 2e-4, 8: 1e-9}.get(a.dtype.itemsize if a.dtype.kind != "c" else a.dtype.itemsize // 2, 1e-9)
    x, y = a.astype(wide), b.astype(wide)
    finite = np.isfinite(x)
    scale = float(np.max(np.abs(x[finite]))) if finite.any() else 1.0
    return bool(np.allclose(x, y, rtol=digits, atol=digits * max(scale, 1e-30), equal_nan=True))


def geometric_mean(values):
    values = [v for v in values if v > 1e-9]  # of what costs nothing on our side (a bitcast) there is no ratio
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float("nan")


def ratio(ours, theirs):
    return 1.0 if ours == theirs or min(ours, theirs) < 0 else (ours + 1e-9) / (theirs + 1e-9) if theirs > 0 else 1.0 + ours


def optimize(binary, path, math_mode):
    done = subprocess.run([binary, "opt", f"--math={math_mode}", path], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "hloir opt failed")
    return done.stdout


def run_ms(binary, text, *flags):
    """Of one run, on one thread; None if it does not run or does not end."""
    def run(repeat):
        done = subprocess.run([binary, "run", *flags, "--threads=1", f"--repeat={repeat}", "--json", "-"], input=text, capture_output=True,
                              text=True, timeout=30)
        return json.loads(done.stdout)["run_ms"]
    try:
        return run(max(3, min(500, int(20 / max(run(1), 1e-3)))))
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return None


def speedups(binary, path, optimized):
    """How much longer than the optimized module the original takes, as it is and one instruction at a time."""
    with open(path) as file:
        original = file.read()
    before = [run_ms(binary, original)]
    if before[0] is None:
        return None, None
    after = [run_ms(binary, optimized), run_ms(binary, optimized)]
    before.append(run_ms(binary, original))
    if None in before + after or min(after) <= 0:
        return None, None
    alone = run_ms(binary, original, "--no-fusion")
    return min(before) / min(after), alone / min(after) if alone else None


def draw(rows, modes, path):
    """One line a figure and mode: the modules' ratios in rising order, on a logarithmic scale."""
    width, height, left, top = 900, 300, 60, 30
    colors = {"bytes": "#1f6feb", "flops": "#d29922", "instructions": "#2da44e"}
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{(height + 60) * len(modes)}" font-family="sans-serif" font-size="12">']
    for number, mode in enumerate(modes):
        base = number * (height + 60) + top
        y = lambda r: base + height / 2 - max(-1.0, min(1.0, math.log(r, 4))) * height / 2
        parts.append(f'<text x="{left}" y="{base - 10}">hloir over XLA:CPU, --math={mode}: each module, in rising order (below 1, hloir is better)</text>')
        for tick in (0.25, 0.5, 1, 2, 4):
            parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(tick)}" y2="{y(tick)}" stroke="{"#888" if tick == 1 else "#ddd"}"/><text x="{left - 40}" y="{y(tick) + 4}">{tick}x</text>')
        for place, figure in enumerate(FIGURES):
            values = sorted(row[mode][figure] for row in rows if mode in row)
            points = " ".join(f"{left + (width - left - 20) * k / max(1, len(values) - 1):.1f},{y(v):.1f}" for k, v in enumerate(values))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colors[figure]}" stroke-width="2"/>')
            parts.append(f'<text x="{left + 10 + 230 * place}" y="{base + height + 18}" fill="{colors[figure]}">{figure}: mean {geometric_mean(values):.3f}</text>')
    with open(path, "w") as out:
        out.write("\n".join(parts) + "\n</svg>\n")


def save_programs(folder):
    """The programs of pass_programs.py as files."""
    import pass_programs
    paths = []
    for name in pass_programs.PROGRAMS:
        paths.append(os.path.join(folder, name + ".hlo"))
        with open(paths[-1], "w") as out:
            out.write(pass_programs.make(name))
    return paths


def save_cases(folder):
    """The cases of cases.py as files, with their inputs beside them."""
    import cases
    from compare import save_inputs
    paths = []
    for name in cases.CASES:
        text, inputs = cases.make(name)
        paths.append(os.path.join(folder, name + ".hlo"))
        with open(paths[-1], "w") as out:
            out.write(text)
        save_inputs(paths[-1].removesuffix(".hlo") + ".npz", inputs)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--math", default="exact,rounding")
    parser.add_argument("--worst", type=int, default=10, help="how many of the worst modules to list a figure")
    parser.add_argument("--svg", help="a picture")
    parser.add_argument("--json", help="write the figures to this file too")
    parser.add_argument("--no-run", action="store_true", help="costs alone")
    parser.add_argument("--programs", action="store_true", help="the modules of pass_programs.py, which no pass was tuned on")
    parser.add_argument("--cache", help="keep XLA's figures in this file; they do not change with hloir")
    options = parser.parse_args()
    modes = options.math.split(",")
    xla, rows, skipped, wrong = Xla(), [], [], []
    folder = tempfile.TemporaryDirectory()
    files = options.files or (save_programs(folder.name) if options.programs else None) or [f for f in sorted(glob.glob(os.path.join(os.path.dirname(__file__), "../corpus/modules/*.hlo")))
                              if not f.endswith(".opt.hlo")] + save_cases(folder.name)
    cache = json.load(open(options.cache)) if options.cache and os.path.exists(options.cache) else {}
    for path in files:
        name = os.path.basename(path).removesuffix(".hlo")
        text = open(path).read()
        key = f"{name} {zlib.crc32(text.encode()):08x}"  # a case may have the name of one of the corpus
        if key not in cache:
            try:
                cache[key] = xla.cost(xla.compile(text).hlo_modules()[0])
            except Exception as error:
                cache[key] = {"error": str(error).splitlines()[0]}
        theirs = cache[key]
        if "error" in theirs:
            skipped.append((name, theirs["error"]))
            continue
        row = {"module": name, "xla": theirs}
        inputs, expected = None, None
        for mode in modes:
            try:
                optimized = optimize(options.hloir, path, mode)
                ours = xla.cost(xla.hlo.hlo_module_from_text(optimized))
            except Exception as error:
                wrong.append((name, mode, str(error).splitlines()[0]))
                continue
            row[mode] = {figure: ratio(ours[figure], theirs[figure]) for figure in FIGURES} | {"cost": ours}
            if options.no_run:
                continue
            row[mode]["speedup"], row[mode]["over_op_by_op"] = speedups(options.hloir, path, optimized)
            stored = path.removesuffix(".hlo") + ".npz"
            if not os.path.exists(stored) or "custom-call" in text:  # what those mean, XLA alone does not know
                continue
            try:
                if inputs is None:
                    inputs = load_inputs(stored)
                    expected = xla.run(text, inputs)
                if not all(same(x, y) for x, y in zip(expected, xla.run(fusions_as_calls(optimized), inputs), strict=True)):
                    wrong.append((name, mode, "XLA gets another result from it"))
            except Exception as error:
                wrong.append((name, mode, str(error).splitlines()[0]))
        rows.append(row)
    if options.cache:
        json.dump(cache, open(options.cache, "w"))
    print(f"{len(rows)} modules; {len(skipped)} that XLA:CPU does not compile")
    for mode in modes:
        print(f"--math={mode}: hloir over XLA:CPU, geometric mean (least … largest)")
        with_mode = [row for row in rows if mode in row]
        for figure in FIGURES:
            values = [row[mode][figure] for row in with_mode]
            print(f"  {figure:12} {geometric_mean(values):6.3f}  ({min(values):.3f} … {max(values):.3f}), {sum(v > 1.3 for v in values)} over 1.3")
        for figure in FIGURES:
            worst = sorted(with_mode, key=lambda row: -row[mode][figure])[:options.worst]
            print(f"  worst {figure}: " + ", ".join(f"{row['module']} {row[mode][figure]:.2f}" for row in worst))
        times = [row[mode]["speedup"] for row in with_mode if row[mode].get("speedup")]
        if times:
            slowest = sorted((row[mode]["speedup"], row["module"]) for row in with_mode if row[mode].get("speedup"))[:options.worst]
            print("  slowest against the original: " + ", ".join(f"{name} {ratio:.2f}" for ratio, name in slowest))
            print(f"  hloir runs its own result {geometric_mean(times):.2f}x as fast as the original (least {min(times):.2f}x)")
        times = [row[mode]["over_op_by_op"] for row in with_mode if row[mode].get("over_op_by_op")]
        if times:
            print(f"  and {geometric_mean(times):.2f}x as fast as the original run one instruction at a time, without the engine's own fusion")
    for name, mode, why in wrong:
        print(f"WRONG {name} --math={mode}: {why}")
    if options.svg:
        draw(rows, modes, options.svg)
    if options.json:
        json.dump(rows, open(options.json, "w"), indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
