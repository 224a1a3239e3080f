"""Modules from JAX, which is imported on demand."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Mapping

from hloir._error import Error
from hloir._hloir import Module, _parse_proto, _parse_text


def _symbols(exported: Any) -> list[str]:
    """The names in its symbolic dimensions."""
    return sorted({name for each in exported.in_avals for d in each.shape if not isinstance(d, int) for name in d._get_vars()})


def _checked_sizes(exported: Any, sizes: Any) -> dict[str, int]:
    names = _symbols(exported)
    if not isinstance(sizes, Mapping) or sorted(sizes) != names:
        raise ValueError("sizes has a number for each symbolic dimension: {" + ", ".join(f"'{name}': …" for name in names) + f"}}, not {sizes!r}")
    return dict(sizes)


def _argument_sizes(exported: Any, arguments: tuple[Any, ...], sizes: Mapping[str, int] | None) -> list[list[int]]:
    """The sizes of each argument of an Exported's main function."""
    shapes = [list(each.shape) for each in exported.in_avals]
    if arguments:
        leaves = importlib.import_module("jax").tree.leaves(arguments)
        if len(leaves) != len(shapes):
            raise ValueError(f"the exported function has {len(shapes)} arguments, not {len(leaves)}")
        given = [list(getattr(leaf, "shape", ())) for leaf in leaves]
        for k, (shape, sizes_given) in enumerate(zip(shapes, given)):
            if len(shape) != len(sizes_given) or any(isinstance(d, int) and d != n for d, n in zip(shape, sizes_given)):
                raise ValueError(f"argument {k} has the sizes {sizes_given}, where the export has [{', '.join(map(str, shape))}]")
        shapes = given
    elif sizes is not None:
        numbers = _checked_sizes(exported, sizes)
        shapes = [[d if isinstance(d, int) else int(d._evaluate(numbers)) for d in shape] for shape in shapes]
    # An export for several platforms is told first which one it runs on.
    platform: list[list[int]] = [[]] if len(exported.platforms) > 1 else []
    return platform + [shapes[k] for k in exported.module_kept_var_idx]


def _from_exported(exported: Any, arguments: tuple[Any, ...], sizes: Mapping[str, int] | None) -> Module:
    names = _symbols(exported)
    given = _argument_sizes(exported, arguments, sizes) if arguments or sizes is not None else []
    try:
        return _parse_text(exported.mlir_module(), "<exported>", given if names else [])
    except Error as error:
        if names and not given:
            error.add_note("its dimensions are symbolic: give hloir.from_jax arguments too, or sizes={"
                           + ", ".join(f"'{name}': …" for name in names) + "}")
        raise


def from_jax(what: Callable[..., Any] | Any, *arguments: Any, sizes: Mapping[str, int] | None = None, **keywords: Any) -> Module:
    """The module of a function of JAX's, traced with these arguments, or of a jax.stages.Traced, Lowered or Compiled, or of
    a jax.export.Exported or its serialized bytes.

    A function, Traced, Lowered and Exported give the module as XLA gets it, a Compiled that which XLA made of it.

    An export's symbolic dimensions have the sizes of the arguments, arrays or jax.ShapeDtypeStruct, or those of `sizes`, as
    in sizes={'batch': 8}.
    """
    __tracebackhide__ = True  # pytest shows the caller
    if isinstance(what, (bytes, bytearray)):
        what = importlib.import_module("jax.export").deserialize(bytearray(what))
    if hasattr(what, "mlir_module"):  # Exported
        return _from_exported(what, arguments, sizes)
    if sizes is not None:
        if not callable(what):
            raise TypeError(f"sizes are for a jax.export.Exported, not a {type(what).__name__}")
        keywords["sizes"] = sizes  # the function's own argument
    if hasattr(what, "compiler_ir"):  # Lowered
        return _parse_proto(what.compiler_ir("hlo").as_serialized_hlo_module_proto())
    if hasattr(what, "runtime_executable"):  # Compiled
        return _parse_proto(what.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto())
    if hasattr(what, "jaxpr") and hasattr(what, "lower"):  # Traced
        return from_jax(what.lower())
    if not callable(what):
        name = "None" if what is None else f"a {type(what).__name__}"
        raise TypeError(f"hloir.from_jax takes a function, or what JAX made of one, not {name}; hloir.parse takes text and bytes")
    jax = importlib.import_module("jax")
    jitted = what if hasattr(what, "lower") else jax.jit(what)
    return from_jax(jitted.lower(*arguments, **keywords))
