"""Clear errors for arguments that are not modules, instead of the extension's signatures."""

from __future__ import annotations

import os
from typing import Any

from hloir._hloir import Module


def check_module(value: Any, function: str, which: str = "first") -> Module:
    """The value if it is a Module; otherwise a TypeError that explains how to get one."""
    if isinstance(value, Module):
        return value
    hint = "hloir.parse, hloir.read and hloir.from_jax make one"
    if value is None:
        hint = "a function that edits a module returns nothing of it: optimize() and others change the module in place"
    elif isinstance(value, (str, bytes)):
        hint = "hloir.parse() makes one of text and bytes, hloir.read() of a file"
    elif isinstance(value, os.PathLike):
        hint = "hloir.read() reads a file"
    elif callable(value) or hasattr(value, "compiler_ir") or hasattr(value, "runtime_executable"):
        hint = "hloir.from_jax() makes one of functions of JAX's, and of what they are lowered and compiled to"
    what = "None" if value is None else f"a {type(value).__name__}"
    raise TypeError(f"hloir.{function} takes a Module as its {which} argument, not {what}; {hint}")
