"""Assertions on modules for a project's own tests, for pytest and any other runner; the plugin is pytest_hloir.

>>> from hloir.testing import assert_hlo
>>> checked = assert_hlo('''
... HloModule example
... ENTRY main {
...   x = f32[4] parameter(0)
...   y = f32[4] negate(x)
...   ROOT r = f32[4] exponential(y)
... }''')
>>> _ = checked.has_no("all-gather").optimized().fuses("negate", "exponential")
>>> assert checked.flops == 4
>>> assert checked.flops < 4  # doctest: +ELLIPSIS
Traceback (most recent call last):
AssertionError: flops is 4, not < 4
...
"""

from __future__ import annotations

import difflib
import importlib
import os
import pathlib
import sys
from typing import Any, Callable, Sequence

import hloir
from hloir._hloir import Instruction, Module, _opcode_names

__all__ = ["HloAssertion", "Quantity", "assert_hlo"]


written: list[pathlib.Path] = []  # golden files that were


def _path(path: str | os.PathLike[str]) -> pathlib.Path:
    """A relative path begins at the folder of the test that pytest runs, else at the working directory."""
    plugin: Any = sys.modules.get("pytest_hloir")
    return pathlib.Path(getattr(plugin, "folder", None) or "") / path


def _updates() -> bool:
    plugin: Any = sys.modules.get("pytest_hloir")
    return bool(getattr(plugin, "update", False)) or os.environ.get("HLOIR_UPDATE", "") not in ("", "0")


def _is_path(source: str) -> bool:
    return "\n" not in source and "{" not in source


def module_of(what: Any, arguments: Sequence[Any] = (), keywords: dict[str, Any] | None = None) -> Module:
    """The module of a Module, of text, bytes or a path, or of an argument of from_jax."""
    __tracebackhide__ = True
    if isinstance(what, Module):
        return what
    if isinstance(what, bytes):
        return hloir.parse(what)
    if isinstance(what, os.PathLike) or (isinstance(what, str) and _is_path(what)):
        return hloir.read(_path(what))
    if isinstance(what, str):
        return hloir.parse(what)
    return hloir.from_jax(what, *arguments, **(keywords or {}))


def _header(module: Module) -> str:
    """The module's header without its name: aliases, layouts, devices."""
    return module.text("xla", metadata=False).split("\n", 1)[0].removeprefix(f"HloModule {module.name}")


