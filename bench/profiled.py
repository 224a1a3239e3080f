#!/usr/bin/env python3
"""How the roofline ranks the instructions of programs that jax.profiler measured.

    bench/profiled.py [--hloir BIN] [--only REGEX] [--device FILE] [--least N] [--json OUT]

Runs each case of cases.py by JAX on this machine's CPU under the profiler, and lets `hloir cost` predict its instructions from the
profile (.xplane.pb), on this machine as `hloir cost --device=cpu --save-device` describes it. Prints for each program with at least N
measured instructions Kendall's tau-b of the two orders, and the predicted time over the measured one; at the end their medians, and
how many sums are within a factor of 1.5. The description is of hloir's own kernels, and XLA compiles others. Needs jax.
"""
import argparse, glob, json, os, re, statistics, subprocess, sys, tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def profile(jax, compiled, arguments, folder, runs):
    """The path of a profile of so many runs, after two that warm up."""
    for _ in range(2): jax.block_until_ready(compiled(*arguments))
    with jax.profiler.trace(folder):
        for _ in range(runs): jax.block_until_ready(compiled(*arguments))
    return glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="")
    parser.add_argument("--device", help="the machine's description (default: it is measured)")
    parser.add_argument("--least", type=int, default=4)
    parser.add_argument("--json")
    options = parser.parse_args()
    import jax
    import numpy as np
    jax.config.update("jax_enable_x64", True)
    import cases
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        device = options.device or os.path.join(folder, "machine.json")
        for name, (function, makers) in cases.CASES.items():
            if not re.search(options.only, name): continue
            rng = np.random.default_rng(1)
            arguments = [np.asarray(make(rng)) for make in makers]
            try:
                path = profile(jax, jax.jit(function), arguments, os.path.join(folder, name), 10)
            except Exception as error:  # a program that XLA refuses
                print(f"{name:24} {str(error).splitlines()[0][:80]}")
                continue
            command = [options.hloir, "cost", path, "--json"]
            command += [f"--device={device}"] if os.path.exists(device) else ["--device=cpu", f"--save-device={device}"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{name:24} {done.stderr.strip().splitlines()[-1]}")
                continue
            measured = json.loads(done.stdout)["roofline"]["measured"]
            if measured["instructions"] < options.least or measured["ms"] == 0 or "kendall_tau" not in measured: continue
            ratio = measured["predicted_ms"] / measured["ms"]
            rows.append({"program": name, "instructions": measured["instructions"], "tau": measured["kendall_tau"], "ratio": ratio})
            print(f"{name:24} {measured['instructions']:4} instructions, tau {measured['kendall_tau']:5.2f}, predicted/measured {ratio:6.2f}", flush=True)
    if rows:
        near = sum(1 / 1.5 <= row["ratio"] <= 1.5 for row in rows)
        print(f"{len(rows)} programs: median tau {statistics.median(row['tau'] for row in rows):.2f}, median ratio "
              f"{statistics.median(row['ratio'] for row in rows):.2f}, {near} within a factor of 1.5")
    if options.json:
        with open(options.json, "w") as out: json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
