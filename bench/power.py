#!/usr/bin/env python3
"""How many wrong modules the verdict notices, on programs that it was tuned on and on programs that it was not.

    bench/power.py [--hloir BIN] [--results DIR] [--seed S] [--seconds N] [--jobs N] tuned|reported|generated

Every fourth module of the corpus, by name, is one that inputs and bounds were tuned on (the first of each four); every
fourth is one that is only reported on (the third of each four). `generated` are programs of `hloir fuzz generate`, reported
on too. Each module is given to `hloir fuzz mutants` by itself; what it says is kept in DIR (default: power_results),
so that a campaign goes on where it was stopped. The table of docs/notes/power.md goes to standard output, then what was missed. A
module that takes longer than N seconds (default: 600) is left out, and named.
"""
import argparse, collections, concurrent.futures, glob, json, os, subprocess, sys


KEYS = ("same", "caught", "not_judged", "missed", "rare", "rare_caught")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["tuned", "reported", "generated"])
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--results", default="power_results")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--seconds", default=600, type=float)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--count", default=200, type=int, help="of generated programs")
    args = parser.parse_args()
    folder = f"{args.results}/{args.set}-{args.seed}"
    os.makedirs(folder, exist_ok=True)
    if args.set == "generated":
        subprocess.run([args.hloir, "fuzz", "generate", "--kind=programs", "--first=70000000", f"--count={args.count}", "--portable",
                        "-o", f"{folder}/modules"], check=True, stdout=subprocess.DEVNULL)
        files = sorted(glob.glob(f"{folder}/modules/*.hlo"))
    else:
        corpus = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus", "modules")
        files = sorted(f for f in glob.glob(f"{corpus}/*.hlo") if not f.endswith(".opt.hlo"))[0 if args.set == "tuned" else 2::4]

    def measure(file):
        kept = f"{folder}/{os.path.basename(file)}.json"
        if os.path.exists(kept): return json.load(open(kept))
        try:
            run = subprocess.run([args.hloir, "fuzz", "mutants", "--json", f"--seed={args.seed}", file], capture_output=True, text=True, timeout=args.seconds)
            seen = json.loads(run.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return None
        json.dump(seen, open(kept, "w"))
        return seen

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool: measured = list(pool.map(measure, files))
    kinds, escapes, left_out = {}, [], [os.path.basename(f) for f, seen in zip(files, measured) if seen is None]
    for seen in filter(None, measured):
        escapes += seen["escapes"]
        for kind in seen["kinds"]:
            total = kinds.setdefault(kind["kind"], {**kind, **dict.fromkeys(KEYS, 0)})
            for key in KEYS: total[key] += kind[key]

    def share(some):
        changed = sum(k["caught"] + k["not_judged"] + k["missed"] for k in some)
        caught = sum(k["caught"] for k in some)
        return changed, caught, f"{100 * caught / changed:.1f} %" if changed else ""
    print("| kind | what is wrong | the same | changed | caught | share |\n|---|---|--:|--:|--:|--:|")
    for k in kinds.values():
        if share([k])[0] + k["same"]: print(f"| {k['kind']} | {k['what']} | {k['same']} | {share([k])[0]} | {share([k])[1]} | {share([k])[2]} |")
    print()
    for below in (False, True):
        changed, caught, part = share([k for k in kinds.values() if k["below_rounding"] == below])
        print(f"{'below rounding' if below else 'results'}: {changed} changed, {caught} caught ({part})")
    rare, rare_caught = (sum(k[key] for k in kinds.values()) for key in ("rare", "rare_caught"))
    print(f"shown by rare values alone: {rare} changed, {rare_caught} caught ({100 * rare_caught / max(rare, 1):.1f} %)")
    print(f"{len(measured) - len(left_out)} modules" + (f"; left out: {', '.join(left_out)}" if left_out else ""))
    for e in escapes: print(f"{e['outcome']}: {e['kind']} in {os.path.basename(e['file'])}: {e['instruction']}")


if __name__ == "__main__":
    sys.exit(main())
