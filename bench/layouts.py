#!/usr/bin/env python3
"""What layouts cost: modules with transposes around dots and convolutions against the same without, and whole models.

    bench/layouts.py [--hloir BIN] [--repeat N] [--only REGEX]

First the pairs of bench/layout_pairs.py, run as they are written: the plan chooses how arrays lie, so that the module with transposes
takes no longer. Then models of bench/models.py: with each array as its dimensions are numbered (`hloir run --no-layouts`), as the plan lays them, and so after
layout-assignment and layout-normalization (--math=rounding). One thread; both sides of a pair run in turns, in processes of
their own, and the ratio is the median of the rounds'. On a loaded machine: `chrt -f 1 bench/layouts.py`.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
from layout_pairs import PAIRS

CLEAN = "[algebraic-simplifier,cse,dce]"
CHOSEN = "layout-assignment,layout-normalization," + CLEAN
MODELS = {
    "resnet-50, features first": lambda: models.resnet(batch=2),
    "resnet-50, features last": lambda: models.resnet(batch=2, order="nhwc"),
    "bert, 4 layers": models.bert,
}


def quartile_ms(hloir, path, runs, *flags):
    """Of so many runs, what a quarter of them stay below: others on the machine disturb it least."""
    process = subprocess.run([hloir, "run", path, "--json", f"--repeat={runs}", "--threads=1", *flags], stdout=subprocess.PIPE, text=True)
    if process.returncode != 0:
        sys.exit(f"{path}: hloir run failed")
    return sorted(json.loads(process.stdout)["runs_ms"])[runs // 4]


def in_turns(options, files, runs):
    """Of files with their flags: medians of the times, and of the ratios of the first to each of the others."""
    times = [[] for _ in files]
    for _ in range(options.repeat):
        for list_of, file in zip(times, files):
            list_of.append(quartile_ms(options.hloir, file[0], runs, *file[1:]))
    ratios = [statistics.median(a / b for a, b in zip(times[0], other)) for other in times[1:]]
    return [statistics.median(t) for t in times], ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text, passes=""):
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            if passes:
                subprocess.run([options.hloir, "opt", path, f"--passes={passes}", "--math=rounding", "-o", path], check=True)
            return path

        pairs = [name for name in PAIRS if re.search(options.only, name)]
        ratios = []
        if pairs:
            print(f"{'pair':32} {'transposes, ms':>15} {'without, ms':>12} {'ratio':>6}")
        for name in pairs:
            (with_ms, plain_ms), (ratio,) = in_turns(options, [(write("with.hlo", PAIRS[name](True)),), (write("plain.hlo", PAIRS[name](False)),)], 10)
            ratios.append(ratio)
            print(f"{name:32} {with_ms:15.2f} {plain_ms:12.2f} {ratio:6.2f}", flush=True)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{len(ratios)} pairs: geometric mean {mean:.3f}, most {max(ratios):.2f}\n")
        chosen = [name for name in MODELS if re.search(options.only, name)]
        if chosen:
            print(f"{'model':32} {'numbered, ms':>15} {'chosen, ms':>12} {'gain':>6} {'passes, ms':>12} {'gain':>6}")
        for name in chosen:
            text = MODELS[name]()
            written = write("written.hlo", text, CLEAN)
            (numbered, plan, passes), gains = in_turns(options, [(written, "--no-layouts"), (written,), (write("passes.hlo", text, CHOSEN),)], 4)
            print(f"{name:32} {numbered:15.2f} {plan:12.2f} {gains[0]:6.2f} {passes:12.2f} {gains[1]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
