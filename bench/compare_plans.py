#!/usr/bin/env python3
"""What a plan costs beside its runs: preparing it, for each instruction, and its memory beside XLA:CPU's.

    bench/compare_plans.py [--hloir BIN] [--only REGEX] [--threads N] [--repeat N]

Of each case of cases.py (by default the models) are printed: instructions of the module, microseconds of preparing for each of
them (the median of some processes), the arena, what XLA allocates for temporaries, and the ratio of the two. Needs jax.
"""
import argparse, json, os, re, statistics, subprocess, sys, tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="^model_|training|attention|mlp", help="cases whose names match")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    import jax
    jax.config.update("jax_enable_x64", True)
    import cases, compare
    print(f"{'case':24} {'instructions':>12} {'µs each':>8} {'arena kB':>10} {'XLA kB':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        module, given = os.path.join(folder, "module.hlo"), os.path.join(folder, "in.npz")
        for name in (name for name in cases.CASES if re.search(options.only, name)):
            text, inputs = cases.make(name)
            with open(module, "w") as out:
                out.write(text)
            compare.save_inputs(given, inputs)
            command = [options.hloir, "run", module, "--json", f"--inputs={given}", f"--threads={options.threads}"]
            reports = [json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(options.repeat)]
            count = len(re.findall(r"^\s+(?:ROOT )?\S+ = ", text, re.M))
            prepare = statistics.median(report["prepare_ms"] for report in reports)
            compiled = jax.jit(cases.CASES[name][0], keep_unused=True).lower(*inputs).compile()
            temporary, arena = compiled.memory_analysis().temp_size_in_bytes, reports[0]["arena_bytes"]
            print(f"{name:24} {count:12} {1e3 * prepare / count:8.2f} {arena / 1024:10.1f} {temporary / 1024:10.1f} "
                  f"{arena / max(temporary, 1):6.2f}", flush=True)


if __name__ == "__main__":
    main()
