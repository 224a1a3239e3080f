"""Attributes between Python and HLO text: {'dimensions': [1]} and dimensions={1}."""

from __future__ import annotations

import re
from typing import Any

from hloir._hloir import Computation, Instruction, Shape, _is_text

_NUMBER = re.compile(r"-?\d+$")
_REAL = re.compile(r"-?\d+\.?\d*(e[-+]?\d+)?$")
_TOKEN = re.compile(r'\s*([{},]|"(?:[^"\\]|\\.)*"|[^{},"]+)')


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _list(values: Any, brackets: str = "{}") -> str:
    return brackets[0] + ", ".join(_text(value) for value in values) + brackets[1]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Computation, Instruction)):
        return value.name
    if isinstance(value, (list, tuple)):
        return _list(value)
    if isinstance(value, slice):
        if value.start is None or value.stop is None:
            raise ValueError("a slice has a start and a stop here")
        return f"[{value.start}:{value.stop}" + (f":{value.step}]" if value.step is not None else "]")
    if isinstance(value, (str, int, float, Shape)):
        return str(value)
    if hasattr(value, "tolist"):  # numpy's
        return _text(value.tolist())
    raise TypeError(f"no attribute is a {type(value).__name__}")


def _by_x(value: Any) -> str:
    """3x3, or 1_1x0_0 for pairs: how windows and paddings are written."""
    if not isinstance(value, (list, tuple)):
        return _text(value)
    return "x".join("_".join(map(_text, d)) if isinstance(d, (list, tuple)) else _text(d) for d in value)


def text_of(name: str, value: Any) -> str:
    """An attribute's value as HLO text. A text is unchanged, except for attributes whose values are texts."""
    if isinstance(value, str):
        if _is_text(name) or (name == "backend_config" and not value.startswith(("{", '"'))):
            return _quoted(value) if value else ""
        return value
    if isinstance(value, dict):
        if name == "window":
            return "{" + " ".join(f"{key}={_by_x(each)}" for key, each in value.items()) + "}"
        between = " " if name == "metadata" else ","
        return "{" + between.join(
            f"{key}={_quoted(each) if isinstance(each, str) else _text(each)}" for key, each in value.items()) + "}"
    if name == "padding":
        return _by_x(value)
    return _text(value)


def value_of(text: str) -> Any:
    """A number, a truth value, a text or a list of these; everything else as the text that it is."""
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.match(text):
        return int(text)
    if _REAL.match(text):
        return float(text)
    if text.startswith('"'):
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text[1:-1])
    if not text.startswith("{"):
        return text
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "{":
            inner: list[Any] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif token == "}":
            stack.pop()
        elif token != ",":
            word = token.strip()
            if not re.match(r'[-\w.%]+$|"', word):
                return text  # a window, a sharding: a language of its own
            stack[-1].append(value_of(word))
    return stack[0][0]
