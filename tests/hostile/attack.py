#!/usr/bin/env python3
"""Runs the command on each text of generate.py: attack.py HLOIR [--only=NAME] [--commands=check,opt] [--times]

Whatever the answer is, it must come with a documented exit status and within a gigabyte of memory. That it comes soon
is held by counted steps, budgets and limits in the library; here a process that takes many times what it should is
killed, as a backstop. --times lists what takes longest.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate

COMMANDS = {
    "check": ["check", "FILE"],
    "print": ["print", "FILE"],
    "canonical": ["print", "--style=canonical", "FILE"],
    "stats": ["stats", "FILE"],
    "opt": ["opt", "FILE"],
    "dry-run": ["opt", "--dry-run", "FILE"],
    "json": ["convert", "FILE", "-o", "OUT.json"],
    "pb": ["convert", "FILE", "-o", "OUT.pb"],
    "diff": ["diff", "FILE", "FILE"],
    "graph": ["graph", "FILE", "-o", "OUT.html"],
    "cost": ["cost", "--json", "FILE"],
    "chakra": ["export", "--format=chakra", "FILE", "-o", "OUT"],
    "paragraph": ["export", "--format=paragraph", "FILE", "-o", "OUT.pb"],
    "partition": ["opt", "--passes=sharding-propagation,spmd-partitioning", "FILE"],
    "run": ["run", "--max-steps=1000000", "FILE"],
    "reference": ["run", "--engine=reference", "--max-steps=1000000", "FILE"],
}
# Not among the tests, as they take minutes in all.
SLOW = {
    "run-long": ["run", "FILE"],
    "verify": ["verify", "FILE"],
    "explain": ["explain", "FILE", "-o", "OUT.html"],
}
MEGABYTES = 1024
SECONDS = 100  # of processor time: the backstop
STATUSES = (0, 1, 2, 3)


def run(command):
    """Seconds of processor time, megabytes, exit status (negative: a signal), what stderr says."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=limit)
        _, status, used = os.wait4(process.pid, 0)
        err.seek(0)
        said = err.read(4000).decode(errors="replace")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hloir")
    parser.add_argument("--only", default="")
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    wrong, taken = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in generate.TEXTS.items():
            if options.only and options.only != name:
                continue
            path = os.path.join(folder, name + ".hlo")
            with open(path, "w") as file:
                file.write(make())
            for command in options.commands.split(","):
                words = {**COMMANDS, **SLOW}[command]
                words = [word.replace("FILE", path).replace("OUT", os.path.join(folder, "out")) for word in words]
                seconds, megabytes, status, said = run([options.hloir, *words])
                taken.append((seconds, megabytes, command, name, status))
                if status not in STATUSES or megabytes > MEGABYTES:
                    wrong += 1
                    print(f"{name}, {command}: exit status {status}, {seconds:.1f} s, {megabytes:.0f} MB: {said[:300]}",
                          flush=True)
    if options.times:
        for key, unit in ((0, "s"), (1, "MB")):
            for row in sorted(taken, key=lambda row: -row[key])[:20]:
                print(f"{row[key]:8.1f} {unit}  {row[2]:10} {row[3]} ({row[4]})")
    print(f"{len(taken)} runs, {wrong} wrong")
    return 1 if wrong or not taken else 0


if __name__ == "__main__":
    sys.exit(main())
