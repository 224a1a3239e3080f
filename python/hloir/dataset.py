"""A data set of modules, as Parquet: python -m hloir.dataset -o OUT.parquet FOLDER...

A folder may hold module files of any form, such as hloir's corpus, or be what `hloir dumps --harvest` wrote. docs/gym.md
has the columns.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import pathlib
import re
import statistics
import sys
from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np

import hloir
from hloir._hloir import Decisions, Module, _feature_names, _measure, _opcode_names

__all__ = ["File", "files_in", "row_of", "split_of", "write"]

_ENDINGS = (".hlo", ".mlir", ".txt", ".pb")


class File(NamedTuple):
    """A module's file, and the program that it is a form of."""

    path: pathlib.Path
    program: str


def files_in(folder: str | os.PathLike[str]) -> Iterator[File]:
    """By name. The program is the module that a harvest's index.json names, without XLA's numbers, so that a function that
    was compiled twice is one program; else the file's name up to its first dot."""
    root = pathlib.Path(folder)
    programs: dict[str, str] = {}
    index = root / "index.json"
    if index.is_file():
        for row in json.loads(index.read_text(encoding="utf-8")).get("modules", []):
            if row.get("sources"):
                module = row["sources"][0]["module"]
                programs[row["file"]] = re.sub(r"^module_\d+\.|\.\d+$", "", module)
    for path in [root] if root.is_file() else sorted(root.rglob("*")):
        if path.name.removesuffix(".gz").endswith(_ENDINGS) and path.is_file():
            name = str(path.relative_to(root)) if path != root else path.name
            yield File(path, programs.get(name, path.name.split(".")[0]))


def split_of(program: str) -> str:
    """"train" (8 of 10), "valid" or "test", by the program's name alone: all its forms are on one side, in every data set."""
    number = int.from_bytes(hashlib.sha256(program.encode()).digest()[:8], "big") % 10
    return "train" if number < 8 else "valid" if number == 8 else "test"


def _seconds(module: Module, budget: float) -> float | None:
    """The median run on one thread; None if it does not run, or takes too long by far."""
    if budget <= 0:
        return None
    try:
        first = _measure(module, 1, 1, 0, 1 + 20 * budget)[0]
        runs = int(min(25, budget / max(first, 1e-6)))
        return statistics.median(_measure(module, runs, 1, 0, 1 + 20 * budget)) if runs > 1 else first
    except hloir.Error:
        return None


def _arrays(state: Decisions) -> dict[str, Any]:
    nodes, edge_count, _ = state._counts()
    features = np.zeros((nodes, len(_feature_names())), np.float32)
    opcodes, types, offsets = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32), np.zeros(nodes + 1, np.int32)
    edges, kinds = np.zeros((2, edge_count), np.int32), np.zeros((edge_count, 2), np.int32)
    state._observe(features, opcodes, types, offsets, edges, kinds, np.zeros((0, 4), np.int32), np.zeros(3, np.int32),
                   np.zeros(1, np.int8))
    return {"features": features.reshape(-1), "opcodes": opcodes, "types": types, "offsets": offsets,
            "sources": edges[0], "targets": edges[1], "edge_kinds": kinds[:, 0], "edge_slots": kinds[:, 1]}


def row_of(file: File, module: Module, seconds: float = 0.1) -> dict[str, Any]:
    """The data set's row of a module, without dead code. seconds: the approximate time of each measurement; 0: none."""
    state = Decisions(module)
    module = state.module()
    optimized = module.clone()
    hloir.optimize(optimized)
    row: dict[str, Any] = {
        "program": file.program, "file": file.path.name, "split": split_of(file.program),
        "structure": f"{module.hash:016x}", "text": str(module), "optimized_text": str(optimized),
        "devices": module.replica_count * module.num_partitions, "opportunities": len(state),
    }
    for prefix, each in (("", module), ("optimized_", optimized)):
        cost = each.cost()
        row[prefix + "instructions"] = each.instruction_count
        for name in ("flops", "transcendentals", "bytes", "unknown_loops", "custom_calls"):
            row[prefix + name] = cost[name]
        row[prefix + "seconds"] = _seconds(each, seconds) if row["devices"] == 1 else None
    return row | _arrays(state)


def _schema() -> Any:
    pa: Any = importlib.import_module("pyarrow")
    whole, number, text = pa.int64(), pa.float64(), pa.string()
    columns: list[tuple[str, Any]] = [(name, text) for name in (
        "program", "file", "split", "structure", "text", "optimized_text")]
    columns += [("devices", whole), ("opportunities", whole)]
    for prefix in ("", "optimized_"):
        columns += [(prefix + "instructions", whole), (prefix + "flops", number), (prefix + "transcendentals", number),
                    (prefix + "bytes", number), (prefix + "unknown_loops", whole), (prefix + "custom_calls", whole),
                    (prefix + "seconds", number)]
    columns += [("features", pa.list_(pa.float32()))]
    columns += [(name, pa.list_(pa.int32())) for name in (
        "opcodes", "types", "offsets", "sources", "targets", "edge_kinds", "edge_slots")]
    notes = {"hloir": hloir.__version__, "features": json.dumps(_feature_names()), "opcodes": json.dumps(_opcode_names())}
    return pa.schema(columns, metadata=notes)


def write(out: str | os.PathLike[str], files: Iterable[File], *, seconds: float = 0.1) -> dict[str, int]:
    """Writes one row per structure; reports the numbers of rows, duplicates and unreadable files."""
    pa: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    counts = {"modules": 0, "duplicates": 0, "unreadable": 0}
    known: set[int] = set()
    schema = _schema()
    files = list(files)
    rows: list[dict[str, Any]] = []
    terminal = sys.stderr.isatty()
    part = os.fspath(out) + ".part"  # until it is whole
    with parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        for place, file in enumerate(files):
            if terminal:
                print(f"\r{place + 1} of {len(files)} {file.path.name[:50]:50}", end="", file=sys.stderr, flush=True)
            try:
                module = hloir.read(os.fspath(file.path))
                if module.hash in known:
                    counts["duplicates"] += 1
                    continue
                known.add(module.hash)
                row = row_of(file, module, seconds)
            except hloir.Error as error:
                counts["unreadable"] += 1
                print(f"{chr(13) if terminal else ''}{file.path}: {error.message.splitlines()[0]}", file=sys.stderr)
                continue
            rows.append(row)
            counts["modules"] += 1
            if len(rows) == 64:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                rows.clear()
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    os.replace(part, out)
    if terminal:
        print(file=sys.stderr)
    return counts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m hloir.dataset", description="Write modules as a data set, in Parquet.")
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="of modules, or as `hloir dumps --harvest` writes it")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.parquet")
    parser.add_argument("--seconds", type=float, default=0.1, help="to measure each time in; 0: no times (default: 0.1)")
    options = parser.parse_args(arguments)
    files = [file for folder in options.folders for file in files_in(folder)]
    if not files:
        print("there are no modules", file=sys.stderr)
        return 2
    counts = write(options.output, files, seconds=options.seconds)
    print(f"{options.output}: {counts['modules']} modules; {counts['duplicates']} were there twice, "
          f"{counts['unreadable']} could not be read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
