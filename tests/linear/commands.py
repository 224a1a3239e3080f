#!/usr/bin/env python3
"""What commands do around the passes is linear in the module, too: counted, not timed.

    tests/linear/commands.py HLOIR

valgrind's callgrind counts the machine instructions of whole commands on a module and on one four times its size, on which a
command may take six times as many: `opt --dry-run` on a chain of selects with two proposals each, and reading StableHLO with
many regions. Exit status 77: there is no valgrind.
"""
import os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from time_passes import loops

SMALL, TIMES, MOST = 250, 4, 6


def selects(n):
    lines = [f"x{i} = f32[4] select(p, x{i - 1}, y)" for i in range(1, n)]
    return "\n".join(["HloModule m", "ENTRY e {", "p = pred[4] parameter(0)", "x0 = f32[4] parameter(1)", "y = f32[4] parameter(2)", *lines,
                      f"ROOT r = f32[4] select(p, x{n - 1}, y)", "}", ""])


def dry_run(hloir, folder, n):
    path = os.path.join(folder, "selects.hlo")
    with open(path, "w") as out:
        out.write(selects(n))
    return [hloir, "opt", "--dry-run", "--passes=algebraic-simplifier", path, "-o", os.devnull]


def read_stablehlo(hloir, folder, n):
    path, mlir = os.path.join(folder, "loops.hlo"), os.path.join(folder, "loops.mlir")
    with open(path, "w") as out:
        out.write(loops(n))
    subprocess.run([hloir, "convert", path, "-o", mlir], check=True)
    return [hloir, "check", "--no-verify", mlir]


def count(command, folder):
    """The machine instructions of the command."""
    out = os.path.join(folder, "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} fails: {done.stderr[-2000:]}")
    return int(re.search(r"^(?:summary|totals): (\d+)", open(out).read(), re.M)[1])


def main():
    if not shutil.which("valgrind"):
        print("there is no valgrind")
        sys.exit(77)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for command in (dry_run, read_stablehlo):
            small, large = (count(command(sys.argv[1], folder, n), folder) for n in (SMALL, SMALL * TIMES))
            print(f"{command.__name__}: {small:,} instructions, on {TIMES} times the module {large:,}: {large / small:.1f} times")
            bad += large > MOST * small
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
