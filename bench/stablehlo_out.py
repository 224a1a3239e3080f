#!/usr/bin/env python3
"""Runs the StableHLO that hloir writes: HLO of JAX's programs, by `hloir convert` to StableHLO, compiled by jaxlib.

    bench/stablehlo_out.py [--hloir BIN] [--only REGEX] [--corpus] [--limit N] [--keep DIR]

Of each program of stablehlo_programs.py (with --corpus: of corpus/programs, too) that needs one device, jaxlib compiles the
HLO and hloir's StableHLO of it, and runs both on the same inputs. Equal results are equal bit for bit. `hloir diff` compares
the StableHLO, read again, with the HLO. Exit status 1 if results differ or jaxlib refuses the text. Needs jax.
"""
import argparse, collections, os, re, subprocess, sys, tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
import compare_stablehlo

import jax
import jaxlib._hlo as hlo
import jaxlib._jax as xj
import numpy as np
from jax._src.lib import xla_client as xc


def leaves(shape):
    return [leaf for s in shape.tuple_shapes() for leaf in leaves(s)] if shape.is_tuple() else [shape]


def inputs(computation):
    rng = np.random.default_rng(1)
    for shape in (s for p in computation.program_shape().parameter_shapes() for s in leaves(p)):
        kind, sizes = np.dtype(shape.numpy_dtype()), shape.dimensions()
        if np.issubdtype(kind, np.integer) or kind == bool:
            yield rng.integers(0, 2 if kind == bool else 5, sizes).astype(kind).reshape(sizes)
        else:
            value = rng.standard_normal(sizes)
            yield np.asarray(value + 1j * value[::-1] if kind.kind == "c" and value.ndim else value).astype(kind).reshape(sizes)


def run(device, program, arguments):
    options = xc.CompileOptions()
    executable = device.client.compile_and_load(program, xc.DeviceList((device,)), options)
    results = executable.execute_sharded([jax.device_put(a, device) for a in arguments])
    return [np.asarray(r[0]) for r in results.disassemble_into_single_device_arrays()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="hloir")
    parser.add_argument("--only")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--limit", type=int, default=1 << 30, help="programs to run")
    parser.add_argument("--keep", help="write the texts here")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    counts, structure = collections.Counter(), collections.Counter()
    device = jax.devices("cpu")[0]

    def judge(name, text):
        path = lambda suffix: os.path.join(folder, f"{name}.{suffix}")
        with open(path("hlo"), "w") as file:
            file.write(text)
        hloir = lambda *a: subprocess.run([args.hloir, *a], capture_output=True, text=True)
        said = hloir("convert", path("hlo"), "-o", path("mlir"))
        if said.returncode:
            return "refused", said.stderr.splitlines()[0]
        difference = hloir("diff", path("hlo"), path("mlir"))
        same = "the same" in (difference.stdout.splitlines() or [""])[-1]
        structure["same" if same else "different"] += 1
        if not same:
            print(f"another structure: {name}", flush=True)
        computation = hlo.XlaComputation(hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
        with jax.enable_x64(True):
            arguments = list(inputs(computation))
            expected = run(device, xj.mlir.xla_computation_to_mlir_module(computation), arguments)
            try:
                with open(path("mlir"), "rb") as file:
                    got = run(device, file.read(), arguments)
            except Exception as error:
                return "jaxlib refuses", str(error).splitlines()[0][:300]
        equal = len(got) == len(expected) and all(g.tobytes() == e.tobytes() for g, e in zip(got, expected))
        return ("equal" if equal else "DIFFERS"), ""

    sources = [compare_stablehlo.lower_all(args.only)] + ([compare_stablehlo.lower_corpus(args.only)] if args.corpus else [])
    for source in sources:
        for name, lowered in source:
            if sum(counts.values()) >= args.limit:
                break
            if isinstance(lowered, str) or re.search(r"num_partitions=|replica_count=", lowered[1].splitlines()[0]):
                continue
            try:
                verdict, why = judge(name, lowered[1])
            except Exception as error:  # XLA's own way does not run
                verdict, why = "not run", str(error).splitlines()[0][:100]
            counts[verdict] += 1
            if verdict != "equal":
                print(f"{verdict:14} {name:36} {why}", flush=True)
    print(f"{sum(counts.values())} programs: " + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    print("read again: " + ", ".join(f"{n} {v}" for v, n in sorted(structure.items())))
    return counts["DIFFERS"] + counts["jaxlib refuses"] > 0


if __name__ == "__main__":
    sys.exit(main())
