#!/usr/bin/env python3
"""Drives `hloir lsp` by pygls' client, as an editor would: client_test.py HLOIR. Exit status 77, which ctest shows as
skipped, where there is no pygls (pip install pygls)."""
import asyncio
import os
import sys
import tempfile
import time

try:
    from lsprotocol import types as lsp
    from pygls.lsp.client import LanguageClient
except ImportError:
    print("there is no pygls 2 (pip install pygls)")
    sys.exit(77)

TEXT = """HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  p = f32[8]{0} parameter(0)
  n = negate(p)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(n, z), dimensions={0}, to_apply=add
}
"""


def big(size):
    """A module of `size` bytes, as XLA dumps one."""
    lines = ["  %v0 = f32[64,32]{1,0} parameter(0)"]
    total = 0
    while total < size:
        k = len(lines)
        op = ("add", "multiply", "subtract")[k % 3]
        lines.append(
            f"  %v{k} = f32[64,32]{{1,0}} {op}(f32[64,32]{{1,0}} %v{k - 1}, f32[64,32]{{1,0}} %v{k // 2}), "
            f'metadata={{op_name="jit(step)/layer_{k // 100}/{op}" source_file="model.py" source_line={k % 500 + 1}}}')
        total += len(lines[-1]) + 1
    lines[-1] = lines[-1].replace("  %", "  ROOT %")
    return "HloModule big\n\nENTRY %e (v0: f32[64,32]) -> f32[64,32] {\n" + "\n".join(lines) + "\n}\n", len(lines)


