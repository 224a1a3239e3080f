"""Display in Jupyter: hloir's pages in a frame, and differences as lists."""

from __future__ import annotations

import dataclasses
import html
import json
from typing import Any, Sequence

from hloir._error import Error
from hloir._modules import check_module, checked, pipeline
from hloir._hloir import Module, _diff, _explain, _picture, _stats

# Beyond this the page takes seconds to draw; the text of the module is long, too.
_MOST_DRAWN = 3000


def _frame(page: str, height: int) -> str:
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
            f'style="display: block; box-sizing: border-box; width: 100%; height: {height}px; border: 1px solid #ccc"></iframe>')


def _text(text: str) -> str:
    return f'<pre style="font-family: monospace">{html.escape(text)}</pre>'


def module_html(module: Module) -> str | None:
    if module.instruction_count <= _MOST_DRAWN:
        return graph(module)._repr_html_()
    return _text(repr(module))


class Picture:
    """A module, or a part of it, as a graph; Jupyter shows it. dot: for Graphviz; json: for Model
    Explorer."""

    def __init__(self, module: Module, computation: str, around: str, depth: int) -> None:
        self._arguments = (computation, around, depth)
        self._module = module.clone()

    def _form(self, form: str) -> str:
        return _picture(self._module, form, *self._arguments)

    @property
    def html(self) -> str:
        """One page that needs nothing else."""
        return self._form("html")

    @property
    def svg(self) -> str:
        return self._form("svg")

    @property
    def dot(self) -> str:
        return self._form("dot")

    @property
    def json(self) -> str:
        return self._form("json")

    def _repr_html_(self) -> str:
        return _frame(self.html, 480)


@checked
def graph(module: Module, *, computation: str = "", around: str = "", depth: int = 2) -> Picture:
    """A picture of the module: of one computation, or of what is at most `depth` operands and users away from the
    instruction `around`."""
    picture = Picture(check_module(module, "graph"), computation, around, depth)
    if computation or around:
        picture.dot  # a name that is not there is an error now
    return picture


class Explanation:
    """Every rewrite that passes made, with its formula, removed and new instructions; as text by str(), as a page in Jupyter."""

    def __init__(self, module: Module, passes: str, math: str) -> None:
        self._arguments = (passes, math)
        self._before = module.clone()
        self.after = module.clone()
        self.text = _explain(self.after, passes, math, False)[0]

    @property
    def html(self) -> str:
        """One page that needs nothing else."""
        return _explain(self._before.clone(), *self._arguments, True)[1]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<hloir.Explanation of {self.after.name}>"

    def _repr_html_(self) -> str:
        try:
            return _frame(self.html, 640)
        except Error:
            return _text(self.text)


@checked
def explain(module: Module, passes: str | Sequence[str] = "", *, math: str = "exact") -> Explanation:
    """The rewrites of these passes, or of the default pipeline, step by step. The module is not changed; `after` of the
    result is the optimized module."""
    return Explanation(check_module(module, "explain"), pipeline(passes), math)


@dataclasses.dataclass(frozen=True)
class Diff:
    """The structural difference of two modules, ignoring names and order. str() is a report.

    matched: pairs of names; removed, added and changed as docs/json.md has them.
    """

    same: bool
    matched: list[Any] = dataclasses.field(repr=False)
    removed: list[Any]
    added: list[Any]
    changed: list[Any]
    report: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.report

    def _repr_html_(self) -> str:
        return _text(self.report)


def diff(before: Module, after: Module) -> Diff:
    """The matched instructions of two modules, and the reasons of unmatched ones."""
    text, report = _diff(check_module(before, "diff"), check_module(after, "diff", "second"))
    fields = json.loads(text)
    return Diff(fields["same"], fields["matched"], fields["removed"], fields["added"], fields["changed"], report)


def stats(module: Module) -> dict[str, Any]:
    """Counts, costs and the costliest instructions of a module, as `hloir stats --json`."""
    fields: dict[str, Any] = json.loads(_stats(check_module(module, "stats")))
    return fields
