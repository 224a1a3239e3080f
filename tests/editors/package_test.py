#!/usr/bin/env python3
"""The archive that editors/package makes of the VS Code extension: what VS Code looks for in it is there, says what package.json
says, and every part has a type. (VS Code itself was not there to try it on.)"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

EDITORS = pathlib.Path(__file__).resolve().parents[2] / "editors"
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "hlo.vsix"
    subprocess.run([sys.executable, EDITORS / "package", out], check=True, stdout=subprocess.DEVNULL)
    first = out.read_bytes()
    subprocess.run([sys.executable, EDITORS / "package", out], check=True, stdout=subprocess.DEVNULL)
    assert out.read_bytes() == first, "the same files make another archive"
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        parts = {name: archive.read(name) for name in archive.namelist()}

package = json.loads((EDITORS / "vscode" / "package.json").read_text())
assert json.loads(parts["extension/package.json"]) == package
space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
manifest = ElementTree.fromstring(parts["extension.vsixmanifest"])
identity = manifest.find("v:Metadata/v:Identity", space)
assert (identity.get("Id"), identity.get("Version"), identity.get("Publisher")) == (package["name"], package["version"], package["publisher"])
assert manifest.find("v:Metadata/v:DisplayName", space).text == package["displayName"]
properties = {p.get("Id"): p.get("Value") for p in manifest.findall("v:Metadata/v:Properties/v:Property", space)}
assert properties["Microsoft.VisualStudio.Code.Engine"] == package["engines"]["vscode"]
for asset in manifest.findall("v:Assets/v:Asset", space):
    assert asset.get("Path") in parts, f"{asset.get('Path')} is not there"
types = {t.get("Extension").lstrip(".") for t in ElementTree.fromstring(parts["[Content_Types].xml"])}
for name in parts:
    assert name == "[Content_Types].xml" or name.rpartition(".")[2] in types, f"{name} has no type"
contributes = package["contributes"]
icon = parts[f"extension/{package['icon']}"]
assert icon.startswith(b"\x89PNG\r\n\x1a\n") and manifest.find("v:Metadata/v:Icon", space).text == f"extension/{package['icon']}"
assert int.from_bytes(icon[16:20], "big") == int.from_bytes(icon[20:24], "big") >= 128, "VS Code wants 128 pixels"
for path in (package["main"], package["icon"], *(g["path"] for g in contributes["grammars"]), *(x["configuration"] for x in contributes["languages"])):
    assert f"extension/{path.removeprefix('./')}" in parts, f"{path} is not there"
