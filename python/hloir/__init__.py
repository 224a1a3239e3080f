"""HLO, the IR of XLA, without XLA: read, look at, change, run and check modules.

>>> import hloir, numpy as np
>>> module = hloir.parse('''
... HloModule example
... ENTRY main {
...   x = f32[3] parameter(0)
...   zero = f32[] constant(0)
...   zeros = f32[3] broadcast(zero), dimensions={}
...   y = f32[3] add(x, zeros)
...   ROOT r = f32[3] multiply(y, y)
... }''')
>>> [i.opcode for i in module.entry]
['parameter', 'constant', 'broadcast', 'add', 'multiply']
>>> hloir.run(module, np.array([1, 2, 3], np.float32))
array([1., 4., 9.], dtype=float32)
>>> [rewrite.id for rewrite in hloir.proposals(module, 'algebraic-simplifier', math='rounding')]
['algebraic-simplifier/add-zero@main/y']
>>> before = module.clone()
>>> _ = hloir.optimize(module, math='rounding')
>>> bool(hloir.check(before, module))
True
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from hloir._arrays import Executable, dtype_of
from hloir._error import Error
from hloir._hloir import (
    Computation,
    Instruction,
    Module,
    PassRun,
    Rewrite,
    Shape,
    Verdict,
    _add_pass,
    _Executable,
    _optimize,
    _pass_names,
    _proposals,
    _take,
    check,
    isas,
    parse,
    parse_proto,
    read,
    version,
)
from hloir._jax import from_jax
from hloir.hloenv import (
    AltPipeline,
    EvaluationResult,
    GpuBackend,
    HloEnv,
    HloGraph,
    HloModule,
    HloPass,
    HloRewriteGraph,
    Pass,
    Pipeline,
    RewritePipeline,
    RewriteStatus,
)

__version__: str = version

__all__ = [
    "AltPipeline", "EvaluationResult", "GpuBackend", "HloEnv", "HloGraph", "HloModule", "HloPass", "HloRewriteGraph",
    "Pass", "Pipeline", "RewritePipeline", "RewriteStatus",
    "Computation", "Error", "Executable", "Instruction", "Module", "PassRun", "Rewrite", "Shape", "Verdict",
    "__version__", "check", "constant_value", "dtype_of", "from_jax", "isas", "optimize", "parse", "parse_proto",
    "pass_names", "prepare", "proposals", "read", "register_pass", "run", "take",
]


def prepare(module: Module, *, threads: int = 0, isa: str = "") -> Executable:
    """Prepares a module to be run often. threads: 0 takes what the machine has; isa: one of isas(), '' the best."""
    return Executable(_Executable(module, threads, isa))


def run(module: Module, *arguments: Any) -> Any:
    """Prepares a module and runs it once."""
    return prepare(module)(*arguments)


def optimize(module: Module, passes: str = "", *, math: str = "exact", disable: Sequence[str] = ()) -> list[PassRun]:
    """Rewrites the module; returns what each pass did.

    passes: 'dce,[cse,dce],fusion{multi-output=false}', or '' for the default pipeline; math: how far results may change,
    'exact' (no bit), 'rounding' (as XLA does) or 'fast'; disable: rules that are switched off, by name.
    """
    return _optimize(module, passes, math, list(disable))


def proposals(module: Module, passes: str = "", *, math: str = "exact", disable: Sequence[str] = ()) -> list[Rewrite]:
    """What these passes could rewrite in the module as it is, each with what it would give; nothing is changed."""
    return _proposals(module, passes, math, list(disable))


def take(module: Module, rewrites: Sequence[Rewrite | str], passes: str = "", *, math: str = "exact") -> list[Rewrite]:
    """Makes these rewrites, by proposals() or their ids, and no others; returns those made. One can exclude another."""
    ids = [rewrite if isinstance(rewrite, str) else rewrite.id for rewrite in rewrites]
    return _take(module, ids, passes, math)


def register_pass(name: str, function: Callable[[Module], bool], description: str = "") -> None:
    """Makes a Python function a pass of that name, for every pipeline. It gets the module, which it may keep no longer
    than the call, and returns whether it changed anything."""
    _add_pass(name, function, description or (function.__doc__ or name).strip().splitlines()[0])


def pass_names() -> list[str]:
    """The passes there are, those of register_pass among them."""
    return _pass_names()


def constant_value(instruction: Instruction) -> np.ndarray[Any, Any]:
    """The value of an array constant."""
    dtype = dtype_of(instruction.shape)
    return np.frombuffer(instruction._constant_bytes(), np.uint8).view(dtype).reshape(instruction.shape.dimensions)
