"""Rules in Python: data that register_rules makes a pass of."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Sequence

from hloir._hloir import Instruction, Pattern, _add_rules


@dataclasses.dataclass(frozen=True)
class Rule:
    """A pattern and its replacement; created by rule()."""

    name: str
    formula: str
    pattern: Pattern
    function: Callable[..., Instruction | None]
    math: str
    integers: str

    def __call__(self, *arguments: Any, **keywords: Any) -> Instruction | None:
        return self.function(*arguments, **keywords)


def _check_parameters(name: str, pattern: Pattern, function: Callable[..., Any]) -> None:
    """Checks that the function can be called as function(builder, instruction, **captures); otherwise a TypeError with the reason."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return  # a built-in function says nothing of its parameters
    if any(p.kind in (p.VAR_POSITIONAL,) for p in parameters):
        return
    captured = pattern._names
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(places) < 2:
        raise TypeError(f"the rule '{name}': its function takes a builder and the matched instruction first, then what the "
                        f"pattern captures: def {function.__name__}(b, i{''.join(', ' + each for each in captured)})")
    for taken, what in zip(places, ("builder", "matched instruction")):
        if taken in captured and parameters[places.index(taken)].kind is not inspect.Parameter.POSITIONAL_ONLY:
            raise TypeError(f"the rule '{name}': the pattern captures '{taken}', and so is called the function's parameter for "
                            f"the {what}; give one of the two another name")
    named = {p.name for p in parameters[2:]}
    missing = [each for each in captured if each not in named]
    if missing and not any(p.kind is p.VAR_KEYWORD for p in parameters):
        raise TypeError(f"the rule '{name}': the pattern captures '{missing[0]}', for which the function has no parameter")
    for p in parameters[2:]:
        needed = p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        if needed and p.name not in captured:
            raise TypeError(f"the rule '{name}': the function's parameter '{p.name}' is nothing that the pattern captures")


def rule(
    pattern: Pattern, formula: str, *, name: str = "", math: str = "exact", integers: str = ""
) -> Callable[[Callable[..., Instruction | None]], Rule]:
    """Makes a function a rule. formula: what it does, for people: 'A + 0 => A'. name: in place of the function's.

    The function gets a Builder, the instruction that the pattern matched, and by name what the pattern captured. It
    returns what is to take the instruction's place: an instruction that is there, or one that it makes with the builder;
    or None, having made nothing. math: how far results may change, 'exact', 'rounding' or 'fast'; integers: the same for
    integers, where that is another.
    """

    if not isinstance(formula, str):
        raise TypeError(f"hloir.rule takes a formula second, as in @hloir.rule(pattern, 'A + 0 => A'), not {formula!r}")
    if not isinstance(pattern, Pattern):
        raise TypeError(f"hloir.rule takes a pattern of hloir.match first, as in @hloir.rule(m.add(…), 'A + 0 => A'), not {pattern!r}")

    def make(function: Callable[..., Instruction | None]) -> Rule:
        if not callable(function):
            raise TypeError(f"@hloir.rule(…) stands before a function, not {function!r}")
        _check_parameters(name or function.__name__, pattern, function)
        return Rule(name or function.__name__.replace("_", "-"), formula, pattern, function, math, integers or math)

    return make


def register_rules(name: str, rules: Sequence[Rule], description: str = "") -> None:
    """Makes rules a pass of that name, for every pipeline. It applies them until none applies any more; each rewrite is
    asked for, recorded, proposed and taken as those of the passes that come with hloir."""
    if not isinstance(name, str) or isinstance(rules, str) or not isinstance(rules, Sequence):
        raise TypeError(f"register_rules takes a name and a list of rules, not {name!r} and {rules!r}")
    for each in rules:
        if not isinstance(each, Rule):
            raise TypeError(f"register_rules takes a list of rules, functions with @hloir.rule, not {each!r}")
    parts = [(each.name, each.formula, each.integers, each.math, each.pattern, each.function) for each in rules]
    _add_rules(name, parts, description or ", ".join(each.formula for each in rules))
