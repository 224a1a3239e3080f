#!/usr/bin/env python3
"""Compiles generated programs by XLA:CPU, with all passes and without some, and has `hloir triage` sort what came of it.

    bench/triage_xla.py --work DIR [--hloir BIN] [--first 1] [--count 150] [--elements N] [--rank N] [--no-stages] [--plant]

Each program of `hloir fuzz generate --kind=programs --portable` is compiled twice by jaxlib, in a process of its own: as it
is, and with up to three passes switched off (--xla_disable_hlo_passes). Each compile leaves a folder with XLA's dumps,
after each pass unless --no-stages says otherwise, and the inputs and results of a run as .npz. With --plant a third folder
has the first one's dumps and a result of which one element is changed: what `hloir triage` must call the work of a
kernel. Compiles that the folder has are not made again. What triage says goes to DIR/triage.json and DIR/triage.html; a
summary to standard output: programs by class, those of the planted results that another class has, and the time of a
program. Needs jaxlib and ml_dtypes.
"""
import argparse, collections, json, os, random, shutil, subprocess, sys, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import fuzz_xla, xla_process

PASSES = ["algsimp", "cse", "constant_folding", "fusion", "reshape-mover", "simplify-fp-conversions", "dot_decomposer",
          "batchnorm_expander", "while-loop-invariant-code-motion", "while-loop-constant-sinking", "while-loop-simplifier",
          "tuple-simplifier", "zero_sized_hlo_elimination", "slice-sinker", "gather_expander", "scatter_expander",
          "simplify-conditional", "transpose-folding", "float-normalization-bf16"]


def dump(compiler, job):
    """In the worker: compiles a module with dumps, and runs it."""
    import jax, numpy as np
    folder = job["folder"]
    overrides = [("xla_dump_to", folder), ("xla_dump_hlo_as_text", True), ("xla_dump_large_constants", True)]
    if job["stages"]: overrides.append(("xla_dump_hlo_pass_re", ".*"))
    if job["without"]: overrides.append(("xla_disable_hlo_passes", ",".join(job["without"])))
    executable = compiler.compile(job["module"], overrides)
    arguments = [jax.device_put(v, compiler.device) for v in fuzz_xla.load(job["inputs"], "in")]
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    fuzz_xla.save(f"{folder}/out.npz", [np.asarray(r[0]) for r in results], "out")


def stem_of(folder):
    """The name of the module whose dumps are there: "module_0001.random_7"."""
    names = [n for n in os.listdir(folder) if n.endswith(".before_optimizations.txt")]
    return max(names, key=lambda n: os.path.getsize(os.path.join(folder, n))).removesuffix(".before_optimizations.txt")


def keep(folder, inputs):
    """Inputs and results beside the dumps, under the module's name; nothing but stages else."""
    import numpy as np
    both = {**np.load(inputs), **np.load(f"{folder}/out.npz")}
    os.remove(f"{folder}/out.npz")
    stem = stem_of(folder)
    for name in os.listdir(folder):
        if not name.startswith(stem) or not name.endswith(".txt") or "cpu_after_optimizations-" in name:
            os.remove(f"{folder}/{name}")
    np.savez(f"{folder}/{stem}.npz", **both)


def plant(source, folder, seed):
    """A copy of the dumps with a stored result of which one element is another number; False if there is none to change."""
    import numpy as np
    stem = stem_of(source)
    values = dict(np.load(f"{source}/{stem}.npz"))
    pick = random.Random(seed)
    places = [n for n, v in values.items() if n.startswith("out") and f"{n}.dtype" not in values and v.size and v.dtype.kind in "fiu"
              and np.isfinite(v).all() and np.abs(v.astype(np.float64)).max() < 1e6]
    if not places: return False
    name = pick.choice(places)
    v = values[name] = np.array(values[name])
    at = pick.randrange(v.size)
    if v.dtype.kind == "f": v.flat[at] += max(0.1 * float(np.abs(v).max()), 0.1)
    else: v.flat[at] ^= 1
    shutil.copytree(source, folder)
    np.savez(f"{folder}/{stem}.npz", **values)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--work", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--elements", type=int)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--no-stages", action="store_true")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    flags = parser.parse_args()
    dumps, made = f"{flags.work}/dumps", f"{flags.work}/programs"
    os.makedirs(dumps, exist_ok=True)
    command = [flags.hloir, "fuzz", "generate", "--kind=programs", "--portable", f"--first={flags.first}", f"--count={flags.count}", "-o", made]
    if flags.elements: command.append(f"--elements={flags.elements}")
    if flags.rank: command.append(f"--rank={flags.rank}")
    programs = [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]
    xla, refused, planted, started = xla_process.Process(__file__), collections.Counter(), 0, time.time()
    for program in programs:
        seed = program["seed"]
        pick = random.Random(seed)
        for variant, without in (("all", []), ("without", pick.sample(PASSES, pick.randint(1, 3)))):
            folder = f"{dumps}/{seed}-{variant}"
            if os.path.exists(folder): continue
            os.makedirs(folder)
            wrong = xla.ask({**program, "folder": folder, "without": without, "stages": not flags.no_stages}, 240)
            if wrong:
                refused[wrong[:80]] += 1
                shutil.rmtree(folder)
                continue
            keep(folder, program["inputs"])
            if variant == "all" and flags.plant: planted += plant(folder, f"{dumps}/{seed}-planted", seed)
    compiled = time.time() - started
    started = time.time()
    run = subprocess.run([flags.hloir, "triage", "--json", f"--jobs={flags.jobs}", dumps, "-o", f"{flags.work}/triage.html"],
                         capture_output=True, text=True)
    seconds = time.time() - started
    if run.returncode not in (0, 1, 3, 70): sys.exit(run.stderr)
    open(f"{flags.work}/triage.json", "w").write(run.stdout)
    rows = json.loads(run.stdout)["programs"]
    classes = {kind: collections.Counter() for kind in ("all", "without", "planted")}
    for row in rows: classes[row["program"].split("/")[0].split("-")[1]][row["class"], row["culprit"]] += 1
    for kind, counts in classes.items():
        print(f"{kind}: {sum(counts.values())} programs:", ", ".join(f"{n} {c} ({who})" for (c, who), n in counts.most_common()))
    missed = [row["program"] for row in rows if "-planted/" in row["program"] and row["culprit"] != "kernel"]
    if classes["planted"]: print(f"planted results that are not a kernel's: {len(missed)}: {' '.join(missed[:20])}")
    for wrong, times in refused.most_common(10): print(f"refused {times}: {wrong}")
    print(f"{seconds / max(1, len(rows)):.2f} s a program in {seconds:.0f} s; compiled in {compiled:.0f} s")


if __name__ == "__main__":
    xla_process.serve(dump) if sys.argv[1:] == ["--worker"] else main()
