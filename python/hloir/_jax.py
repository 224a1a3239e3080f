"""Modules from JAX. JAX is imported when it is asked for, and by nobody else."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from hloir._hloir import Module, parse_proto


def from_jax(what: Callable[..., Any] | Any, *arguments: Any, **keywords: Any) -> Module:
    """The module of a function of JAX's, traced with these arguments, or of a jax.stages.Lowered or Compiled.

    A function and a Lowered give the module as XLA gets it, a Compiled that which XLA made of it.
    """
    if hasattr(what, "compiler_ir"):  # Lowered
        return parse_proto(what.compiler_ir("hlo").as_serialized_hlo_module_proto())
    if hasattr(what, "runtime_executable"):  # Compiled
        return parse_proto(what.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto())
    jax = importlib.import_module("jax")
    jitted = what if hasattr(what, "lower") else jax.jit(what)
    return from_jax(jitted.lower(*arguments, **keywords))
