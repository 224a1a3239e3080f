#!/usr/bin/env python3
"""Writes the corpus: HLO modules of small JAX programs, with inputs and XLA:CPU's results.

Needs jax, jaxlib, numpy and ml_dtypes. What it writes is checked in, so only a change to the programs asks for
another run. The same versions write the same bytes again, wherever they run; results may differ in their last
bits from one processor to another.
"""
import argparse
import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import sys
import zipfile

# Eight devices for the partitioned modules; and every narrowing conversion is to happen where it is written,
# rather than be dropped between two widenings. All of this must be set before jax is imported.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_allow_excess_precision=false"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jaxlib
import jaxlib._hlo as hlo
import jaxlib._jax as runtime
import numpy as np
from jax._src import source_info_util
from jax._src.lib import xla_client

import programs

here = pathlib.Path(__file__).resolve().parent
source_info_util.register_exclusion(__file__)  # source locations start in programs/, not in this file
jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{here}{os.sep}"))


def print_options(**changes):
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    for name, value in changes.items():
        setattr(options, name, value)
    return options


def settled_text(text):
    """The form of `text` that XLA prints again, byte for byte, after reading it."""
    # The first printings may differ: a computation shared by two calls is read as two, and stack frames are
    # numbered anew in the order of their use.
    for _ in range(8):
        text, before = hlo.hlo_module_from_text(text).to_string(print_options()), text
        if text == before:
            assert "{...}" not in text, "a constant is elided"
            return text
    raise AssertionError("the printed text is no fixed point of reading and printing")


def texts_of(module):
    """The module's text without and with its metadata."""
    bare = settled_text(module.to_string(print_options(print_metadata=False)))
    assert "metadata=" not in bare and "FileNames" not in bare
    return bare, settled_text(module.to_string(print_options()))


def lower(program, inputs, platform):
    """JAX's lowering of a program, before any of XLA's passes."""
    # keep_unused: the parameters must be the inputs, one for one.
    return jax.jit(program.function, keep_unused=True, **program.options).trace(*inputs).lower(
        lowering_platforms=(platform,))


