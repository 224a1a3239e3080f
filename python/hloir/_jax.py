"""Modules from JAX, which is imported on demand."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from hloir._hloir import Module, _parse_proto, _parse_text


def from_jax(what: Callable[..., Any] | Any, *arguments: Any, **keywords: Any) -> Module:
    """The module of a function of JAX's, traced with these arguments, or of a jax.stages.Traced, Lowered or Compiled, or of
    a jax.export.Exported.

    A function, Traced, Lowered and Exported give the module as XLA gets it, a Compiled that which XLA made of it.
    """
    if hasattr(what, "compiler_ir"):  # Lowered
        return _parse_proto(what.compiler_ir("hlo").as_serialized_hlo_module_proto())
    if hasattr(what, "runtime_executable"):  # Compiled
        return _parse_proto(what.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto())
    if hasattr(what, "mlir_module"):  # Exported
        return _parse_text(what.mlir_module(), "<exported>")
    if hasattr(what, "jaxpr") and hasattr(what, "lower"):  # Traced
        return from_jax(what.lower())
    jax = importlib.import_module("jax")
    jitted = what if hasattr(what, "lower") else jax.jit(what)
    return from_jax(jitted.lower(*arguments, **keywords))
