#!/usr/bin/env python3
"""The memory of intermediate values beside XLA:CPU's temporaries, on the same HLO text.

    bench/compare_memory.py [--hloir BIN] [--only REGEX] [--threads N] [--json OUT]

Of each model (those of models.py, in the layouts and sizes listed here, and the model_* cases, attention and the training step of cases.py)
are printed: instructions, hloir's arena, what XLA's buffer assignment takes for temporaries (memory_analysis of the compiled
module), and the ratio. The arena has all that a run needs beside parameters, constants and results, packed operands of
products and blocks of attention beyond that too. Neither figure has what a thread keeps for any module: 3 MB of hloir's each, and what XLA's libraries of
products allocate while they run. Exit status 1: a ratio is over 1. Needs jax.
"""
import argparse, json, math, os, re, subprocess, sys, tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

MODELS = {
    "bert": ("bert", {}),
    "bert_long": ("bert", {"layers": 2, "batch": 1, "sequence": 512}),
    "bert_base": ("bert", {"layers": 12, "batch": 1, "hidden": 768, "heads": 12}),
    "resnet50_nchw": ("resnet", {}),
    "resnet50_nhwc": ("resnet", {"order": "nhwc"}),
    "resnet50_nhwc_4": ("resnet", {"order": "nhwc", "batch": 4}),
}
CASES = r"^model_|^attention|^training_step|^mlp"


def programs():
    """NAME -> a function that gives the HLO text."""
    import cases, models
    made = {name: lambda how=how: getattr(models, how[0])(**how[1]) for name, how in MODELS.items()}
    return made | {name: lambda name=name: cases.make(name)[0] for name in cases.CASES if re.search(CASES, name)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="", help="models whose names match")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    import jax
    jax.config.update("jax_enable_x64", True)
    import compare
    rows, over = [], []
    print(f"{'model':20} {'instructions':>12} {'arena kB':>10} {'XLA kB':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "module.hlo")
        for name, make in programs().items():
            if not re.search(options.only, name): continue
            text = make()
            with open(module, "w") as out:
                out.write(text)
            done = subprocess.run([options.hloir, "run", module, "--json", "--seed=1", f"--threads={options.threads}"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{name:20} {done.stderr.strip()}")
                continue
            arena = json.loads(done.stdout)["arena_bytes"]
            theirs = compare.Xla(text).executable.get_compiled_memory_stats().temp_size_in_bytes
            count = len(re.findall(r"^\s+(?:ROOT )?\S+ = ", text, re.M))
            # Of less than a page nothing is gained.
            ratio = max(arena, 4096) / max(theirs, 4096)
            rows.append({"model": name, "instructions": count, "arena_bytes": arena, "xla_bytes": theirs, "ratio": ratio})
            print(f"{name:20} {count:12} {arena / 1024:10.1f} {theirs / 1024:10.1f} {ratio:6.2f}", flush=True)
    if rows:
        mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
        over = [row["model"] for row in rows if round(row["ratio"], 2) > 1]
        print(f"geometric mean of {len(rows)}: {mean:.2f}; over 1: {', '.join(over) or 'none'}")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
