#!/usr/bin/env python3
"""What `hloir graph -o X.json` writes is what Model Explorer reads: tests/pages/model_explorer_test.py HLOIR [PICTURE.jpg]

Held against Model Explorer's graph schema (SCHEMA, from its graph_builder.py), and every edge leads somewhere. Where
ai-edge-model-explorer is installed (pip install ai-edge-model-explorer), SCHEMA is held against its classes; and with Chromium,
too, its server shows each module, which must be as large there as it is here. PICTURE is what the last looks like."""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser as devtools

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A list has any number of what it holds, "?" stands behind what may be missing, a tuple has alternatives.
PAIR = {"key": str, "value": (str, {"type": str, "nodeIds": [str]})}
ITEM = {"id": str, "attrs?": [PAIR]}
EDGE = {"sourceNodeId": str, "sourceNodeOutputId?": str, "targetNodeInputId?": str}
STYLE = {"backgroundColor?": str, "borderColor?": str, "hoveredBorderColor?": str}
NODE = {"id": str, "label": str, "namespace?": str, "subgraphIds?": [str], "attrs?": [PAIR], "incomingEdges?": [EDGE],
        "outputsMetadata?": [ITEM], "inputsMetadata?": [ITEM], "style?": STYLE, "config?": {"pinToGroupTop?": bool}}
GRAPH = {"id": str, "nodes": [NODE], "groupNodeAttributes?": dict, "groupNodeConfigs?": list, "nodeLabelsToHide?": [str],
         "tasksData?": dict, "layoutConfigs?": dict}
SCHEMA = {"label": str, "graphs": [GRAPH], "graphSorting?": str}
CLASSES = {"GraphCollection": SCHEMA, "Graph": GRAPH, "GraphNode": NODE, "IncomingEdge": EDGE, "MetadataItem": ITEM, "KeyValue": PAIR,
           "GraphNodeStyle": STYLE}
HOSTILE = r'''HloModule hostile
ENTRY e {
  x = f32[4]{0} parameter(0), metadata={op_name="//a//</script>/'\"/../b/"}
  ROOT r = f32[4]{0} negate(x), metadata={op_name="a/" source_file="<b>" source_line=1}
}
'''
failures = []


def misfits(value, schema, where):
    """What of a value is not as the schema says."""
    if isinstance(schema, tuple):
        return [] if any(not misfits(value, one, where) for one in schema) else [f"{where}: none of the kinds it may be"]
    if isinstance(schema, type):
        return [] if isinstance(value, schema) else [f"{where}: {type(value).__name__}, not {schema.__name__}"]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{where}: not a list"]
        return [fault for k, one in enumerate(value) for fault in misfits(one, schema[0], f"{where}[{k}]")]
    if not isinstance(value, dict):
        return [f"{where}: not an object"]
    known = {key.rstrip("?"): (kind, key.endswith("?")) for key, kind in schema.items()}
    found = [f"{where}: {key} is unknown" for key in value if key not in known]
    for key, (kind, optional) in known.items():
        if key in value:
            found += misfits(value[key], kind, f"{where}.{key}")
        elif not optional:
            found.append(f"{where}: no {key}")
    return found