def compile_text(text):
    """XLA:CPU's executable for the very text that is stored."""
    device = jax.devices("cpu")[0]
    computation = hlo.XlaComputation(hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
    return device.client.compile_and_load(
        runtime.mlir.xla_computation_to_mlir_module(computation), xla_client.DeviceList((device,)),
        xla_client.CompileOptions())


def run(executable, inputs):
    arguments = [jax.device_put(v, jax.devices("cpu")[0]) for v in inputs]
    outputs = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [np.asarray(o[0]) for o in outputs]


def by_partition(arrays):
    """Each partition's share of sharded arrays, stacked along a new first dimension."""
    shares = lambda a: sorted(a.addressable_shards, key=lambda s: s.device.id)
    return [np.stack([np.asarray(s.data) for s in shares(a)]) for a in arrays]


def npz_entries(prefix, arrays):
    """Flat leaves as `prefix0`, `prefix1`, ...; a type NumPy lacks goes as its bytes, its name beside it."""
    entries = {}
    for i, array in enumerate(arrays):
        if array.dtype.type.__module__.startswith("ml_dtypes"):
            entries[f"{prefix}{i}.dtype"] = np.array(array.dtype.name)
            array = array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
        entries[f"{prefix}{i}"] = array
    return entries


def write_npz(path, entries):
    """As np.savez_compressed does, but with no time of day in it, so that equal data give equal files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in entries.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content.getvalue())


def all_finite(array):
    if array.dtype.kind in "biu" or "int" in array.dtype.name:
        return True
    return bool(np.isfinite(array.astype(np.complex128)).all())


def layout_of_entry(text):
    """The entry's parameter and result shapes, without layouts: XLA may choose other ones."""
    line = text.partition("\n")[0]
    shapes = line.partition("entry_computation_layout=")[2]
    return re.sub(r"/\*.*?\*/|(?<=\])\{[^}]*\}", "", re.match(r"\{(?:[^{}]|\{[^{}]*\})*\}", shapes).group())


def opcode_texts(text):
    """Every instruction's opcode as the text spells it."""
    return re.findall(r"^  (?:ROOT )?%\S+ = (?:\(.*?\)|\S+) ([a-z][a-z0-9-]*)\(", text, re.M)


def custom_call_targets(text):
    return sorted(set(re.findall(r'custom_call_target="([^"]*)"', text)))


def structure_of(text):
    """A hash that ignores the names of the module, its computations and instructions."""
    options = hlo.HloPrintOptions.fingerprint()
    options.print_large_constants = True
    body = hlo.hlo_module_from_text(text).to_string(options)
    return hashlib.sha256(re.sub(r"^HloModule [^,]*", "HloModule", body).encode()).hexdigest()


def make(program, out):
    """Writes one program's files; returns its entry in the index and its structure."""
    lowered = native = None
    inputs = program.inputs()
    leaves = [np.asarray(v) for v in jax.tree.leaves(inputs)]
    with jax.enable_x64(program.x64):
        if program.direct or not program.text:
            lowered = lower(program, inputs, program.platform)
        if program.direct or program.metadata or program.partitions > 1:
            native = lower(program, inputs, "cpu").compile()
    if program.text:
        text = settled_text(program.text)
    else:
        text, with_metadata = texts_of(lowered.compiler_ir("hlo").get_hlo_module())
    opcodes = opcode_texts(text)
    module = hlo.hlo_module_from_text(text)
    # What `-start` wraps is a computation of its own that goes unprinted; else nothing may be missed.
    assert "-start(" in text or len(opcodes) == sum(len(c.instructions()) for c in module.computations())

    entry = {"name": program.name, "file": f"modules/{program.name}.hlo", "description": program.description,
             "theme": program.theme, "run": program.runs and program.partitions == 1, "partitions": program.partitions,
             "instructions": len(opcodes), "opcodes": sorted(set(opcodes)), "custom_calls": custom_call_targets(text)}

    def put(relative, content):
        for place in (str(here), sys.prefix, "site-packages"):
            assert place not in content, f"{place} in {relative}"
        (out / relative).parent.mkdir(parents=True, exist_ok=True)
        (out / relative).write_text(content.rstrip("\n") + "\n")
        return relative

    def put_arrays(relative, ins, outs):
        assert program.nonfinite or all(map(all_finite, outs)), "a result is not finite"
        write_npz(out / relative, npz_entries("in", ins) | npz_entries("out", outs))
        return relative

    def put_optimized(module):
        optimized, _ = texts_of(module)
        # (A partitioned module is left with each partition's shapes.)
        if program.partitions == 1:
            assert layout_of_entry(optimized) == layout_of_entry(text), "optimization changed the entry's shapes"
        used = opcode_texts(optimized)
        entry["optimized"] = {"file": put(f"modules/{program.name}.opt.hlo", optimized), "instructions": len(used),
                              "opcodes": sorted(set(used)), "custom_calls": custom_call_targets(optimized)}

    put(entry["file"], text)
    # (HLO's text, read and printed again, loses the sign of a zero in schroedinger_steps' complex constant.)
    if not program.text and program.name != "schroedinger_steps" and len(stablehlo := lowered.as_text()) <= 16384:
        put(f"stablehlo/{program.name}.mlir", stablehlo)
    if program.partitions > 1:
        shardings = jax.tree.leaves(native.input_shardings[0])
        placed = [jax.device_put(v, s) for v, s in zip(leaves, shardings)]
        outputs = jax.tree.leaves(native(*jax.tree.unflatten(jax.tree.structure(inputs), placed)))
        entry["npz"] = put_arrays(f"modules/{program.name}.npz", leaves, [np.asarray(o) for o in outputs])
        put_optimized(native.runtime_executable().hlo_modules()[0])
        entry["optimized"]["npz"] = put_arrays(f"modules/{program.name}.opt.npz", by_partition(placed), by_partition(outputs))
    elif program.runs:
        with jax.enable_x64(True):  # so that no 64-bit input is narrowed on its way to the device
            executable = native.runtime_executable() if program.direct else compile_text(text)
            outputs = run(executable, leaves)
        entry["npz"] = put_arrays(f"modules/{program.name}.npz", leaves, outputs)
        entry["results_of"] = "lowering" if program.direct else "text"
        if program.optimized:
            put_optimized(executable.hlo_modules()[0])
    if program.metadata:
        entry["with_metadata"] = [put(f"with_metadata/{program.name}.hlo", with_metadata)]
        if program.optimized:
            _, optimized = texts_of(native.runtime_executable().hlo_modules()[0])
            entry["with_metadata"].append(put(f"with_metadata/{program.name}.opt.hlo", optimized))
    return entry, structure_of(text)


def progress(items, quiet):
    if quiet:
        return items
    with contextlib.suppress(ImportError):
        import tqdm
        return tqdm.tqdm(items, unit="module")
    return items


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="",
                        help="write only modules whose name matches; the index keeps its other entries")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=here,
                        help="where to write (default: beside this file)")
    parser.add_argument("--list", action="store_true", help="list the programs and write nothing")
    parser.add_argument("--keep-going", action="store_true", help="report a failing program at the end instead of stopping at it")
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    args = parser.parse_args()

    chosen = [p for p in programs.load().values() if re.search(args.only, p.name)]
    if args.list:
        for p in chosen:
            print(f"{p.theme:16} {p.name:34} {p.description}")
        return 0

    (args.out / "modules").mkdir(parents=True, exist_ok=True)
    index_path = args.out / "index.json"
    entries = {}
    if args.only and index_path.exists():
        entries = {e["name"]: e for e in json.loads(index_path.read_text())["modules"]}
    seen, failures = {}, []
    for p in progress(chosen, args.quiet):
        try:
            entry, structure = make(p, args.out)
        except Exception as error:
            if not args.keep_going:
                raise RuntimeError(f"{p.name}: {error}") from error
            failures.append(f"{p.name}: {str(error)[:600]}")
            continue
        twin = seen.setdefault(structure, p.name)
        if twin != p.name:
            failures.append(f"{p.name}: has the same structure as {twin}")
        entries[p.name] = entry

    known = programs.registry
    if not args.only and not failures:
        named = set(json.dumps(entries).split('"'))
        for folder in ("modules", "with_metadata"):  # what is left of programs renamed or gone
            for path in (args.out / folder).iterdir():
                if f"{folder}/{path.name}" not in named:
                    path.unlink()
    index = {"jax": jax.__version__, "jaxlib": jaxlib.__version__,
             "modules": [entries[n] for n in sorted(known) if n in entries]}
    # One module a line keeps the file short to read and its diffs small.
    lines = ",\n".join("  " + json.dumps(e) for e in index.pop("modules"))
    head = json.dumps(index)[:-1]
    index_path.write_text(f'{head}, "modules": [\n{lines}\n]}}\n')
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
