#!/usr/bin/env python3
"""The bytes that all devices send in our partitioned programs beside XLA's, on the programs of tests/sharded.

    bench/compare_partition.py [--hloir BIN] [--only REGEX] [--keep DIR] [--bare]

XLA's bytes are in tests/sharded/xla.json: of the program that XLA compiles for the CPU (compiled.as_text(); tests/sharded/generate.py).
With --bare the module's header says nothing about devices and results, as in lowered.as_text('hlo'). Prints the ratio of each
program, the mean, and the worst; a program that sends nothing in both has the ratio 1. --keep writes the partitioned programs.
Exit status 1: the mean is over 0.95, or a ratio over 1.3.
"""
import argparse, glob, json, math, os, re, subprocess, sys, tempfile

PASSES = "call-inliner,sharding-propagation,spmd-partitioning,dce,cse,while-loop-invariant-code-motion,dce,cse,dce"
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "sharded")
# Below this, in bytes, nothing is gained.
LEAST = 64


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="", help="programs whose names match")
    parser.add_argument("--keep", help="write the partitioned programs to this folder")
    parser.add_argument("--bare", action="store_true")
    options = parser.parse_args()
    of_xla = json.load(open(os.path.join(FOLDER, "xla.json")))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, theirs in of_xla.items():
            if not re.search(options.only, name): continue
            text = open(os.path.join(FOLDER, name + ".hlo")).read()
            if options.bare:  # but for the names of meshes
                text = re.sub(r", (num_partitions=\d+|allow_spmd_sharding_propagation_to_\w+=\{[^}]*\})", "", text)
            whole, ours = os.path.join(folder, name + ".hlo"), os.path.join(options.keep or folder, name + ".ours.hlo")
            with open(whole, "w") as out:
                out.write(text)
            subprocess.run([options.hloir, "opt", whole, "--passes=" + PASSES, "-o", ours], check=True)
            cost = subprocess.run([options.hloir, "cost", "--json", ours], capture_output=True, text=True, check=True)
            sent = json.loads(cost.stdout)["communication"]["sent"]
            rows.append((max(sent, LEAST) / max(theirs, LEAST), name, sent, theirs))
    for ratio, name, sent, theirs in sorted(rows):
        print(f"{name:24} {sent:12,.0f} {theirs:12,.0f} {ratio:8.2f}")
    mean = sum(row[0] for row in rows) / len(rows)
    geometric = math.exp(sum(math.log(row[0]) for row in rows) / len(rows))
    print(f"{len(rows)} programs: mean {mean:.3f}, geometric {geometric:.3f}, worst {max(rows)[0]:.2f} ({max(rows)[1]})")
    sys.exit(mean > 0.95 or max(rows)[0] > 1.3)


if __name__ == "__main__":
    main()