class Quantity:
    """A number of a module. A comparison that does not hold raises AssertionError, with what the number is made of; so it
    needs no `assert` before it. int() gives the number."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str, value: float, details: Callable[[], str] = lambda: "") -> None:
        self._name, self._value, self._details = name, value, details

    def _compare(self, holds: bool, sign: str, other: Any) -> bool:
        __tracebackhide__ = True
        if not holds:
            details = self._details()
            raise AssertionError(f"{self._name} is {self}, not {sign} {other}" + (f"\n{details}" if details else ""))
        return True

    def __lt__(self, other: Any) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value < float(other), "<", other)

    def __le__(self, other: Any) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value <= float(other), "<=", other)

    def __gt__(self, other: Any) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value > float(other), ">", other)

    def __ge__(self, other: Any) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value >= float(other), ">=", other)

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value == float(other), "==", other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        __tracebackhide__ = True
        return self._compare(self._value != float(other), "!=", other)  # type: ignore[arg-type]

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __repr__(self) -> str:
        return f"{self._value:.15g}"


def _checked_opcodes(opcodes: Sequence[str]) -> Sequence[str]:
    """A name that is no opcode would make a test that cannot fail."""
    __tracebackhide__ = True
    if not opcodes:
        raise ValueError("name at least one opcode")
    known = _opcode_names()
    for opcode in opcodes:
        if opcode not in known:
            near = difflib.get_close_matches(str(opcode).replace("_", "-"), known, 1)
            raise ValueError(f"{opcode!r} is not an opcode of HLO" + (f"; did you mean {near[0]!r}?" if near else ""))
    return opcodes


class HloAssertion:
    """The result of assert_hlo(): each method raises AssertionError if the module does not satisfy it, and returns an object for chaining."""

    def __init__(self, module: Module, what: Any = None, arguments: Sequence[Any] = (), keywords: dict[str, Any] | None = None):
        self.module = module
        self._what, self._arguments, self._keywords = what, arguments, keywords or {}

    def __repr__(self) -> str:
        return f"<assert_hlo of {self.module.name}, {self.module.instruction_count} instructions>"

    def optimized(self, passes: str | Sequence[str] = "", *, math: str = "exact") -> HloAssertion:
        """The same of the module after hloir's passes, by default its default pipeline."""
        module = self.module.clone()
        hloir.optimize(module, passes, math=math)
        return HloAssertion(module, None, self._arguments, self._keywords)

    def compiled(self) -> HloAssertion:
        """The same for the module that XLA, in JAX, compiles from a function or a Lowered."""
        what = self._what
        if what is None or isinstance(what, (Module, str, bytes, os.PathLike)):
            raise TypeError("compiled() is for functions of JAX's and what they are lowered to; optimized() is for all modules")
        if not hasattr(what, "compile"):
            jitted = what if hasattr(what, "lower") else importlib.import_module("jax").jit(what)
            what = jitted.lower(*self._arguments, **self._keywords)
        return HloAssertion(hloir.from_jax(what.compile()), None, self._arguments, self._keywords)

    def matches(self, golden: Any) -> HloAssertion:
        """It is the golden module: names, metadata and order apart. golden: a path, which begins at the test's folder, text,
        or a Module. With --hloir-update (HLOIR_UPDATE=1 outside pytest) a file of another structure is rewritten."""
        __tracebackhide__ = True
        path = None
        if isinstance(golden, os.PathLike) or (isinstance(golden, str) and _is_path(golden)):
            path = _path(golden)
        if path is not None and not path.exists():
            if not _updates():
                raise AssertionError(f"there is no {path}\npytest --hloir-update writes it (HLOIR_UPDATE=1 elsewhere)")
            return self._write(path)
        expected = module_of(golden)
        difference = hloir.diff(expected, self.module)
        headers = [_header(module) for module in (expected, self.module)]
        if difference.same and headers[0] == headers[1]:
            return self
        if path is not None and _updates():
            return self._write(path)
        accept = "\npytest --hloir-update accepts it (HLOIR_UPDATE=1 elsewhere)" if path is not None else ""
        raise AssertionError(f"{self.module.name} (after) is not {path or 'the golden module'} (before)\n"
                             + (f"- HloModule{headers[0]}\n+ HloModule{headers[1]}\n" if headers[0] != headers[1] else "")
                             + f"{difference}{accept}")

    def _write(self, path: pathlib.Path) -> HloAssertion:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".hlo", ".txt"):
            path.write_text(self.module.text("readable", metadata=False))
        else:
            self.module.write(str(path))
        written.append(path)
        return self

    def _fusions(self) -> list[Instruction]:
        return [i for i in self.module.instructions if i.opcode == "fusion"]

    def fuses(self, *opcodes: str) -> HloAssertion:
        """One fusion has all these opcodes in its body."""
        __tracebackhide__ = True
        wanted = set(_checked_opcodes(opcodes))
        fusions = self._fusions()
        bodies = [{i.opcode for called in fusion.called for i in called} for fusion in fusions]
        if any(wanted <= body for body in bodies):
            return self
        found = "".join(f"\n  {fusion.name}: {', '.join(sorted(body - {'parameter'}))}" for fusion, body in zip(fusions, bodies))
        none = "\n  there is no fusion: is it compiled? .compiled() and .optimized() are"
        raise AssertionError(f"no fusion of {self.module.name} has {', '.join(opcodes)}{found or none}")

    def has(self, *opcodes: str) -> HloAssertion:
        """Each of these opcodes is somewhere in the module."""
        __tracebackhide__ = True
        there = {i.opcode for i in self.module.instructions}
        missing = [opcode for opcode in _checked_opcodes(opcodes) if opcode not in there]
        if missing:
            raise AssertionError(f"{self.module.name} has no {', '.join(missing)}; it has {', '.join(sorted(there))}")
        return self

    def has_no(self, *opcodes: str) -> HloAssertion:
        """None of these opcodes is anywhere in the module, as `-start` of an asynchronous one neither."""
        __tracebackhide__ = True
        unwanted = {name for opcode in _checked_opcodes(opcodes) for name in (opcode, opcode + "-start")}
        found = [str(i) for i in self.module.instructions if i.opcode in unwanted]
        if found:
            lines = "".join(f"\n  {text}" for text in found[:10]) + (f"\n  … and {len(found) - 10} more" if len(found) > 10 else "")
            raise AssertionError(f"{self.module.name} has {', '.join(opcodes)}:{lines}")
        return self

    @property
    def peak_memory(self) -> Quantity:
        """Bytes in use at once, arguments and constants too, in the order of the module's text."""
        memory = self.module.memory()
        peak = memory["parameter_bytes"] + memory["constant_bytes"] + memory["peak_bytes"]
        return Quantity("peak memory", peak, lambda: str(memory["report"]))

    @property
    def flops(self) -> Quantity:
        """Operations, those of loops as often as they run where that is known."""
        return self._cost("flops")

    @property
    def bytes(self) -> Quantity:
        """Bytes that are moved."""
        return self._cost("bytes")

    @property
    def instructions(self) -> Quantity:
        """Instructions, in all computations."""
        return Quantity("instructions", self.module.instruction_count)

    def _cost(self, which: str) -> Quantity:
        def details() -> str:
            costs = sorted(self.module.costs().items(), key=lambda item: -float(item[1][which]))
            return "\n".join(f"  {cost[which]:>14.15g}  {i}" for i, cost in costs[:5] if cost[which] > 0)

        return Quantity(which, self.module.cost()[which], details)

    def equivalent_to(self, other: Any, **options: Any) -> HloAssertion:
        """It computes the same as another module, or another function with the same arguments. options: of hloir.verify."""
        __tracebackhide__ = True
        verdict = hloir.verify(module_of(other, self._arguments, self._keywords), self.module, **options)
        if not verdict:
            raise AssertionError(f"{self.module.name} (after) does not compute what the other module (before) does\n{verdict}")
        return self


def assert_hlo(what: Any, *arguments: Any, **keywords: Any) -> HloAssertion:
    """A module to assert on: of a function of JAX's, jitted or not, with its arguments; of a jax.stages.Lowered or Compiled;
    of HLO or StableHLO text or bytes; of a path, which begins at the test's folder; or a Module."""
    __tracebackhide__ = True
    return HloAssertion(module_of(what, arguments, keywords), what, arguments, keywords)
