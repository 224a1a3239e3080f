#!/usr/bin/env python3
"""A BERT-like encoder through hloir, step by step: what each step does to instructions, bytes, operations, memory and time.

    docs/studies/bert.py [--hloir BIN] [--repeat=3] [--runs=5] [--layers=4] [--json OUT] [--tables] [--pictures DIR]

Makes the module (bench/models.py), runs each step's passes after those of the steps before it, checks that the results
stay the same, and measures. --tables prints Markdown, --pictures writes bert-*.svg; without either, a table.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import layouts  # how runs are timed
CLEAN = "[algebraic-simplifier,constant-folding,cse,reshape-mover,dce]"
# name, passes, what it is
STEPS = [
    ("as written", "", "op by op, as a front end leaves it"),
    ("constants folded", CLEAN, "what follows from constants computed, what is computed twice once, the algebra of a front end gone"),
    ("layouts assigned", "layout-assignment,layout-normalization," + CLEAN, "each array's order by what it costs; transposes that move nothing go"),
    ("fused", "fusion{feed-products=true join-products=true least-gain=0 max-results=32},reshape-decomposer{disable=decompose-reshape},dce",
     "attention with its softmax, products with bias and GELU, norms"),
    ("memory scheduled", "hlo-memory-scheduler", "an order in which less is in use at once"),
]


def command(options, *arguments, check=True):
    done = subprocess.run([options.hloir, *arguments], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"hloir {' '.join(arguments)}: {done.stderr or done.stdout}")
    return done.stdout


def measure(options, path):
    cost = json.loads(command(options, "cost", "--json", path))
    count = json.loads(command(options, "stats", "--json", path))[0]
    free = ("parameter", "constant", "tuple", "get-tuple-element", "bitcast")
    steps = sum(1 for i in cost["instructions"] if i["opcode"] not in free)
    fusions = {}
    for fusion in count["fusions"]:
        name = fusion["name"].split(".")[0]
        fusions[name] = fusions.get(name, 0) + 1
    times = {}
    for key, extra in (("alone", ["--no-fusion"]), ("engine", [])):
        times[key] = min(layouts.processor_ms(options.hloir, path, options.runs, extra) for _ in range(options.repeat))
    memory = cost["memory"]
    return {"instructions": count["instructions"], "top_level": steps, "fusions": fusions,
            "flops": cost["repeated"]["flops"], "bytes": cost["repeated"]["bytes"], "memory": memory, "times": times,
            "sent": cost["communication"]["sent"], "by_collective": cost["communication"]["by_collective"]}


def study(options, folder):
    models = os.path.join(ROOT, "bench", "models.py")
    # Every step is taken twice: on the model that is measured, and on a small one of the same kind, which is quickly verified.
    sizes = {"large": [f"--layers={options.layers}"], "small": ["--layers=1", "--batch=2", "--sequence=16", "--hidden=64"]}

    def make(name, *extra):
        paths = {}
        for size, arguments in sizes.items():
            paths[size] = os.path.join(folder, f"{name}-{size}.hlo")
            with open(paths[size], "w") as out:
                subprocess.run([sys.executable, models, "bert", *arguments, *extra], stdout=out, check=True)
        return paths

    def optimize(paths, name, passes):
        made = {}
        for size, path in paths.items():
            made[size] = os.path.join(folder, f"{name}-{size}.hlo")
            command(options, "opt", path, f"--passes={passes}", "--math=rounding", "-o", made[size])
        return made

    def check(before, after):
        verdict = json.loads(command(options, "verify", "--json", "--max-memory=6G", before["small"], after["small"]))
        return {"agrees": verdict["agree"], "difference": verdict["largest_relative_difference"]}

    first = paths = make("bert")
    rows = []
    for number, (name, passes, why) in enumerate(STEPS):
        row = {"step": name, "why": why, "passes": passes}
        if passes:
            paths = optimize(paths, f"step{number}", passes)
            row.update(check(first, paths))
        rows.append({**row, **measure(options, paths["large"])})

    sharded = make("sharded", "--sharded")
    parted = optimize(sharded, "parts", "sharding-propagation,spmd-partitioning," + CLEAN)
    optimized = optimize(parted, "parts-optimized", ",".join(passes for _, passes, _ in STEPS[2:]))
    parts = [{"step": name, **check(sharded, made), **measure(options, made["large"])}
             for name, made in (("one of 8 devices", parted), ("the same, optimized", optimized))]
    return {"layers": options.layers, "steps": rows, "parts": parts}


def peak(row):
    return row["memory"]["heap_bytes"], row["memory"]["unshared_bytes"]


def table(result):
    yield "| step | instructions | steps | GFLOP | MB moved | temporaries, MB (unshared) | ms | ms with engine fusion | largest difference |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in result["steps"] + result["parts"]:
        heap, unshared = peak(row)
        agrees = "" if "agrees" not in row else f"{row['difference']:.1e}" if row["agrees"] else "DISAGREES"
        yield (f"| {row['step']} | {row['instructions']} | {row['top_level']} | {row['flops'] / 1e9:.2f} | {row['bytes'] / 1e6:.1f} | "
               f"{heap / 1e6:.2f} ({unshared / 1e6:.1f}) | {row['times']['alone']:.1f} | {row['times']['engine']:.1f} | {agrees} |")


def bars(title, rows, unit):
    """An SVG of horizontal bars: (label, number, text)."""
    width, left, line = 720, 190, 26
    most = max(number for _, number, _ in rows) or 1
    height = 44 + line * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="8" y="20" font-weight="bold">{title}</text><text x="{width - 8}" y="20" text-anchor="end" fill="#666">{unit}</text>']
    for at, (label, number, text) in enumerate(rows):
        y = 36 + at * line
        size = (width - left - 90) * number / most
        out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{label}</text>'
                   f'<rect x="{left}" y="{y}" width="{size:.1f}" height="18" fill="#4477aa"/>'
                   f'<text x="{left + size + 6:.1f}" y="{y + 14}">{text}</text>')
    return "\n".join(out + ["</svg>", ""])


def pictures(result, folder):
    steps = result["steps"]
    for name, title, unit, value, form in (
            ("instructions", "Steps", "a fusion is one", lambda r: r["top_level"], "{:.0f}"),
            ("bytes", "Bytes moved by one run", "MB", lambda r: r["bytes"] / 1e6, "{:.1f}"),
            ("memory", "Memory for temporaries", "MB", lambda r: peak(r)[0] / 1e6, "{:.2f}"),
            ("time", "One run of the module's own fusions", "ms", lambda r: r["times"]["alone"], "{:.1f}")):
        rows = [(r["step"], value(r), form.format(value(r))) for r in steps]
        with open(os.path.join(folder, f"bert-{name}.svg"), "w") as out:
            out.write(bars(title, rows, unit))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default=os.path.join(ROOT, "build/release/tools/hloir"))
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the fastest counts")
    parser.add_argument("--runs", type=int, default=5, help="in a round")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--json")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = study(options, folder)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(result, out, indent=1)
    if options.pictures:
        pictures(result, options.pictures)
    print("\n".join(table(result)))


if __name__ == "__main__":
    main()
