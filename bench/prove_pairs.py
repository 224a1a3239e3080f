#!/usr/bin/env python3
"""How much `hloir verify --prove` proves of XLA:CPU's compile, of hloir's own pipeline, of partitioned programs, and of
stages of a dump.

    bench/prove_pairs.py [--hloir BIN] [--kind xla|own|sharded|folder|stages] [--keep DIR] [--seconds S] [--steps] FILE…

For `xla` each FILE is compiled by jaxlib (as bench/right_pairs.py does), and before and after are held against each
other; --keep keeps what was compiled, so that the next run needs no jaxlib. For `own` the default pipeline makes the
second module, for `sharded` the passes that partition. For `folder` it is the file of the same name in --keep, such as
the texts of XLA's partitioner that tests/sharded/generate.py keeps. For `stages` the FILEs are a dump's stages in order, each held against the next. Prints a line for each
pair that is not proved, with why or the first open steps, and at the end the share proved and the times. With --steps
each pair that is not proved is also judged by `hloir verify`, and the steps that it proves, tests and leaves open are
counted, those of pairs that differ apart. A pair without steps, of sizes known at run time, counts its instructions.
Each proof is written as a file and read by `hloir check-proof`; those that it accepts and has no rule for are counted, the
latter printed with the first step. The exit status is 1 if it refuses one as wrong.
"""
import argparse, collections, json, os, resource, signal, statistics, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import right_pairs, xla_process


PARTITION = "call-inliner,sharding-propagation,spmd-partitioning,dce,cse,dce"


def verify(hloir, files, seconds, *options):
    """What `hloir verify --json` says within so many seconds of CPU time."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([hloir, "verify", *options, "--json", *files], capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL): found = {"answer": "took too long"}
    else:
        try: found = json.loads(run.stdout)
        except ValueError: found = {"answer": "error", "why": (run.stderr.strip() or f"status {run.returncode}")[-200:]}
        if "answer" not in found: found = {"answer": "error", "why": json.dumps(found)[:200]}  # a module was refused
    found["status"] = run.returncode
    found["seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found


def prove(hloir, files, seconds):
    return verify(hloir, files, seconds, "--prove")


def judge(hloir, files, seconds):
    """The kind of the verdict, and its steps: proved, tested, open."""
    found = verify(hloir, files, seconds)
    if found["answer"] in ("took too long", "error"): return "not judged", [0, 0, instructions(hloir, files[1])]
    steps = [found.get("steps", {}).get(kind, 0) for kind in ("proved", "tested", "open")]
    if steps[:2] == [0, 0]: steps[2] = max(steps[2], instructions(hloir, files[1]))
    return "different" if found.get("answer") in ("different", "less-accurate") else "the rest", steps


def instructions(hloir, file):
    """How many instructions of a module compute."""
    run = subprocess.run([hloir, "stats", "--json", file], capture_output=True, text=True)
    if run.returncode != 0: return 1
    idle = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "fusion", "call"}
    return sum(group["instructions"] for module in json.loads(run.stdout) for group in module["opcodes"] if group["opcode"] not in idle)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--kind", default="xla", choices=["xla", "own", "sharded", "folder", "stages"])
    parser.add_argument("--keep", default="/tmp/prove_pairs")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--steps", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    xla, seen, times, proofs = xla_process.Process(right_pairs.__file__), collections.Counter(), [], []
    steps = {}
    pairs = list(zip(args.files, args.files[1:])) if args.kind == "stages" else [(f,) for f in args.files]
    for pair in pairs:
        if args.kind == "xla":
            after = os.path.join(args.keep, pair[0].replace("/", "_") + ".after.pb")
            refused = after + ".refused"
            if os.path.exists(refused): continue
            if not os.path.exists(after) and (why := xla.ask([os.path.abspath(pair[0]), after], args.seconds)):
                open(refused, "w").write(why)
                continue
            pair = (pair[0], after)
        elif args.kind != "stages":
            after = os.path.join(args.keep, os.path.basename(pair[0]))
            passes = {"own": [], "sharded": [f"--passes={PARTITION}"]}.get(args.kind)
            if passes is not None:
                made = subprocess.run([args.hloir, "opt", *passes, pair[0], "-o", after], stdout=subprocess.DEVNULL)
                if made.returncode != 0: continue  # it has said why
            elif not os.path.exists(after): continue
            pair = (pair[0], after)
        proof = os.path.join(args.keep, "proof")
        if os.path.exists(proof): os.remove(proof)
        found = verify(args.hloir, pair, args.seconds, "--prove", f"--proof={proof}")
        found["proof"] = right_pairs.check_proof(args.hloir, *pair, proof, args.seconds)
        seen[found["answer"]] += 1
        times.append(found["seconds"])
        proofs.append((pair[0], found["proof"]))
        if not args.quiet and found["proof"][0] == "unchecked": print(f"{pair[0]}: {found['proof'][1]}", flush=True)
        if not args.quiet and not found["answer"].startswith("proved"):
            why = found.get("why") or "; ".join(s["after"] for s in found.get("open", [])[:3])
            print(f"{pair[0]}: {found['answer']}: {why} ({found.get('matched')}/{found.get('values')}, {found['seconds']:.1f} s)", flush=True)
        if args.steps and not found["answer"].startswith("proved"):
            kind, counts = judge(args.hloir, pair, 10 * args.seconds)
            steps[kind] = [a + b for a, b in zip(steps.get(kind, [0, 0, 0]), counts)]
            if not args.quiet: print(f"  {kind}: {counts[0]} steps proved, {counts[1]} tested, {counts[2]} open", flush=True)
    proved = sum(n for answer, n in seen.items() if answer.startswith("proved"))
    print(f"{proved} of {len(times)} proved ({100 * proved / max(1, len(times)):.1f} %): {dict(seen)}; "
          f"median {statistics.median(times or [0]):.2f} s, most {max(times or [0]):.1f} s")
    for kind, (sure, tested, left) in steps.items():
        print(f"steps of {kind}: {sure} proved, {tested} tested, {left} open: "
              f"{100 * (tested + left) / max(1, sure + tested + left):.1f} % not proved")
    return right_pairs.report_proofs(proofs)


if __name__ == "__main__":
    sys.exit(main())