def cpu_time(pid):
    """Seconds that a process has run for; 0 where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0


def check(what, condition):
    if not condition:
        sys.exit(f"not so: {what}")


async def run(hloir):
    client = LanguageClient("tests", "1")
    diagnostics = asyncio.Queue()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params):
        diagnostics.put_nowait(params)

    await client.start_io(hloir, "lsp", "--stdio")
    answer = await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    check("it is hloir", answer.server_info.name == "hloir")
    client.initialized(lsp.InitializedParams())

    async def open_(uri, text):
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(
            lsp.TextDocumentItem(uri=uri, language_id="hlo", version=1, text=text)))
        return (await diagnostics.get()).diagnostics

    uri = "file:///m.hlo"
    document = lsp.TextDocumentIdentifier(uri)
    check("a right module has no diagnostics", not await open_(uri, TEXT))
    at = lambda line, character: lsp.TextDocumentPositionParams(document, lsp.Position(line, character))
    hover = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(10, 2)))
    check("a hover has the formula", "r[i] = -a[i]" in hover.contents.value)
    place = await client.text_document_definition_async(lsp.DefinitionParams(document, lsp.Position(12, 59)))
    check("to_apply= leads to its computation", place.range.start == lsp.Position(2, 0))
    uses = await client.text_document_references_async(
        lsp.ReferenceParams(lsp.ReferenceContext(True), document, lsp.Position(10, 2)))
    check("n is used once", [use.range.start.line for use in uses] == [10, 12])
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    check("symbols", [(s.name, len(s.children)) for s in symbols] == [("add", 3), ("e", 4)])
    hints = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(document, lsp.Range(lsp.Position(10, 0), lsp.Position(11, 0))))
    check("n's shape is inferred", [h.label for h in hints] == ["f32[8]{0}", "f32[8]"])
    edit = await client.text_document_rename_async(lsp.RenameParams(document, lsp.Position(2, 1), "sum"))
    check("add is renamed twice", len(edit.changes[uri]) == 2)
    try:
        await client.text_document_rename_async(lsp.RenameParams(document, lsp.Position(2, 1), "e"))
        check("a name that is taken is refused", False)
    except Exception as error:
        check("the refusal says why", "already" in str(error))
    check("it is formatted", not await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(document, lsp.FormattingOptions(tab_size=2, insert_spaces=True))))
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(
        lsp.VersionedTextDocumentIdentifier(version=2, uri=uri),
        [lsp.TextDocumentContentChangePartial(
            range=lsp.Range(lsp.Position(10, 6), lsp.Position(10, 12)), text="negat")]))
    found = (await diagnostics.get()).diagnostics
    check("a wrong opcode is marked", [d.range.start for d in found] == [lsp.Position(10, 6)])
    fixes = await client.text_document_code_action_async(
        lsp.CodeActionParams(document, found[0].range, lsp.CodeActionContext(found)))
    check("and has a quick fix", [fix.edit.changes[uri][0].new_text for fix in fixes] == ["negate"])
    names = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("ADD"))
    check("names are found in any text", [name.name for name in names] == ["add"])
    items = await client.text_document_prepare_call_hierarchy_async(
        lsp.CallHierarchyPrepareParams(document, lsp.Position(2, 1)))
    callers = await client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(items[0]))
    check("the entry calls add", [call.from_.name for call in callers] == ["e"])
    help_ = await client.text_document_signature_help_async(lsp.SignatureHelpParams(document, lsp.Position(12, 27)))
    check("reduce has a signature", help_.signatures[0].label.startswith("reduce(a, b"))
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
    check("words have kinds", len(tokens.data) > 50 and len(tokens.data) % 5 == 0)
    items = await client.text_document_completion_async(
        lsp.CompletionParams(document, lsp.Position(12, 47)))
    check("attributes are offered", "to_apply" in [item.label for item in items])

    # A dump of 1 MB: what a person waits for.
    text, count = big(1_000_000)
    uri = "file:///big.hlo"
    document = lsp.TextDocumentIdentifier(uri)
    begin = time.perf_counter()
    check("the dump has no diagnostics", not await open_(uri, text))
    print(f"{len(text)} bytes, {count} instructions: opened in {(time.perf_counter() - begin) * 1e3:.1f} ms")
    middle = lsp.Position(count // 2, 3)
    window = lsp.Range(lsp.Position(count // 2, 0), lsp.Position(count // 2 + 60, 0))

    async def change():
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=2, uri=uri),
            [lsp.TextDocumentContentChangePartial(range=lsp.Range(middle, middle), text="")]))
        await diagnostics.get()

    slow = []
    for name, ask in {
            "change": change,
            "hover": lambda: client.text_document_hover_async(lsp.HoverParams(document, middle)),
            "definition": lambda: client.text_document_definition_async(lsp.DefinitionParams(document, middle)),
            "references": lambda: client.text_document_references_async(
                lsp.ReferenceParams(lsp.ReferenceContext(True), document, middle)),
            "inlayHint": lambda: client.text_document_inlay_hint_async(lsp.InlayHintParams(document, window)),
            "rename": lambda: client.text_document_rename_async(lsp.RenameParams(document, middle, "other")),
            "formatting": lambda: client.text_document_formatting_async(
                lsp.DocumentFormattingParams(document, lsp.FormattingOptions(tab_size=2, insert_spaces=True))),
            "documentSymbol": lambda: client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document)),
            "foldingRange": lambda: client.text_document_folding_range_async(lsp.FoldingRangeParams(document)),
            "completion": lambda: client.text_document_completion_async(
                lsp.CompletionParams(document, lsp.Position(count // 2, 70))),
    }.items():
        times = []
        before = cpu_time(client._server.pid)
        for _ in range(20):
            begin = time.perf_counter()
            await ask()
            times.append((time.perf_counter() - begin) * 1e3)
        # What the server itself takes: other work on the machine, and this client, are none of its.
        taken = (cpu_time(client._server.pid) - before) * 1e3 / 20
        print(f"{name}: {taken:.1f} ms of the server's time; answered in {min(times):.1f} ms at best")
        if taken > 50:
            slow.append(name)
    check(f"under 50 ms: {slow}", not slow)
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.wait_for(client._server.wait(), 10)
    check("it ended well", client._server.returncode == 0)


asyncio.run(asyncio.wait_for(run(os.path.abspath(sys.argv[1])), 120))
