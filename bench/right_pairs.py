#!/usr/bin/env python3
"""Holds XLA's modules against what XLA:CPU makes of them: pairs that are right, of which `hloir verify` may accuse none.

    bench/right_pairs.py [--hloir BIN] [--log FILE] [--generated FIRST:COUNT] [--own FIRST:COUNT] [--seconds S] [FILE…]

Each FILE (a module before optimizations) and each module of `hloir fuzz generate --kind=programs` is compiled by jaxlib, in
a process of its own, and `hloir verify` compares the two. A line of JSON for each pair goes to the log (default:
right_pairs.jsonl): its name, the verdict, the reason and the explanations. Pairs that the log knows are not run again, so that a campaign
goes on where it was stopped; those that XLA refuses, or dies of, are remembered too. At the end what was seen is
counted. The exit status is 1 if a pair was accused. Needs jaxlib, but for `--own`: generated programs against what hloir's
own passes make of them when they may round as XLA does, 500 at a time.
"""
import argparse, collections, json, os, subprocess, sys, tempfile, time
import xla_process


def optimize(compiler, job):
    """In the worker: writes what XLA makes of a module."""
    before, after = job
    with open(after, "wb") as f: f.write(compiler.compile(before).hlo_modules()[0].as_serialized_hlo_module_proto())


def verify(hloir, before, after, seconds):
    try:
        run = subprocess.run([hloir, "verify", "--json", before, after], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"verdict": "took too long"}
    try: verdict = json.loads(run.stdout)
    except ValueError: return {"verdict": "error", "status": run.returncode, "reason": run.stderr.strip()[-300:]}
    return seen_in(verdict)


def seen_in(verdict):
    return {"verdict": verdict.get("verdict", "error"), "reason": verdict.get("reason", verdict.get("error", "")),
            "explanations": verdict.get("explanations", [])}


def own(hloir, seeds, seconds):
    """What `hloir verify` says of these generated programs and of what hloir's own passes make of them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([hloir, "fuzz", "generate", "--kind=programs", f"--first={seeds[0]}", f"--count={len(seeds)}", "-o", folder],
                       check=True, stdout=subprocess.DEVNULL)
        files = [f"{folder}/programs-{seed}.hlo" for seed in seeds]
        run = subprocess.run([hloir, "verify", "--json", "--math=rounding", "--threads=1", *files], capture_output=True, text=True,
                             timeout=seconds * len(seeds))
        return [{"pair": f"own {seed}", **seen_in(v)} for seed, v in zip(seeds, json.loads(run.stdout), strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--log", default="right_pairs.jsonl")
    parser.add_argument("--generated", default="", help="FIRST:COUNT, seeds")
    parser.add_argument("--own", default="", help="FIRST:COUNT, seeds against hloir's own passes")
    parser.add_argument("--seconds", type=float, default=120, help="for each step of a pair")
    args = parser.parse_args()

    known = {}
    if os.path.exists(args.log):
        for line in open(args.log):
            if line.endswith("\n"): known[json.loads(line)["pair"]] = json.loads(line)
    names = list(args.files)
    if args.generated:
        first, count = map(int, args.generated.split(":"))
        names += [f"seed {s}" for s in range(first, first + count)]
    xla, start = xla_process.Process(__file__), time.time()
    with tempfile.TemporaryDirectory() as folder, open(args.log, "a") as log:
        after = f"{folder}/after.pb"
        for done, name in enumerate(names):
            if name in known: continue
            source = name
            if name.startswith("seed "):
                source = f"{folder}/programs-{name[5:]}.hlo"
                subprocess.run([args.hloir, "fuzz", "generate", "--kind=programs", f"--first={name[5:]}", "--count=1",
                                "--portable", "-o", folder], check=True, stdout=subprocess.DEVNULL)
            refused = xla.ask([os.path.abspath(source), after], args.seconds)
            seen = {"pair": name, **({"verdict": "not compiled", "reason": refused} if refused else verify(args.hloir, source, after, args.seconds))}
            known[name] = seen
            print(json.dumps(seen), file=log, flush=True)
            if sys.stderr.isatty(): print(f"\r{done + 1} of {len(names)}, {time.time() - start:.0f} s", end="", file=sys.stderr)
        if args.own:
            first, count = map(int, args.own.split(":"))
            names += [f"own {s}" for s in range(first, first + count)]
            for chunk in range(first, first + count, 500):
                seeds = range(chunk, min(chunk + 500, first + count))
                if all(f"own {s}" in known for s in seeds): continue
                for seen in own(args.hloir, seeds, args.seconds):
                    known[seen["pair"]] = seen
                    print(json.dumps(seen), file=log, flush=True)
                if sys.stderr.isatty(): print(f"\r{seeds[-1] - first + 1} of {count}, {time.time() - start:.0f} s", end="", file=sys.stderr)
    counts = collections.Counter(known[n]["verdict"] for n in names)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    rows = collections.Counter(row for n in names for row in known[n].get("explanations", []))
    print("explanations: " + (", ".join(f"{n} {row}" for row, n in rows.most_common()) or "none"))
    accused = [n for n in names if known[n]["verdict"] in ("DISAGREE", "ENGINES DISAGREE", "error")]
    for n in accused: print(f"{n}: {known[n]['verdict']}: {known[n]['reason']}")
    return 1 if accused else 0


if __name__ == "__main__":
    xla_process.serve(optimize) if sys.argv[1:] == ["--worker"] else sys.exit(main())
