#!/usr/bin/env python3
"""The campaign of `hloir fuzz run` over the machines of a Ray cluster.

    fuzz_ray.py --hloir=build/release/tools/hloir --count=1000000 --output=DIR [--address=auto] [--chunk=500]

Takes any Ray cluster as it is (`ray job submit`, or --address of its head; without one, this machine): workers need
neither hloir nor its sources, as the command itself is sent to them; they must be of the same platform. DIR/done.jsonl
says which ranges of seeds are done, so that a campaign that was stopped goes on; DIR/findings.jsonl has a line for each
finding, those of one kind (the same check, the same words but for numbers and names) once.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import ray


@ray.remote(num_cpus=1, max_retries=2)
def run(command, first, count, flags):
    """The findings of a range of seeds, lines of JSON; and what went wrong with the command itself, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hloir")
        with open(path, "wb") as file:
            file.write(command)
        os.chmod(path, 0o755)
        done = subprocess.run([path, "fuzz", "run", f"--first={first}", f"--count={count}", "--jobs=1", *flags],
                              cwd=folder, capture_output=True, text=True)
    failed = "" if done.returncode in (0, 1) else f"exit status {done.returncode}: {done.stderr[-500:]}"
    return first, count, done.stdout.splitlines(), failed


def kind_of(finding):
    return finding.get("check"), re.sub(r"[\w.%-]*\d[\w.]*", "#", finding.get("what", ""))


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="hloir")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--chunk", type=int, default=500, help="seeds in a task")
    parser.add_argument("--output", default="campaign")
    parser.add_argument("--address", help="of the cluster's head; without it, this machine")
    parser.add_argument("--workers", type=int, help="on this machine, without --address")
    options, flags = parser.parse_known_args()  # what is left is `hloir fuzz run`'s
    os.makedirs(options.output, exist_ok=True)
    done_path, findings_path = (os.path.join(options.output, name) for name in ("done.jsonl", "findings.jsonl"))
    done = {(row["first"], row["count"]) for row in lines_of(done_path)}
    kinds = {kind_of(row) for row in lines_of(findings_path)}
    end = options.first + options.count
    chunks = [(first, min(options.chunk, end - first)) for first in range(options.first, end, options.chunk)]
    waiting = [chunk for chunk in chunks if chunk not in done]
    ray.init(address=options.address, num_cpus=None if options.address else options.workers,
             include_dashboard=False, log_to_driver=False)
    with open(options.hloir, "rb") as file:
        command = ray.put(file.read())
    finished, failures, running = len(chunks) - len(waiting), 0, []
    with open(done_path, "a") as done_file, open(findings_path, "a") as findings_file:
        while waiting or running:
            # A few more than there are processors, so that none is idle, and no queue of millions.
            while waiting and len(running) < 2 * max(1, int(ray.cluster_resources().get("CPU", 1))):
                running.append(run.remote(command, *waiting.pop(0), flags))
            ready, running = ray.wait(running)
            for first, count, lines, failed in ray.get(ready):
                for line in lines:
                    finding = json.loads(line)
                    if kind_of(finding) in kinds:
                        continue
                    kinds.add(kind_of(finding))
                    print(json.dumps(finding), file=findings_file, flush=True)
                if failed:
                    failures += 1
                    print(f"\nseeds {first} to {first + count - 1}: {failed}", file=sys.stderr)
                else:  # written after its findings: a campaign that is stopped between does it again
                    print(json.dumps({"first": first, "count": count}), file=done_file, flush=True)
                finished += 1
            if sys.stderr.isatty() or finished == len(chunks):
                print(f"\r{finished}/{len(chunks)} ranges, {len(kinds)} findings", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return 2 if failures else 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
