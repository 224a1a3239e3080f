"""hloir.blame: finds the cause of a wrong result. JAX is imported only when a function is given."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from hloir._arrays import _as_array
from hloir._error import Error
from hloir._hloir import Module


@dataclasses.dataclass(frozen=True)
class Blame:
    """What blame() found. str() has all of it.

    culprit: 'none', 'program', 'pass', 'kernel', 'machine', 'rounding' or 'unknown'; kind: 'fault', 'less-accurate', 'doubt',
    'undefined', 'rounding' or 'fine'; summary: why, in a line; stage: the pass, if it is one; instruction: the first that
    differs, or that gives NaN; fields: all that `hloir blame --json` says.
    """

    culprit: str
    kind: str
    summary: str
    stage: str
    instruction: str
    fields: dict[str, Any]

    def __str__(self) -> str:
        lines = [self.summary, *self.fields["details"]]
        lines += [f"known fault: {fault['name']}: {fault['what']}" for fault in self.fields["faults"]]
        lines += [f"assumed: {assumed}" for assumed in self.fields["assumptions"]]
        lines += [f"note: {note}" for note in self.fields["notes"]]
        return "\n".join([*lines, f"culprit: {self.culprit}"])


def _leaves(values: Sequence[Any], prefix: str) -> dict[str, Any]:
    """The leaves under the names that an .npz of hloir's has; types that numpy lacks as bytes, with their names."""
    named: dict[str, Any] = {}
    for k, value in enumerate(values):
        array = _as_array(value)
        if array.dtype.type.__module__.startswith("ml_dtypes"):
            named[f"{prefix}{k}.dtype"] = np.array(array.dtype.name)
            array = array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
        named[f"{prefix}{k}"] = array
    return named


def _compiled(function: Callable[..., Any], arguments: Sequence[Any], results: Any, folder: pathlib.Path) -> tuple[str, str]:
    """Compiles the function with a dump after each pass and runs it, unless there are results: the module's name, and the file
    with inputs and results."""
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        raise ImportError("hloir.blame compiles functions by JAX, which is not installed; of a folder of dumps, two modules or a "
                          "snapshot it takes the path, as `hloir blame` does") from None
    options = {"xla_dump_to": str(folder), "xla_dump_hlo_pass_re": ".*", "xla_dump_hlo_as_text": True, "xla_dump_large_constants": True}
    # An argument that the function does not use stays a parameter.
    compiled = jax.jit(function, keep_unused=True).lower(*arguments).compile(compiler_options=options)
    if results is None:
        results = compiled(*arguments)
    values = {**_leaves(jax.tree.leaves(arguments), "in"), **_leaves(jax.tree.leaves(results), "out")}
    stored = folder / "results.npz"
    np.savez(stored, **values)
    ending = ".before_optimizations.txt"
    dumped = sorted(folder.glob(f"*{ending}"), key=lambda path: path.stat().st_size)
    if not dumped:
        raise RuntimeError("JAX's compiler wrote no dumps")
    return dumped[-1].name.removesuffix(ending), str(stored)


@contextlib.contextmanager
def _folder(keep: str | os.PathLike[str] | None) -> Iterator[pathlib.Path]:
    if keep is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield pathlib.Path(temporary)
        return
    os.makedirs(keep, exist_ok=True)
    yield pathlib.Path(keep)


def blame(
    function: Callable[..., Any] | str | os.PathLike[str],
    *arguments: Any,
    results: Any = None,
    keep: str | os.PathLike[str] | None = None,
    seed: int = 0,
    timeout: float = 110,
) -> Blame:
    """Finds the cause of a JAX function's wrong result: the program itself (it computes NaN, or HLO does not specify its
    result), a pass of XLA, the compiled kernels, the machine's arithmetic, or rounding.

    Compiles the function with a dump after each pass, runs it, and calls `hloir blame` on the dumps and the results. Instead of
    a function, it takes the path of a folder of dumps or of a snapshot.
    results: the results to explain instead of a run, as a tree of the function's form; for a path, an .npz or snapshot.
    keep: a folder for the dumps, inputs and results (default: a temporary one). timeout: seconds of processor time.

    hloir.Error: there is nothing that can be judged. ImportError: JAX is not installed.
    """
    if isinstance(function, Module):
        raise TypeError("hloir.blame takes a function of JAX's or the path of a dump; hloir.verify compares two modules")
    command = [sys.executable, "-m", "hloir", "blame", "--json", f"--seed={seed}", f"--timeout={timeout}"]
    with _folder(keep) as folder:
        if isinstance(function, (str, os.PathLike)):
            if arguments:
                raise TypeError("arguments belong to a function; the results of a dump are a file, results='X.npz'")
            os.stat(function)  # FileNotFoundError, with its name
            command += [os.fspath(function), *([f"--results={os.fspath(results)}"] if results is not None else [])]
        elif callable(function):
            module, stored = _compiled(function, arguments, results, folder)
            command += [str(folder), f"--module={module}", f"--results={stored}"]
        else:
            raise TypeError(f"hloir.blame takes a function of JAX's or the path of a dump, not a {type(function).__name__}")
        run = subprocess.run(command, capture_output=True, text=True)
    try:
        programs = json.loads(run.stdout)["programs"]
    except (ValueError, KeyError):
        code = {2: "invalid argument", 3: "resource exhausted"}.get(run.returncode, "internal")
        raise Error(run.stderr.strip() or f"hloir blame ended with status {run.returncode}", code) from None
    order = ["fault", "less-accurate", "doubt", "undefined", "rounding", "fine"]
    gravest = min(programs, key=lambda program: order.index(program["class"]))
    return Blame(gravest["culprit"], gravest["class"], gravest["summary"], gravest["pass"], gravest["instruction"], gravest)
