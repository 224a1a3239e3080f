"""Descriptions of devices, which come with the package: docs/devices of the source tree."""

from __future__ import annotations

import os
import pathlib

_FOLDER = pathlib.Path(__file__).parent / "devices"


def path_of(device: str | os.PathLike[str]) -> str:
    """The file of a device that comes with the package; other names and paths are unchanged."""
    name = os.fspath(device)
    use_for_the_command()  # messages list them
    ours = _FOLDER / f"{name.lower()}.json"
    return str(ours) if name and os.path.basename(name) == name and ours.exists() else name


def use_for_the_command() -> None:
    """Makes them available to `hloir cost --device=h100` as well."""
    if _FOLDER.exists():
        os.environ.setdefault("HLOIR_DEVICES", str(_FOLDER))
