"""Rules in Python: data that register_rules makes a pass of."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Sequence

from hloir._hloir import Instruction, Pattern, _add_rules


@dataclasses.dataclass(frozen=True)
class Rule:
    """A pattern, and what is to stand where it matches; rule() makes one."""

    name: str
    formula: str
    pattern: Pattern
    function: Callable[..., Instruction | None]
    math: str
    integers: str

    def __call__(self, *arguments: Any, **keywords: Any) -> Instruction | None:
        return self.function(*arguments, **keywords)


def rule(
    pattern: Pattern, formula: str, *, name: str = "", math: str = "exact", integers: str = ""
) -> Callable[[Callable[..., Instruction | None]], Rule]:
    """Makes a function a rule. formula: what it does, for people: 'A + 0 => A'. name: in place of the function's.

    The function gets a Builder, the instruction that the pattern matched, and by name what the pattern captured. It
    returns what is to take the instruction's place: an instruction that is there, or one that it makes with the builder;
    or None, having made nothing. math: how far results may change, 'exact', 'rounding' or 'fast'; integers: the same for
    integers, where that is another.
    """

    def make(function: Callable[..., Instruction | None]) -> Rule:
        return Rule(name or function.__name__.replace("_", "-"), formula, pattern, function, math, integers or math)

    return make


def register_rules(name: str, rules: Sequence[Rule], description: str = "") -> None:
    """Makes rules a pass of that name, for every pipeline. It applies them until none applies any more; each rewrite is
    asked for, recorded, proposed and taken as those of the passes that come with hloir."""
    parts = [(each.name, each.formula, each.integers, each.math, each.pattern, each.function) for each in rules]
    _add_rules(name, parts, description or ", ".join(each.formula for each in rules))
