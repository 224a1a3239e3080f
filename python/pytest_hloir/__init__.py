"""pytest-hloir: the fixture assert_hlo and the option --hloir-update. pytest loads this by its entry point before any test,
and so it is a package of its own: hloir, and numpy with it, is imported when a test asks for it. Tested by
python/tests/test_testing.py."""

from __future__ import annotations

import pathlib
import sys
from typing import Any, Callable, Iterator

import pytest

# What hloir.testing reads: the folder of the test that runs, and whether golden files are rewritten.
folder: pathlib.Path | None = None
update = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("hloir").addoption(
        "--hloir-update", action="store_true", help="Rewrite the golden files that assert_hlo(…).matches() compares with."
    )


def pytest_configure(config: pytest.Config) -> None:
    global update
    update = bool(config.getoption("hloir_update"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global folder
    before, folder = folder, item.path.parent
    try:
        return (yield)
    finally:
        folder = before


@pytest.fixture
def assert_hlo() -> Callable[..., Any]:
    """hloir.testing.assert_hlo"""
    from hloir import testing

    return testing.assert_hlo


def pytest_terminal_summary(terminalreporter: Any) -> None:
    testing: Any = sys.modules.get("hloir.testing")
    for path in testing.written if testing is not None else []:
        terminalreporter.write_line(f"hloir: wrote {path}")
