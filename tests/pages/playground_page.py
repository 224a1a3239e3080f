#!/usr/bin/env python3
"""The playground's page in Chromium without hloir in it: what the page itself does with a text. A stand-in answers that
`adde` is an error at its place, and that any other text has no rewrites; so nothing has to be compiled to WebAssembly, and
what hloir says of a module is not tested here (tests/pages/playground does that). Marks of errors, results of an older
text, links. Exit status 77, which ctest shows as skipped, where there is no Chromium."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as devtools

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAND_IN = """
function Hloir() {
  const figures = {instructions: 1, top_level: 1, flops: 0, transcendentals: 0, bytes: 0};
  const answer = (name, text) => {
    if (name === "hloir_lists") return {version: "0", passes: {passes: []}, rules: []};
    const at = text.indexOf("adde");
    if (at >= 0) {
      const rows = text.slice(0, at).split("\\n"), column = new TextEncoder().encode(rows.at(-1)).length + 1;
      const message = "unknown opcode 'adde'; did you mean 'add'?";
      return {error: message, errors: [{line: rows.length, column, message}]};
    }
    if (name === "hloir_check") return {stats: "stats"};
    if (name === "hloir_explain") return {first: figures, last: figures, runs: [], steps: [], after: "optimized", diff: "a diff"};
    if (name === "hloir_compare") return {agree: true, verdict: "agree"};
    return {reference: "1", fast: "1", page: ""};
  };
  return Promise.resolve({ccall: (name, result, types, values) => JSON.stringify(answer(name, values[0]))});
}
"""
TEXT = "HloModule m\n// é𝄞\n" + "\n" * 60 + "ENTRY e {\n  x = f32[] parameter(0) /* é𝄞 */\n  /* é𝄞 */ ROOT y = f32[] OP(x, x)\n}\n"


def faults(b, page):
    found = []

    def expect(what, holds):
        if not holds:
            found.append(what)

    def put(text):
        b.run(f"(async () => {{ await ready; $('module').value = {text!r}; update(); }})()")
        b.settle()

    b.open(page)
    put(TEXT.replace("OP", "add"))
    expect("a right text has marks", b.run("$('marks').textContent") == "")
    expect("a right text has no results", b.run("$('panel-after').textContent") == "optimized")
    put(TEXT.replace("OP", "adde"))
    expect("the wrong word is not marked", b.run("[...document.querySelectorAll('mark')].map(m => m.textContent).join()") == "adde")
    sizes = b.run("[$('marks'), $('module')].map(e => [e.scrollWidth, e.scrollHeight])")
    expect(f"the marks are not where the text is: {sizes}", sizes[0] == sizes[1])
    panels = b.run("['passes', 'after', 'compare', 'run', 'stats'].map(p => $('panel-' + p).textContent)")
    expect(f"results of an older text: {panels}", set(panels) == {"The module has an error."})
    b.run("$('module').scrollTop = 900, new Promise(done => setTimeout(done, 200))")
    expect("marks do not scroll with the text", b.run("$('marks').scrollTop === $('module').scrollTop && $('marks').scrollTop > 0"))
    if len(sys.argv) > 1:
        b.picture(sys.argv[1])
    put(TEXT.replace("OP", "add"))
    expect("marks of an older text", b.run("document.querySelectorAll('mark').length") == 0)
    expect("no results again", b.run("$('panel-after').textContent") == "optimized")
    # A link, opened elsewhere.
    b.click("#share")
    b.run("new Promise(done => setTimeout(done, 500))")
    link = b.run("location.hash")
    expect(f"no link: {link[:40]}", link.startswith("#text=") and len(link) < len(TEXT) + 200)
    for hash_, wanted in ((link, TEXT.replace("OP", "add")), ("#text=AAAA", None)):
        b.open("/dev/null")
        b.open(str(page) + hash_)
        b.run("ready")
        if wanted is None:
            expect("a broken link is not told", "cannot be read" in b.run("$('error').textContent"))
        else:
            expect("the link's text is another", b.run("$('module').value") == wanted)
    return found + [f"the console: {line}" for line in b.console]


def main():
    if not devtools.find_browser():
        print("there is no Chromium (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "hloir.js").write_text(STAND_IN)
        (folder / "dagre.js").write_text("")
        page = folder / "playground.html"
        subprocess.run(["cmake", f"-DTREE={ROOT}", f"-DDAGRE={folder}/dagre.js", f"-DCODE={folder}/hloir.js", f"-DOUT={page}",
                        "-P", ROOT / "docs/playground/page.cmake"], check=True)
        b = devtools.Browser()
        try:
            found = faults(b, page)
        finally:
            b.close()
    print("\n".join(found) or "as it should be")
    return 1 if found else 0


sys.exit(main())
