#!/usr/bin/env python3
"""What choosing layouts gains: whole models, and modules with transposes around dots and convolutions.

    bench/layouts.py [--hloir BIN] [--repeat N] [--threads N] [--only REGEX]

Each case is timed after a clean-up, and after the same behind layout-assignment and layout-normalization (--math=rounding), in
turns; the least time of the processor in a run counts, which others on the machine disturb least. For a pair of cases (the same computation, with and without
transposes around it) the third column is what the plain one takes. Models are those of bench/models.py.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models

CLEAN = "[algebraic-simplifier,cse,dce]"


def convolutions(transposed):
    """Three convolutions; with transposes each is written features first, and its operands come from the other order."""
    lines, sizes, x = ["  x = f32[2,28,28,64]{3,2,1,0} parameter(0)"], "2,28,28,64", "x"
    for k in range(3):
        lines.append(f"  w{k} = f32[3,3,64,64]{{3,2,1,0}} parameter({k + 1})")
        if transposed:
            lines += [f"  t{k} = f32[2,64,28,28]{{3,2,1,0}} transpose({x}), dimensions={{0,3,1,2}}",
                      f"  c{k} = f32[2,64,28,28]{{3,2,1,0}} convolution(t{k}, w{k}), window={{size=3x3 pad=1_1x1_1}}, dim_labels=bf01_01io->bf01",
                      f"  h{k} = f32[2,64,28,28]{{3,2,1,0}} tanh(c{k})",
                      f"  y{k} = f32[{sizes}]{{3,2,1,0}} transpose(h{k}), dimensions={{0,2,3,1}}"]
        else:
            lines += [f"  c{k} = f32[{sizes}]{{3,2,1,0}} convolution({x}, w{k}), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f",
                      f"  y{k} = f32[{sizes}]{{3,2,1,0}} tanh(c{k})"]
        x = f"y{k}"
    lines[-1] = "  ROOT " + lines[-1][2:]
    return "HloModule convolutions\n\nENTRY main {\n" + "\n".join(lines) + "\n}\n"


def dots(transposed):
    """Four products of batches of matrices; with transposes each takes and gives the other order of rows and columns."""
    lines, x = ["  x = f32[8,192,192]{2,1,0} parameter(0)"], "x"
    dims = "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"
    for k in range(4):
        lines.append(f"  w{k} = f32[8,192,192]{{2,1,0}} parameter({k + 1})")
        if transposed:
            other = dims.replace("lhs_contracting_dims={2}", "lhs_contracting_dims={1}")
            lines += [f"  t{k} = f32[8,192,192]{{2,1,0}} transpose({x}), dimensions={{0,2,1}}",
                      f"  d{k} = f32[8,192,192]{{2,1,0}} dot(t{k}, w{k}), {other}",
                      f"  v{k} = f32[8,192,192]{{2,1,0}} transpose(d{k}), dimensions={{0,2,1}}",
                      f"  h{k} = f32[8,192,192]{{2,1,0}} tanh(v{k})",
                      f"  y{k} = f32[8,192,192]{{2,1,0}} transpose(h{k}), dimensions={{0,2,1}}"]
        else:
            lines += [f"  d{k} = f32[8,192,192]{{2,1,0}} dot({x}, w{k}), {dims}", f"  y{k} = f32[8,192,192]{{2,1,0}} tanh(d{k})"]
        x = f"y{k}"
    lines[-1] = "  ROOT " + lines[-1][2:]
    return "HloModule dots\n\nENTRY main {\n" + "\n".join(lines) + "\n}\n"


# name: (text, text of the plain one)
CASES = {
    "resnet-50, features first": (lambda: models.resnet(batch=4), lambda: models.resnet(batch=4, order="nhwc")),
    "resnet-50, features last": (lambda: models.resnet(batch=4, order="nhwc"), None),
    "bert, 4 layers": (lambda: models.bert(), None),
    "transposes around convolutions": (lambda: convolutions(True), lambda: convolutions(False)),
    "transposes around dots": (lambda: dots(True), lambda: dots(False)),
}


def processor_ms(hloir, path, runs, extra=()):
    """Time of the processor that a run takes: of `runs` + 1 runs less that of one, so that loading and preparing go."""
    def spent(repeat):
        process = subprocess.Popen([hloir, "run", path, "--json", f"--repeat={repeat}", "--threads=1", *extra], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{path}: hloir run failed")
        return usage.ru_utime + usage.ru_stime
    return 1e3 * (spent(runs + 1) - spent(1)) / runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--runs", type=int, default=3, help="in a round; of small cases ten times as many")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"{'case':32} {'written, ms':>12} {'chosen, ms':>12} {'gain':>6} {'plain, ms':>10} {'chosen/plain':>13}")
    with tempfile.TemporaryDirectory() as folder:
        for name in (name for name in CASES if re.search(options.only, name)):
            written, plain = CASES[name]
            files = {}

            def add(which, text, passes):
                files[which] = os.path.join(folder, which + ".hlo")
                subprocess.run([options.hloir, "opt", "-", f"--passes={passes}", "--math=rounding", "-o", files[which]], input=text, text=True, check=True)

            add("written", written(), CLEAN)
            add("chosen", written(), "layout-assignment,layout-normalization," + CLEAN)
            if plain:
                add("plain", plain(), CLEAN)
            least = dict.fromkeys(files, float("inf"))
            for _ in range(options.repeat):
                for which, file in files.items():
                    runs = options.runs if "around" not in name else 10 * options.runs
                    least[which] = min(least[which], processor_ms(options.hloir, file, runs))
            row = f"{name:32} {least['written']:12.2f} {least['chosen']:12.2f} {least['written'] / least['chosen']:6.2f}"
            if plain:
                row += f" {least['plain']:10.2f} {least['chosen'] / least['plain']:13.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
