#!/usr/bin/env python3
"""Colors the corpus by editors/: grammar_test.py HLOIR. By a small reader of TextMate grammars of our own (matches,
regions, captures: what this one uses), with Oniguruma, which VS Code uses, where Python has it (pip install onigurumacffi); and by
Vim where there is one with syntax."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    from onigurumacffi import compile as expression
except ImportError:
    expression = re.compile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Grammar:
    def __init__(self, path):
        self.patterns = self.compiled(json.loads(path.read_text())["patterns"])

    def compiled(self, patterns):
        return [(expression(p.get("match") or p["begin"]), p, expression(p["end"]) if "end" in p else None,
                 self.compiled(p.get("patterns", []))) for p in patterns]

    def tokens(self, text):
        """(line, begin, end, scope) of what has one."""
        region = None  # (its end, inner patterns, scope)
        for number, line in enumerate(text.split("\n")):
            at = 0
            while at <= len(line):
                patterns = region[1] if region else self.patterns
                found = [(match.start(), k, match, pattern) for k, pattern in enumerate(patterns)
                         if (match := pattern[0].search(line, at))]
                best = min(found, key=lambda f: f[:2], default=None)
                if region:
                    end = region[0].search(line, at)
                    if end and (not best or end.start() <= best[0]):
                        yield number, at, end.end(), region[2]
                        at, region = end.end(), None
                        continue
                if not best:
                    if region:
                        yield number, at, len(line), region[2]
                    break
                _, _, match, (_, pattern, end, inner) = best
                if end:
                    yield number, match.start(), match.end(), pattern["name"]
                    region = (end, inner, pattern["name"])
                elif "captures" in pattern:
                    for group, capture in pattern["captures"].items():
                        if match.group(int(group)) is not None:
                            yield number, *match.span(int(group)), capture["name"]
                else:
                    yield number, match.start(), match.end(), pattern["name"]
                if match.end() == at and not end:
                    sys.exit(f"{pattern.get('match')} takes nothing")
                at = match.end()


def symbols_of(hloir, path, text):
    """What the language server knows of a text: (line, column, name, opcode, is a computation)."""
    messages = [{"id": 1, "method": "initialize", "params": {}},
                {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "u", "text": text}}},
                {"id": 2, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "u"}}},
                {"id": 3, "method": "shutdown"}, {"method": "exit"}]
    data = b""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        data += b"Content-Length: %d\r\n\r\n" % len(body) + body
    out = subprocess.run([hloir, "lsp"], input=data, capture_output=True, check=True).stdout
    for part in re.split(rb"Content-Length: \d+\r\n\r\n", out)[1:]:
        answer = json.loads(part)
        if answer.get("id") == 2:
            stack = list(answer["result"])
            while stack:
                symbol = stack.pop()
                stack += symbol.get("children", [])
                place = symbol["selectionRange"]["start"]
                yield (place["line"], place["character"], symbol["name"], symbol["detail"].split(" ")[0],
                       "children" in symbol)


def main(hloir):
    grammar = Grammar(ROOT / "editors" / "vscode" / "syntaxes" / "hlo.tmLanguage.json")
    scopes = {"entity.name.function.hlo": 0, "variable.other.definition.hlo": 0, "support.function.hlo": 0,
              "storage.type.hlo": 0}
    files = sorted((ROOT / "corpus" / "modules").glob("*.hlo"))[::9] + sorted(
        (ROOT / "corpus" / "with_metadata").glob("*.hlo"))
    for path in files:
        text = path.read_text()
        lines = text.split("\n")
        by_line = {}
        for line, begin, end, scope in grammar.tokens(text):
            by_line.setdefault(line, []).append((begin, end, scope))
        for line, column, name, opcode, is_computation in symbols_of(hloir, path, text):
            if is_computation:
                if opcode not in ("", "ENTRY"):
                    continue
                wanted = "entity.name.function.hlo"
            else:
                wanted = "variable.other.definition.hlo"
            found = [scope for begin, end, scope in by_line.get(line, []) if begin <= column < end]
            if found != [wanted]:
                sys.exit(f"{path.name}:{line + 1}: {name} is {found}, not {wanted}")
            scopes[wanted] += 1
            if is_computation:
                continue
            opcodes = [lines[line][begin:end] for begin, end, scope in by_line[line] if scope == "support.function.hlo"]
            if opcode not in opcodes:
                sys.exit(f"{path.name}:{line + 1}: {opcode} is not colored as an opcode, but {opcodes}")
            scopes["support.function.hlo"] += 1
            scopes["storage.type.hlo"] += any(scope == "storage.type.hlo" for _, _, scope in by_line[line])
    print(f"{len(files)} files, expressions by {expression.__module__}:", ", ".join(f"{count} {scope}" for scope, count in scopes.items()))
    if min(scopes.values()) < 100:
        sys.exit("that is too little")

    # The extension is no more than these.
    for path in (ROOT / "editors" / "vscode").rglob("*.json"):
        if "node_modules" not in path.parts:
            json.loads(path.read_text())
    if shutil.which("node"):
        subprocess.run(["node", "--check", ROOT / "editors" / "vscode" / "extension.js"], check=True)

    vim = shutil.which("vim")
    if not vim or "+syntax" not in subprocess.run([vim, "--version"], capture_output=True, text=True).stdout:
        print("there is no vim with syntax")
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "a.txt").write_text("HloModule m\n\nENTRY %e (p: f32[2]) -> f32[2] {\n"
                                      "  %p = f32[2]{0} parameter(0)\n"
                                      '  ROOT %n = f32[2]{0} reduce(%p), to_apply=%add, metadata={op_name="x"} // y\n}\n')
        places = {(1, 1): "hloKeyword", (3, 1): "hloKeyword", (3, 8): "hloComputation", (4, 4): "hloDefinition",
                  (4, 8): "hloType", (4, 18): "hloOpcode", (4, 28): "hloNumber", (5, 3): "hloKeyword",
                  (5, 9): "hloDefinition", (5, 23): "hloOpcode", (5, 31): "hloName", (5, 37): "hloAttribute",
                  (5, 46): "hloCalled", (5, 61): "hloAttribute", (5, 69): "hloString", (5, 74): "hloComment"}
        ask = [f"call writefile([synIDattr(synID({line}, {column}, 1), 'name')], '{folder}/out', 'a')"
               for line, column in places]
        (folder / "ask.vim").write_text("\n".join(
            [f"set runtimepath+={ROOT}/editors/vim", "filetype plugin on", "syntax on", f"edit {folder}/a.txt"] + ask +
            ["quitall!"]))
        subprocess.run([vim, "-N", "-u", "NONE", "-i", "NONE", "-es", "-S", folder / "ask.vim"], timeout=60,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        found = (folder / "out").read_text().split("\n")
    for (place, wanted), name in zip(places.items(), found):
        if name != wanted:
            sys.exit(f"vim: line and column {place} are {name or 'nothing'}, not {wanted}")
    print(f"vim: {len(places)} places")


main(sys.argv[1])
