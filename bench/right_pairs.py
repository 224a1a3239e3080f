#!/usr/bin/env python3
"""Holds XLA's modules against what XLA:CPU makes of them: pairs that are right, of which `hloir verify` may accuse none
but those that a known fault of XLA explains.

    bench/right_pairs.py [--hloir BIN] [--log FILE] [--generated FIRST:COUNT] [--own FIRST:COUNT] [--seconds S] [FILE…]

Each FILE (a module before optimizations) and each module of `hloir fuzz generate --kind=programs` is compiled by
jaxlib, in a process of its own, and `hloir verify` compares the two. A line of JSON for each pair goes to the log
(default: right_pairs.jsonl): its name, the verdict, the reason and the explanations. Pairs that the log knows are not
run again, so that a campaign goes on where it was stopped; those that XLA refuses, or dies of, are remembered too. At
the end what was seen is counted. An accusation that names a known fault (docs/equivalence.md) is listed with its name.
A proof's file is read by `hloir check-proof`; files that it accepts, has no rule for and refuses are counted. The exit
status is 1 if a pair was accused and no known fault named, or a file refused. Needs jaxlib, but for `--own`: generated
programs against what hloir's own passes make of them when they may round as XLA does.
"""
import argparse, collections, json, os, subprocess, sys, tempfile, time
import xla_process


def optimize(compiler, job):
    """In the worker: writes what XLA makes of a module."""
    before, after = job
    with open(after, "wb") as f: f.write(compiler.compile(before).hlo_modules()[0].as_serialized_hlo_module_proto())


def verify(hloir, before, after, seconds):
    with tempfile.TemporaryDirectory() as folder:
        proof = f"{folder}/proof"
        try:
            run = subprocess.run([hloir, "verify", "--json", f"--proof={proof}", before, after], capture_output=True, text=True,
                                 timeout=seconds)
        except subprocess.TimeoutExpired:
            return {"verdict": "took too long"}
        try: verdict = json.loads(run.stdout)
        except ValueError: return {"verdict": "error", "status": run.returncode, "reason": run.stderr.strip()[-300:]}
        return {**seen_in(verdict), "proof": check_proof(hloir, before, after, proof, seconds)}


def check_proof(hloir, before, after, proof, seconds):
    """What `hloir check-proof` says of the file that `hloir verify --proof` wrote, and why: "holds", "unchecked" (it has no
    rule for a step), "false" (the file is wrong), or "" if none was written."""
    if not os.path.exists(proof): return "", ""
    try:
        run = subprocess.run([hloir, "check-proof", "--json", before, after, proof], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "unchecked", "took too long"
    try: checked = json.loads(run.stdout)
    except ValueError: return "false", run.stderr.strip()[-300:]
    return checked["outcome"], checked["why"]


def report_proofs(proofs):
    """Prints how many files were accepted, and those that are wrong. Returns whether there are any."""
    seen = collections.Counter(outcome for _, (outcome, _) in proofs)
    for name, (outcome, why) in proofs:
        if outcome == "false": print(f"{name}: WRONG proof: {why}")
    files = seen["holds"] + seen["unchecked"] + seen["false"]
    print(f"proof files: {seen['holds']} of {files} checked ({100 * seen['holds'] / max(1, files):.1f} %), "
          f"{seen['unchecked']} refused for lack of a rule, {seen['false']} WRONG")
    return seen["false"] > 0


def seen_in(verdict):
    return {"verdict": verdict.get("verdict", "error"), "reason": verdict.get("reason", verdict.get("error", "")),
            "explanations": verdict.get("explanations", []), "faults": [f["name"] for f in verdict.get("faults", [])]}


def generate(hloir, seed, folder, *flags):
    """The file of a generated program."""
    subprocess.run([hloir, "fuzz", "generate", "--kind=programs", f"--first={seed}", "--count=1", *flags, "-o", folder],
                   check=True, stdout=subprocess.DEVNULL)
    return f"{folder}/programs-{seed}.hlo"


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
    for kind, seeds in ("seed", args.generated), ("own", args.own):
        first, count = map(int, seeds.split(":")) if seeds else (0, 0)
        names += [f"{kind} {seed}" for seed in range(first, first + count)]
    xla, start = xla_process.Process(__file__), time.time()
    with tempfile.TemporaryDirectory() as folder, open(args.log, "a") as log:
        for done, name in enumerate(names):
            if name in known: continue
            kind, _, seed = name.partition(" ")
            refused, source, after = "", name, f"{folder}/after.pb"
            if kind == "own":
                source, after = generate(args.hloir, seed, folder), f"{folder}/after.hlo"
                subprocess.run([args.hloir, "opt", "--math=rounding", source, "-o", after], check=True, stdout=subprocess.DEVNULL)
            else:
                if kind == "seed": source = generate(args.hloir, seed, folder, "--portable")
                refused = xla.ask([os.path.abspath(source), after], args.seconds)
            seen = {"pair": name, **({"verdict": "not compiled", "reason": refused} if refused else verify(args.hloir, source, after, args.seconds))}
            known[name] = seen
            print(json.dumps(seen), file=log, flush=True)
            if sys.stderr.isatty(): print(f"\r{done + 1} of {len(names)}, {time.time() - start:.0f} s", end="", file=sys.stderr)
    counts = collections.Counter(known[n]["verdict"] for n in names)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    rows = collections.Counter(row for n in names for row in known[n].get("explanations", []))
    print("explanations: " + (", ".join(f"{n} {row}" for row, n in rows.most_common()) or "none"))
    accused = [n for n in names if known[n]["verdict"] in ("DISAGREE", "ENGINES DISAGREE", "error")]
    faults = {n: known[n].get("faults", []) for n in accused}
    for n in accused:
        named = f" (known fault: {', '.join(faults[n])})" if faults[n] else ""
        print(f"{n}: {known[n]['verdict']}: {known[n]['reason']}{named}")
    print(f"accused: {len(accused)}, of which {sum(map(bool, faults.values()))} with a known fault")
    wrong = report_proofs([(n, known[n].get("proof", ("", ""))) for n in names])
    return 1 if wrong or not all(faults.values()) else 0


if __name__ == "__main__":
    xla_process.serve(optimize) if sys.argv[1:] == ["--worker"] else sys.exit(main())
