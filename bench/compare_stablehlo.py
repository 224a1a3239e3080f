#!/usr/bin/env python3
"""Compares what hloir reads from JAX's StableHLO with the HLO that XLA's own converter makes of it.

    bench/compare_stablehlo.py [--hloir BIN] [--only REGEX] [--corpus] [--keep DIR] [--jobs N]

Each program of stablehlo_programs.py (with --corpus: of corpus/programs, too) is lowered once and printed in four forms:
pretty, with locations, generic, and generic with locations. Told of each are whether `hloir diff` finds the structure that
XLA's converter makes, and if it does not, what `hloir verify` says of the values. Exit status 1 if something differs in its
values or is refused. Needs jax.
"""
import argparse, collections, concurrent.futures, os, re, subprocess, sys, tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "corpus")]

FORMS = {"pretty": {}, "located": dict(enable_debug_info=True), "generic": dict(print_generic_op_form=True),
         "generic_located": dict(print_generic_op_form=True, enable_debug_info=True)}


def texts(lowered):
    """The four forms, and XLA's HLO."""
    module = lowered.compiler_ir("stablehlo")
    forms = {name: module.operation.get_asm(large_elements_limit=None, **options) for name, options in FORMS.items()}
    import jaxlib._hlo as hlo
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    return forms, lowered.compiler_ir("hlo").get_hlo_module().to_string(options)


def lower_all(only):
    import jax
    import stablehlo_programs
    for name, (function, arguments, options) in stablehlo_programs.PROGRAMS.items():
        if only and not re.search(only, name):
            continue
        options = dict(options)
        shardy, shardings = options.pop("shardy", True), options.pop("shardings", dict)
        wide = any(str(getattr(a, "dtype", "")) in ("float64", "int64", "uint64", "complex128") for a in jax.tree.leaves(arguments))
        try:
            jax.config.update("jax_use_shardy_partitioner", shardy)
            with jax.enable_x64(wide):
                yield name, texts(jax.jit(function, keep_unused=True, **options, **shardings()).lower(*arguments))
        except Exception as error:  # JAX itself cannot: told, not counted
            yield name, f"{type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"


def lower_corpus(only):
    import jax
    import programs
    for p in programs.load().values():
        if p.text or only and not re.search(only, "corpus_" + p.name):
            continue
        with jax.enable_x64(p.x64):
            traced = jax.jit(p.function, keep_unused=True, **p.options).trace(*p.inputs())
            yield "corpus_" + p.name, texts(traced.lower(lowering_platforms=(p.platform,)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="hloir")
    parser.add_argument("--only")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--keep", help="write the texts here")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)

    def judge(name, lowered):
        forms, hlo = lowered
        path = lambda suffix: os.path.join(folder, f"{name}.{suffix}")
        for form, text in [*forms.items()]:
            with open(path(form + ".mlir"), "w") as file:
                file.write(text)
        with open(path("hlo"), "w") as file:
            file.write(hlo)
        run = lambda *a: subprocess.run([args.hloir, *a], capture_output=True, text=True)
        worst = ("equal", "")
        for form in forms:
            said = run("diff", path(form + ".mlir"), path("hlo"))
            if "the same but for" in said.stdout or "the same" in said.stdout.splitlines()[-1:]:
                continue
            if said.returncode > 1:
                return name, "refused", f"{form}: {said.stderr.splitlines()[0] if said.stderr else said.returncode}"
            values = run("verify", path(form + ".mlir"), path("hlo"))
            agrees = "verdict: agree" in values.stdout
            worst = ("values" if agrees else "DIFFERS", f"{form}: " + (values.stdout.splitlines() or values.stderr.splitlines() or ["?"])[-1])
            break
        return name, *worst

    counts, impossible = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = []
        sources = [lower_all(args.only)] + ([lower_corpus(args.only)] if args.corpus else [])
        for source in sources:
            for name, lowered in source:
                if isinstance(lowered, str):
                    impossible.append((name, lowered))
                else:
                    running.append(pool.submit(judge, name, lowered))
        for done in running:
            name, verdict, why = done.result()
            counts[verdict] += 1
            if verdict != "equal":
                print(f"{verdict:8} {name:36} {why}", flush=True)
    for name, why in impossible:
        print(f"JAX cannot lower {name}: {why}")
    total = sum(counts.values())
    print(f"{total} programs in {len(FORMS)} forms each: " + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    return counts["refused"] + counts["DIFFERS"] > 0


if __name__ == "__main__":
    sys.exit(main())
