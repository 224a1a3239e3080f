#!/usr/bin/env python3
"""The playground's page in Chromium without hloir in it: what the page itself does with a text. A stand-in answers that
`adde` is an error at its place, and that any other text has no rewrites; so nothing has to be compiled to WebAssembly, and
what hloir says of a module is not tested here (tests/pages/playground does that). Marks of errors, results of an older
text, links, files, work that is cancelled, lessons. Exit status 77, which ctest shows as skipped, where there is no Chromium.
With --make OUT.html it writes the page and no more."""
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
function Hloir({progress}) {
  const figures = {instructions: 1, top_level: 1, flops: 0, transcendentals: 0, bytes: 0};
  const answer = (name, text, values) => {
    if (name === "hloir_read") return {text: "HloModule of " + values[1] + " bytes"};
    progress(name);
    if (name === "hloir_check" && text.includes("slow")) for (const end = Date.now() + 60000; Date.now() < end;) ;
    if (name === "hloir_check" && text.includes("trap")) throw new Error("unreachable");
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
  return Promise.resolve({ccall: (name, result, types, values) => JSON.stringify(answer(name, values[0], values))});
}
"""
TEXT = "HloModule m\n// é𝄞\n" + "\n" * 60 + "ENTRY e {\n  x = f32[] parameter(0) /* é𝄞 */\n  /* é𝄞 */ ROOT y = f32[] OP(x, x)\n}\n"


def faults(b, page):
    found = []

    def expect(what, holds):
        if not holds:
            found.append(what)

    def put(text):
        b.run(f"(async () => {{ await ready; $('module').value = {text!r}; await update(); }})()")
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
    # Work may be cancelled, by a person or by an edit; a page that works is at hand.
    b.run("void ($('module').value = 'slow', update())")
    b.run("new Promise(done => setTimeout(done, 300))")
    expect(f"no progress: {b.run('$(`state`).textContent')}", "hloir_check" in b.run("$('state').textContent"))
    expect("older results do not look old", b.run("$('panel-after').classList.contains('stale')"))
    b.click("#cancel")
    b.run("new Promise(done => setTimeout(done, 100))")
    expect("work goes on after it was cancelled", b.run("$('state').textContent") == "cancelled" and b.run("$('cancel').hidden"))
    expect("results of cancelled work", b.run("$('panel-after').textContent") == "Cancelled.")
    b.run("void ($('module').value = 'slow', update())")
    put(TEXT.replace("OP", "add"))
    expect("an edit waits for older work", b.run("$('panel-after').textContent") == "optimized" and b.run("calls.size") == 0)
    put("trap")
    expect("a trap is not told", "This is a bug" in b.run("$('error').textContent"))
    put(TEXT.replace("OP", "add"))
    expect("nothing works after a trap", b.run("$('panel-after').textContent") == "optimized")
    # Files: text, a message, both packed, and what is too large.
    for what, made, wanted in (
            ("text", "new File(['HloModule dropped'], 'm.hlo')", "HloModule dropped"),
            ("a message", "new File([new Uint8Array([10, 0, 255])], 'm.pb')", "HloModule of 3 bytes"),
            ("JSON", "new File([' {}'], 'm.json')", "HloModule of 3 bytes"),
            ("packed text", "new File([await new Response(new Blob(['HloModule packed']).stream().pipeThrough(new CompressionStream('gzip'))).blob()], 'm.hlo.gz')",
             "HloModule packed")):
        b.run(f"(async () => {{ await open({made}); }})()")
        expect(f"{what} is not read: {b.run('$(`module`).value')[:40]}", b.run("$('module').value") == wanted)
    b.run("open(new File(['x'.repeat(largest + 1)], 'm.hlo'))")
    expect("a large file is taken", "takes" in b.run("$('error').textContent") and b.run("$('module').value") == wanted)
    # Each lesson's text, with its modules.
    b.click("#tab-lesson")
    for name in b.run("Object.keys(lessons)"):
        b.run(f"$('lesson').value = {name!r}, $('lesson').onchange()")
        left = b.run("[...$('lesson-text').querySelectorAll('p, li, td, h2, h3')].map(e => e.textContent).filter(t => /```|\\*\\*|^#|\\]\\(/.test(t))")
        expect(f"{name}: Markdown is left: {left}", not left)
        expect(f"{name} has no picture", b.run("$('lesson-text').querySelectorAll('svg[role=img][aria-label] text').length") > 3)
    expect(f"{name} has no text", b.run("$('lesson-text').querySelectorAll('h2, pre, p').length") > 10)
    b.run("$('lesson').value = '02-folding', $('lesson').onchange()")
    if len(sys.argv) > 1:
        b.picture(sys.argv[1].replace(".", "-lesson."))
    b.click("#lesson-text button")
    b.settle()
    expect("a lesson's module is not opened", b.run("$('module').value === examples[$('example').value] && $('example').value.startsWith('02-folding/')"))
    put(TEXT.replace("OP", "add"))
    b.run("$('passes').value = 'dce,cse', $('math').value = '2'")
    # A link, opened elsewhere.
    b.click("#share")
    b.run("new Promise(done => setTimeout(done, 500))")
    link = b.run("location.hash")
    expect(f"no link: {link[:40]}", link.startswith("#text=") and len(link) < len(TEXT) + 200)
    expect(f"faults: {b.nameless()}", not b.nameless())
    for hash_, wanted in ((link, TEXT.replace("OP", "add")), ("#text=AAAA", None)):
        b.open("/dev/null")
        b.open(str(page) + hash_)
        b.run("ready")
        if wanted is None:
            expect("a broken link is not told", "cannot be read" in b.run("$('error').textContent"))
        else:
            expect("the link's text is another", b.run("$('module').value") == wanted)
            expect("the link's passes are others", b.run("$('passes').value + $('math').value") == "dce,cse2")
    return found + [f"the console: {line}" for line in b.console]


def make(page):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "hloir.js").write_text(STAND_IN)
        (folder / "dagre.js").write_text("")
        subprocess.run(["cmake", f"-DTREE={ROOT}", f"-DDAGRE={folder}/dagre.js", f"-DCODE={folder}/hloir.js", f"-DOUT={page}",
                        "-P", ROOT / "docs/playground/page.cmake"], check=True)


def main():
    if sys.argv[1:2] == ["--make"]:
        return make(os.path.abspath(sys.argv[2]))
    if not devtools.find_browser():
        print("there is no Chromium (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "playground.html"
        make(page)
        b = devtools.Browser()
        try:
            found = faults(b, page)
        finally:
            b.close()
    print("\n".join(found) or "as it should be")
    return 1 if found else 0


sys.exit(main())
