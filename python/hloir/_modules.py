"""Clear errors for arguments of wrong types, instead of the extension's signatures."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any, Callable, TypeVar, cast

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


# Annotations whose arguments are checked: the accepted types, and how a message calls them.
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a string"),
    "int": ((numbers.Integral,), "a whole number"),
    "float": ((numbers.Real,), "a number"),
    "bool": ((bool,), "True or False"),
    "str | os.PathLike[str]": ((str, os.PathLike), "a string or a path"),
    "str | os.PathLike[str] | None": ((str, os.PathLike, type(None)), "a path"),
    "Sequence[str]": ((Sequence,), "a list of strings"),
    "Mapping[Any, Callable[..., Any]] | None": ((Mapping, type(None)), "a dictionary of functions"),
}

def pipeline(passes: str | Sequence[str]) -> str:
    """The passes as one text."""
    if isinstance(passes, str):
        return passes
    if not isinstance(passes, Sequence) or not all(isinstance(each, str) for each in passes):
        raise TypeError(f"passes are names, 'cse,dce' or ['cse', 'dce'], not {passes!r}; register_pass gives a function a name")
    return ",".join(passes)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def checked(function: _Function) -> _Function:
    """A function whose arguments are checked by their annotations: numbers, strings, paths, lists of strings. Numbers are not
    negative."""
    signature = inspect.signature(function)
    rows = {name: _KINDS[p.annotation] for name, p in signature.parameters.items() if p.annotation in _KINDS}
    functions = {n for n, p in signature.parameters.items() if p.annotation.startswith("Callable") and p.default is None}

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the caller
        try:
            given = signature.bind(*arguments, **named).arguments
        except TypeError:
            return function(*arguments, **named)  # Python's own message
        for name, value in given.items():
            if name in functions and value is not None and not callable(value):
                raise TypeError(f"hloir.{function.__name__}: {name} is a function, not {value!r}")
            types, words = rows.get(name, ((object,), ""))
            fits = isinstance(value, types)  # a condition would narrow Any to object
            if not fits:
                what = "None" if value is None else f"a {type(value).__name__}"
                raise TypeError(f"hloir.{function.__name__}: {name} is {words}, not {what}")
            if words.endswith("number") and value < 0:
                raise ValueError(f"hloir.{function.__name__}: {name} is not negative, as {value} is")
            if words.endswith("of strings") and (isinstance(value, str) or not all(isinstance(each, str) for each in value)):
                hint = f", as in {name}=[{value!r}]" if isinstance(value, str) else ""
                raise TypeError(f"hloir.{function.__name__}: {name} is {words}{hint}, not {value!r}")
            if words.endswith("of functions") and value and not all(callable(each) for each in value.values()):
                raise TypeError(f"hloir.{function.__name__}: {name} is {words}, not {value!r}")
        return function(*arguments, **named)

    return cast(_Function, call)