def loose_ends(graph):
    """Ids that are taken twice, and edges and layers that lead nowhere."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    found = [] if len(nodes) == len(graph["nodes"]) else ["an id is taken twice"]
    for node in graph["nodes"]:
        namespace = node.get("namespace", "")
        if namespace and not all(namespace.split("/")):
            found.append(f"{node['id']}: a layer without a name in {namespace!r}")
        for edge in node.get("incomingEdges", []):
            source = nodes.get(edge["sourceNodeId"])
            outputs = [item["id"] for item in (source or {}).get("outputsMetadata", [])]
            if source is None or edge.get("sourceNodeOutputId", "0") not in outputs:
                found.append(f"{node['id']}: an edge from nowhere: {edge}")
        inputs = [edge.get("targetNodeInputId", "0") for edge in node.get("incomingEdges", [])]
        if len(set(inputs)) != len(inputs):
            found.append(f"{node['id']}: two edges to one input")
    return found


def checks_itself(good):
    """Each fault is found that is made."""
    def broken(change):
        copy = json.loads(json.dumps(good))
        change(copy["graphs"][0])
        return misfits(copy, SCHEMA, "file") or loose_ends(copy["graphs"][0])
    last = lambda graph: graph["nodes"][-1]
    for what, change in {
            "a number for a text": lambda g: last(g).update(id=7), "a missing label": lambda g: last(g).pop("label"),
            "an unknown key": lambda g: last(g).update(name="x"), "an edge from nowhere": lambda g: last(g)["incomingEdges"][0].update(sourceNodeId="?"),
            "an id twice": lambda g: last(g).update(id=g["nodes"][0]["id"]), "a nameless layer": lambda g: last(g).update(namespace="a//b")}.items():
        if not broken(change):
            failures.append(f"the check does not notice {what}")


def same_as_theirs():
    """SCHEMA against the classes of the installed package."""
    import dataclasses
    from model_explorer import graph_builder
    for name, schema in CLASSES.items():
        fields = dataclasses.fields(getattr(graph_builder, name))
        theirs = {field.name: field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING for field in fields}
        ours = {key.rstrip("?"): not key.endswith("?") for key in schema}
        if set(ours) - set(theirs):
            failures.append(f"{name} of Model Explorer has no {sorted(set(ours) - set(theirs))}")
        missing = [key for key, needed in theirs.items() if needed and not ours.get(key, False) and key != "nodes"]
        if missing:
            failures.append(f"{name} of Model Explorer needs {missing}")


def shown(files, picture):
    """Each file in Model Explorer, as its server and page show it."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "model_explorer", "--no_open_in_browser", "--skip_health_check", "--port", str(port)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("localhost", port)) == 0:
                    break
            time.sleep(0.1)
        b = devtools.Browser("--use-angle=swiftshader", "--enable-unsafe-swiftshader")  # it draws by WebGL
        try:
            for file, name, count in files:
                data = json.dumps({"models": [{"url": str(file)}]})
                b.console.clear()
                b.call("Page.navigate", url=f"http://localhost:{port}/?data={data}")
                said = ""
                for _ in range(240):
                    time.sleep(0.25)
                    said = b.run("document.body?.innerText ?? ''")
                    if f"{count} nodes" in said and "fit_screen" in said:
                        break
                if name not in said or f"{count} nodes" not in said or "fit_screen" not in said:
                    failures.append(f"Model Explorer does not show {name} with {count} nodes: {said[:300]!r}")
                # What it asks of the network for itself is not ours.
                failures.extend(f"Model Explorer on {name}: {line}" for line in b.console if "Error" in line and "Failed to" not in line)
            if picture:
                b.picture(picture, timeout=600)
        finally:
            b.close()
    finally:
        server.terminate()
        server.wait(30)


def main():
    hloir = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "hostile.hlo").write_text(HOSTILE)
        modules = [folder / "hostile.hlo", *sorted((ROOT / "corpus" / "with_metadata").glob("*.hlo"))]
        files = []
        for module in modules:
            out = folder / f"{module.stem}.json"
            subprocess.run([hloir, "graph", module, "-o", out], check=True)
            data = json.loads(out.read_text())
            faults = misfits(data, SCHEMA, "file") or [fault for graph in data["graphs"] for fault in loose_ends(graph)]
            failures.extend(f"{module.name}: {fault}" for fault in faults[:5])
            files.append((out, data["graphs"][0]["id"], len(data["graphs"][0]["nodes"])))
        checks_itself(json.loads(files[1][0].read_text()))
        try:
            import model_explorer  # noqa: F401
        except ImportError:
            print("held against the schema alone: ai-edge-model-explorer is not installed")
        else:
            same_as_theirs()
            if devtools.find_browser():
                shown([files[0], files[-1]], sys.argv[2] if len(sys.argv) > 2 else None)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
