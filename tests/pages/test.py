#!/usr/bin/env python3
"""Opens each kind of page in Chromium, clicks and types through it, in light and dark, and minds what Browser.faults says:
tests/pages/test.py HLOIR [--frames]. Exit status 77, which ctest shows as skipped, where there is no Chromium."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as devtools

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTILE = r'''HloModule hostile
ENTRY e {
  x = f32[4]{0} parameter(0), metadata={op_name="</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"}
  y = f32[4]{0} add(x, x), metadata={op_name="a" source_file="</script><img src=x onerror=alert(2)>" source_line=3}, frontend_attributes={k="<img src=x onerror=\"alert(3)\">"}
  ROOT r = f32[4]{0} negate(y), metadata={op_name="\"'>&lt;</title>/<b>${x}`"}
}
'''
failures = []


def check(page, what, condition):
    if not condition:
        failures.append(f"{page}: {what}")


def mind(b, page):
    for fault in b.faults() + b.axe():
        check(page, fault, False)


def elsewhere(b, page, path, dark):
    """On a phone nothing is wider than it, and all cells of tables are seen; on paper it is day."""
    b.open(path, dark, width=390, height=844)
    check(page, f"a phone scrolls sideways: {b.run('document.documentElement.scrollWidth')}", b.run("document.documentElement.scrollWidth <= innerWidth"))
    cut = b.run("[...document.querySelectorAll('td, th')].filter((e) => e.checkVisibility() && !e.closest('.cards > thead:not(.sorts)') && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.textContent).slice(0, 3)")
    check(page, f"a phone cuts {cut}", not cut)
    narrow = b.run("[...document.querySelectorAll('td')].filter((e) => e.checkVisibility() && e.textContent.length > 8 && e.getBoundingClientRect().width < 70).map((e) => e.textContent).slice(0, 3)")
    check(page, f"a phone squeezes {narrow}", not narrow)
    for fault in b.axe():
        check(page + ", on a phone", fault, False)
    b.open(path, dark)
    for fault in b.on_paper():
        check(page + ", on paper", fault, False)
    check(page, "after paper it is as before", b.run("document.documentElement.classList.contains('dark')") is dark)
    if page == "graph":
        b.call("Emulation.setEmulatedMedia", media="print")
        b.settle()
        contrast = b.run(CONTRAST)
        check(page, f"text on boxes has a contrast of {contrast:.1f} on paper", contrast >= 4.5)
        b.call("Emulation.setEmulatedMedia", media="")


def checks_itself(b, folder):
    """A page with each fault has each fault."""
    page = folder / "faults.html"
    page.write_text("<title>x</title><img src='http://127.0.0.1:9/x.png'><div style='position:absolute;left:0;top:90px'>one text"
                    "</div><div style='position:absolute;left:4px;top:94px'>another</div><button></button><script>nothing()</script>")
    b.open(page)
    found = " ".join(b.faults())
    for fault in ("the console: ReferenceError", "a request: http://127.0.0.1:9", "lie on one another", "nameless: a button", "0 main parts"):
        check("the page of faults", fault, fault in found)


def graph(b, path, dark):
    b.open(path, dark)
    hostile = "hostile" in b.run("data.name")
    check("graph", "boxes are drawn", b.run("document.querySelectorAll('.box').length") > 1)
    check("graph", "a module without op_names says so, others do not", b.run("document.getElementById('note').hidden") == (b.run("data.named") > 0))
    mind(b, "graph")
    b.click("#fit")
    b.run("document.getElementById('stage').focus()")
    b.key("ArrowDown")
    b.key("ArrowDown")
    check("graph", "an arrow selects", b.run("document.querySelectorAll('.box.selected').length") == 1)
    check("graph", "details are of the selected box", b.run("document.querySelector('#details h2').textContent === selected.title"))
    # A click opens in place, another on its head folds; the address remembers.
    b.run("for (const n of each(root)) n.open = false; relayout()")
    closed = b.run("drawn.length")
    opens = b.run("drawn.findIndex((n) => n.opens && n.h > 30)")
    check("graph", "fusions open", opens >= 0 or hostile)
    if opens >= 0:
        key = b.run(f"drawn[{opens}].key")
        b.click(".box", opens)
        check("graph", "a click opens in place", b.run(f"find('{key}').open && drawn.length") > closed)
        check("graph", "and the parts are inside", b.run(f"""(() => {{ const n = find('{key}'); return n.kids.every((k) =>
              k.x >= n.x && k.y >= n.y && k.x + k.w <= n.x + n.w + 0.5 && k.y + k.h <= n.y + n.h + 0.5); }})()"""))
        mind(b, "graph, opened")
        address = b.run("location.hash")
        check("graph", "the address says what is open", key in b.run("new URLSearchParams(location.hash.slice(1)).get('open')"))
        b.key("Enter")
        check("graph", "Enter folds", b.run("drawn.length") == closed)
        b.key("f")
        check("graph", "f shows it alone", b.run("root.view") != 0)
        mind(b, "graph, alone")
        b.run("new Promise((done) => { addEventListener('popstate', () => setTimeout(done, 50), { once: true }); history.back(); })")
        check("graph", "the browser's Back goes back", b.run("root.view") == 0)
        b.run(f"(() => {{ location.hash = {json.dumps(address)}; recall(); }})()")
        check("graph", "an address opens what it says", b.run(f"find('{key}')?.open") is True)
    b.key("/")
    check("graph", "/ goes to the search", b.run("document.activeElement.id") == "search")
    b.type("^f32.4" if hostile else "fusion|dot")
    check("graph", "a regular expression finds, by shape or opcode", b.run("document.querySelectorAll('#found button').length") > 0)
    check("graph", "what is found is marked", b.run("document.querySelectorAll('.box.hit').length") > 0)
    mind(b, "graph, searching")
    b.key("ArrowDown")
    b.key("Enter")
    check("graph", "what was found is selected", b.run("document.querySelectorAll('.box.selected').length") == 1)
    # A computation's name finds what is in it.
    called = b.run("V.findIndex((v, k) => k > 0 && v.f !== V[0].f)")
    if called > 0:
        b.run(f"(() => {{ $('search').value = '^' + V[{called}].f.replaceAll('.', '[.]') + '$'; search(); }})()")
        b.run("new Promise((done) => { const wait = () => document.querySelector('#found div').textContent === 'searching…' ? setTimeout(wait, 10) : done(); wait(); })")
        check("graph", "a computation's name finds its instructions", b.run(f"hits.length > 0 && hits.every((id) => V[instruction(id).v].f === V[{called}].f)"))
        b.run("(() => { $('search').value = ''; search(); })()")
    # Each colour has its legend.
    legend = b.run("document.getElementById('legend').textContent")
    check("graph", "the legend is of the measure", "Share of" in legend and b.run("measures[by][1]") in legend)
    b.run("(() => { const s = document.getElementById('by'); s.selectedIndex = s.options.length - 1; s.onchange(); })()")
    check("graph", "and follows it", "Share of instructions" in b.run("document.getElementById('legend').textContent"))
    b.key("c")
    check("graph", "colors are by kind", b.run("document.getElementById('color').value") == "kind" and
          "collective" in b.run("document.getElementById('legend').textContent"))
    b.key("c")
    for _ in range(2):
        contrast = b.run(CONTRAST)
        check("graph", f"text on boxes has a contrast of {contrast:.1f}", contrast >= 4.5)
        b.key("d")
    check("graph", "d turns dark and back", b.run("document.documentElement.classList.contains('dark')") is dark)
    # Two fingers zoom, and what is then off screen is on the small map.
    b.click("#fit")
    check("graph", "nothing is off screen, and there is no small map", b.run("document.getElementById('minimap').hidden"))
    before = b.run("box.k")
    touch = lambda kind, *points: b.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)])
    touch("touchStart", (300, 300), (400, 300))
    touch("touchMove", (200, 300), (500, 300))
    touch("touchMove", (100, 300), (600, 300))
    touch("touchEnd")
    b.settle()
    check("graph", "two fingers zoom", b.run("box.k") > 1.5 * before)
    check("graph", "the small map is there", not b.run("document.getElementById('minimap').hidden"))
    mind(b, "graph, zoomed")
    where = b.run("[box.x, box.y]")
    touch("touchStart", (500, 400))
    touch("touchMove", (460, 430))
    touch("touchMove", (420, 460))
    touch("touchEnd")
    b.settle()
    moved = [now - then for now, then in zip(b.run("[box.x, box.y]"), where)]
    check("graph", f"one finger drags: {moved}", moved[0] < -30 and moved[1] > 20)
    # A press on the small map shows that place: its first corner, and its last.
    for corner in (0.02, 0.98):
        b.run(f"(() => {{ const m = $('minimap'), r = m.getBoundingClientRect(); m.dispatchEvent(new PointerEvent('pointerdown', {{ clientX: r.left + r.width * {corner}, clientY: r.top + r.height * {corner}, buttons: 1 }})); }})()")
        b.settle()
        # A pixel of the small map is some percent of the window. (One of 20 pixels, whatever its module is, has a margin.)
        off = b.run(f"(() => {{ const r = stage.getBoundingClientRect(); return [(box.x + {corner} * root.w * box.k) / r.width - 0.5, (box.y + {corner} * root.h * box.k) / r.height - 0.5]; }})()")
        check("graph", f"what is pressed on the small map is off the middle by {off}", hostile or max(map(abs, off)) < 0.1)
    b.click("#fit")


# The least contrast of a box's text with the box.
CONTRAST = r"""(() => {
  const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const light = (c) => { const [r, g, b] = c.map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  let least = 99;
  for (const node of drawn.filter((n) => !n.open)) {
    const back = light(rgb(getComputedStyle(node.g.querySelector("rect")).fill));
    for (const t of node.g.querySelectorAll("text")) { const l = light(rgb(getComputedStyle(t).fill)); least = Math.min(least, (Math.max(l, back) + 0.05) / (Math.min(l, back) + 0.05)); }
  }
  return least;
})()"""


def explain(b, path, dark):
    b.open(path, dark)
    steps = b.run("data.steps.length")
    mind(b, "explain")
    # The whole is a diff: unfolded, its sides are the two texts, and what is marked in both is not the same.
    check("explain", "the whole shows what went and came", b.run("data.before === data.after || document.querySelectorAll('.lines del, .lines ins').length > 0"))
    check("explain", "most of what is the same is folded", b.run("document.querySelectorAll('.lines .fold').length > 0 || data.before.split('\\n').length < 30 || data.before === data.after"))
    b.run("document.querySelectorAll('.lines .fold').forEach((e) => e.click())")
    for side, gone in (("before", "ins"), ("after", "del")):
        text = b.run(f"""(() => {{ const cells = [...document.querySelectorAll('.lines > :not(h2):not(button)')];
                     return cells.filter((c, k) => k % 2 === {0 if side == "before" else 1} && !(c.className === "twin" && c.textContent === "" && cells[k {"+" if side == "before" else "-"} 1].tagName === "{gone.upper()}")).map((c) => c.textContent).join("\\n"); }})()""")
        wanted = b.run(f"linesOf(data.{side}).lines.join('\\n')")
        check("explain", f"the side {side} is another text", text == wanted or b.run("data.before === data.after"))
    check("explain", "a difference is one", b.run("[...document.querySelectorAll('.lines > del')].every((e) => e.nextSibling.className === 'twin' || e.textContent !== e.nextSibling.textContent)"))
    # Each rewrite is in its pass and rule, which say how many there are.
    check("explain", "all rewrites are listed", b.run("document.querySelectorAll('#list details details button').length") == steps)
    check("explain", "rules have their counts", b.run("""[...document.querySelectorAll('#list details details')].every((d) => {
          const [, all, refused] = / (\\d+)(?:, (\\d+) refused)?$/.exec(d.querySelector('summary').textContent);
          return +all === d.querySelectorAll('button').length && +(refused || 0) === d.querySelectorAll('.declined').length; })"""))
    check("explain", "passes have theirs", b.run("[...document.querySelectorAll('#list .run')].every((d) => (d.querySelectorAll('button').length || '') == (d.querySelector('summary span').textContent))"))
    current = "document.querySelector('#list [aria-current=true]').dataset.k"
    for k in range(steps):
        b.run(f"show({k})")
        check("explain", f"rewrite {k} is seen in the list", b.run(f"{current} === '{k}' && document.querySelector('#list [aria-current=true]').checkVisibility()"))
        check("explain", f"rewrite {k} has values or the reason why not", b.run("[...document.querySelectorAll('#main .pill')].some((e) => /^values|^VALUES|^not run: .|^nothing changed/.test(e.textContent))"))
    if steps > 1:
        mind(b, "explain, the last")
        b.key("ArrowLeft")
        check("explain", "an arrow goes back", b.run(current) == str(steps - 2))
    b.key("p")
    b.key("n")
    b.key("/")
    check("explain", "/ goes to the search", b.run("document.activeElement.id") == "search")
    b.type("fusion")
    b.key("Enter")
    b.key("Escape")
    b.click("#theme")
    mind(b, "explain, other colors")


def diff(b, path, dark):
    b.open(path, dark)
    b.run("Promise.all(Object.values(frames).map((f) => f.contentWindow.go ? 1 : new Promise((done) => f.addEventListener('load', done))))")
    b.settle()
    inside = lambda side, what: b.run(what, frame=side)
    mind(b, "diff")
    for side in ("before", "after"):
        check("diff", f"{side} is drawn", inside(side, "drawn.length") > 1)
        check("diff", f"{side} is colored by match, and the legend says so", inside(side, "$('color').value") == "match" and
              "the same" in inside(side, "$('legend').textContent"))
        check("diff", f"{side} has the colors of the page", inside(side, "isDark()") is dark)
        contrast = inside(side, CONTRAST)
        check("diff", f"text on boxes has a contrast of {contrast:.1f}", contrast >= 4.5)
        # The boxes of all that is drawn add up to what differs.
        counts = b.run("data.counts")
        sums = inside(side, "V[0].z || [0, 0]")
        check("diff", f"{side}: sums {sums} of {counts}", sums == [counts[1], counts[2 if side == "before" else 3]] or "hostile" not in b.run("data.before.name"))
    kinds = b.run("data.changes.map((c) => c[2])")
    check("diff", "differences are listed", len(kinds) == b.run("document.querySelectorAll('#list button').length") == sum(b.run("data.counts.slice(1)")))
    # Each difference is selected on the sides that have it, and has its color there.
    color = {"went": ("before", "var(--went)"), "came": ("after", "var(--came)"), "changed": ("before", "var(--changed)")}
    seen = set()
    for k in range(len(kinds)):
        b.key("n")
        before, after, kind, name, words = b.run(f"data.changes[{k}]")
        for side in ("before", "after"):
            place = inside(side, "selected && [selected.x * box.k + box.x, selected.y * box.k + box.y, stage.clientWidth, stage.clientHeight]")
            check("diff", f"{name} is selected {side} and is not seen: {place}", not place or None not in place and -1 <= place[0] < place[2] and -1 <= place[1] < place[3])
        if kind in seen:
            continue
        check("diff", f"n goes to the next, {k}", b.run("[...document.querySelectorAll('#list button')].findIndex((e) => e.getAttribute('aria-selected') === 'true')") == k)
        side, wanted = color[kind]
        own = inside(side, f"(selected && selected.ref === {before if side == 'before' else after}) ? selected.g.querySelector('rect').style.fill : ''")
        if own:  # else it is folded into another box
            seen.add(kind)
            check("diff", f"{kind} is {own}", own in (wanted, "var(--changed)"))
            check("diff", f"{words} is on the box", words in inside(side, "selected.lines.join()") or inside(side, "selected.opens"))
    check("diff", f"only {seen} of {set(kinds)} have been seen", seen == set(kinds))
    # What is selected on one side, its match is on the other.
    pair = inside("before", "drawn.map((n) => n.i && n.i.o !== undefined ? [n.ref, n.i.o] : null).find((p) => p)")
    if pair:
        inside("before", f"select(drawn.find((n) => n.ref === {pair[0]}))")
        check("diff", "the match is selected", inside("after", f"selected && (selected.ref === {pair[1]} || (selected.i.g || []).includes({pair[1]}))"))
    # Of one kind alone.
    why, many = b.run("[...words].sort((a, b) => b[1] - a[1])[0]") or [None, 0]
    if why:
        b.run(f"(() => {{ $('why').value = {json.dumps(why)}; $('why').onchange(); }})()")
        check("diff", f"{many} are {why}", b.run("document.querySelectorAll('#list button:not([hidden])').length") == many)
        for k in range(2):
            chosen = b.run("data.changes[at][4]")
            check("diff", f"n leads from {why} to {chosen}", chosen == why)
            b.key("n")
        b.run("(() => { $('why').value = ''; $('why').onchange(); })()")
    b.key("p")
    b.click("#theme")
    check("diff", "both maps turn dark and back", inside("before", "isDark()") is inside("after", "isDark()") is not dark)
    mind(b, "diff, other colors")
    b.open(path, dark, width=390, height=800)
    check("diff", "a phone shows one below the other", b.run("document.documentElement.scrollWidth <= innerWidth && $('after').getBoundingClientRect().top > $('before').getBoundingClientRect().bottom"))


def triage(b, path, dark):
    rows = "document.querySelectorAll('#list tbody tr').length"
    b.open(path, dark)
    count = b.run(rows)
    check("triage", "programs are listed", count > 0)
    check("triage", "the first is chosen", b.run("document.querySelector('#main h1').textContent.length") > 0)
    mind(b, "triage")
    kinds = b.run("document.querySelectorAll('#kinds button').length")
    check("triage", "classes that occur have a button", kinds > 0)
    for kind in range(kinds):
        b.click("#kinds button", kind)
    check("triage", "classes that are switched off are not shown", b.run(rows) == 0)
    b.click("#kinds button", 0)
    check("triage", "and shown again", b.run(rows) > 0)
    for kind in range(1, kinds):
        b.click("#kinds button", kind)
    check("triage", "all are there again", b.run(rows) == count)
    b.key("ArrowDown")
    check("triage", "an arrow chooses the next", b.run("document.getElementById('says').textContent") != "")
    b.key("/")
    b.type("no such thing")
    check("triage", "nothing is found", b.run(rows) == 0)
    b.key("Escape")
    check("triage", "Escape clears the search", b.run(rows) == count)


def dumps(b, path, dark):
    b.open(path, dark)
    check("dumps", "modules are listed", b.run("document.querySelectorAll('#list tbody tr').length") > 0)
    check("dumps", "stages are shown", b.run("document.querySelectorAll('#main table tbody tr').length") > 0)
    mind(b, "dumps")
    # What each stage changed unfolds, by mouse and by keyboard.
    stages = "document.querySelectorAll('#main button.stage').length"
    for _ in range(4):
        if not b.run(stages):
            b.key("ArrowDown")
    check("dumps", "stages that changed something unfold", b.run(stages) > 0)
    b.click("#main button.stage")
    check("dumps", "a click unfolds", b.run("document.querySelectorAll('#main tr.diff pre .went, #main tr.diff pre .came').length") > 0)
    mind(b, "dumps, unfolded")
    b.key("Enter")
    check("dumps", "Enter folds", b.run("document.querySelectorAll('#main tr.diff').length") == 0)
    b.key("o")
    check("dumps", "o unfolds all", b.run("document.querySelectorAll('#main tr.diff').length") == b.run(stages))
    mind(b, "dumps, all unfolded")
    b.click("#list th button", 2)
    check("dumps", "sorted by instructions", b.run("document.querySelectorAll('#list th')[2].getAttribute('aria-sort')") == "ascending")
    counts = b.run("[...document.querySelectorAll('#list tbody tr')].map((r) => +r.cells[2].textContent)")
    check("dumps", "the order is right", counts == sorted(counts))
    b.key("ArrowDown")
    check("dumps", "an arrow chooses the next", b.run("document.getElementById('says').textContent") != "")
    b.key("/")
    b.type("no such thing")
    check("dumps", "nothing is found", b.run("document.querySelectorAll('#list tbody tr').length") == 0)
    b.key("Escape")
    check("dumps", "all are there again", b.run("document.querySelectorAll('#list tbody tr').length") > 0)
    b.click("#theme")
    mind(b, "dumps, other colors")


def profile(b, path, dark):
    b.open(path, dark)
    check("profile", "steps are drawn", b.run("document.querySelectorAll('#flame .step').length") > 1)
    mind(b, "profile")
    b.run("document.querySelector('#flame .step[tabindex=\"0\"]').focus()")
    b.key("ArrowDown")
    check("profile", "an arrow goes up the stack", b.run("document.activeElement.getAttribute('aria-level')") == "2")
    # To one that has others beside it.
    for _ in range(4):
        if b.run("document.activeElement.style.width") != "100%":
            break
        b.key("ArrowDown")
    name, width = b.run("[document.activeElement.textContent, document.activeElement.style.width]")
    check("profile", "some are beside one another", width != "100%" or "hostile" in b.run("data.name"))
    b.key("Enter")
    check("profile", "Enter widens", b.run("document.activeElement.textContent") == name and
          b.run("document.activeElement.style.width") == "100%")
    b.key("Backspace")
    check("profile", "of five runs there are medians", b.run("data.runs === 5 && data.steps.every((s) => s.p10 <= s.median && s.median <= s.p90) && data.median > 0"))
    heads = b.run("[...document.querySelectorAll('#table th')].map((e) => e.textContent)")
    check("profile", f"the table has them: {heads}", heads[3:8] == ["calls", "median", "10 %", "90 %", "share"])
    check("profile", "each color is in the legend", b.run("[...document.querySelectorAll('#flame .step:not(.mixed)')].every((e) => [...document.querySelectorAll('#legend span')].some((l) => { const p = document.createElement('p'); p.style.background = l.style.getPropertyValue('--c'); return p.style.background === e.style.background; }))"))
    b.run("(() => { const s = document.getElementById('by'); s.value = 'kernel'; s.onchange(); })()")
    check("profile", "stacked by kernel", b.run("[...document.querySelectorAll('#flame .step')].some((b) => /^(dot|loop|copy)$/.test(b.textContent))"))
    b.key("/")
    b.type("loop")
    check("profile", "what is sought is marked", b.run("document.querySelectorAll('#flame .found').length") > 0)
    b.key("Escape")
    b.click("#flame .step", 1)
    b.click("#all")
    mind(b, "profile, clicked")


def frames(b, hloir, folder, size):
    """How long a page of a large module takes until it is drawn, and the times between frames, in milliseconds, while a view of
    it is dragged and zoomed."""
    lines = ["  v0 = f32[8,8]{1,0} parameter(0)"]
    for k in range(1, size):
        lines.append(f"  {'ROOT ' if k == size - 1 else ''}v{k} = f32[8,8]{{1,0}} add(v{k - 1}, v{max(0, k - 7)}), "
                     f'metadata={{op_name="jit(f)/layer_{k // 190}/add"}}')
    big = folder / "big.hlo"
    big.write_text("HloModule big\nENTRY e {\n" + "\n".join(lines) + "\n}\n")
    page = folder / "big.html"
    begin = time.time()
    subprocess.run([hloir, "graph", big, "-o", page], check=True)
    made = time.time() - begin
    # Other work on the machine makes it longer: the shortest of three, and what the page's own thread takes.
    b.call("Performance.enable", timeDomain="threadTicks")
    opened = []
    for _ in range(3):
        b.open(page)
        tasks = next(m["value"] for m in b.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
        opened.append((b.run("Math.max(performance.getEntriesByType('navigation')[0].loadEventEnd, "
                             "performance.getEntriesByType('paint')[0].startTime)"), tasks * 1e3))
    print(f"{size} instructions: made in {made:.1f} s, {page.stat().st_size / 1e6:.1f} MB; open and drawn folded, "
          f"{b.run('document.querySelectorAll(`.box`).length')} boxes, in {min(opened)[0]:.0f} ms (of which its thread runs {min(opened)[1]:.0f})")
    # The view with the most boxes.
    b.run("show(data.views.reduce((best, v, k) => v.b.length > data.views[best].b.length ? k : best, 0))")
    b.settle()
    boxes = b.run("document.querySelectorAll('.box').length")
    b.run("""(() => { window.times = []; let last = 0; const tick = (t) => { if (last) times.push(t - last); last = t; requestAnimationFrame(tick); }; requestAnimationFrame(tick); })()""")
    for kind in ("mousePressed", "mouseReleased"):
        b.call("Input.dispatchMouseEvent", type=kind, x=400, y=400, button="left", clickCount=1)
    b.run("times.length = 0")
    b.call("Input.dispatchMouseEvent", type="mousePressed", x=400, y=400, button="left", clickCount=1)
    b.run("times.length = 0")
    for k in range(60):
        b.call("Input.dispatchMouseEvent", type="mouseMoved", x=400 + 3 * k, y=400 + 4 * (k % 30), button="left", buttons=1)
    b.call("Input.dispatchMouseEvent", type="mouseReleased", x=580, y=400, button="left", clickCount=1)
    drag = sorted(b.run("times.splice(0)"))
    for k in range(60):
        b.call("Input.dispatchMouseEvent", type="mouseWheel", x=500, y=400, deltaX=0, deltaY=-40 if k < 30 else 40)
    zoom = sorted(b.run("times.splice(0)"))
    middle = lambda t: t[len(t) // 2] if t else 0
    print(f"its largest view, {boxes} boxes: dragging {middle(drag):.0f} ms a frame (slowest tenth from {drag[-len(drag) // 10]:.0f}), "
          f"zooming {middle(zoom):.0f} ms (from {zoom[-len(zoom) // 10]:.0f})")


def main():
    if not devtools.find_browser():
        print("there is no Chromium (Debian: chromium)")
        return 77
    hloir = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        b = devtools.Browser()
        try:
            if "--frames" in sys.argv:
                for size in (10000, 100000):
                    frames(b, hloir, folder, size)
                return 0
            checks_itself(b, folder)
            (folder / "hostile.hlo").write_text(HOSTILE)
            real = ROOT / "corpus" / "with_metadata" / "attention_forward.opt.hlo"
            dump = folder / "dump"
            dump.mkdir()
            for name, module in (("module_0001.jit_f</script><b>", folder / "hostile.hlo"), ("module_0002.jit_attention", real),
                                 ("module_0003.jit_attention", real.with_name("attention_forward.hlo"))):
                subprocess.run([hloir, "opt", module, f"--dump-to={dump}", "-o", os.devnull], check=True)
                shutil.copy(module, dump / f"{name.replace('/', '_')}.before_optimizations.txt")
            subprocess.run([hloir, "dumps", dump, "-o", folder / "dumps.html"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([hloir, "triage", dump, "-o", folder / "triage.html"], stdout=subprocess.DEVNULL)
            for module in (folder / "hostile.hlo", real):
                hostile = module.name == "hostile.hlo"
                page = lambda kind: folder / f"{kind}.html"
                subprocess.run([hloir, "graph", module, "-o", page("graph")], check=True)
                changed = folder / "changed.hlo"
                changed.write_text(HOSTILE.replace("negate(y)", "abs(y)").replace("f32[4]{0} add(x, x)", "f32[4]{0} multiply(x, x)"))
                subprocess.run([hloir, "diff", *((module, changed) if hostile else (real.with_name("attention_forward.hlo"), module)), "-o", page("diff")])
                subprocess.run([hloir, "explain", module, "--passes=algebraic-simplifier,fusion", "-o", page("explain")], check=True)
                subprocess.run([hloir, "run", module, "--profile", "--repeat=5", "-o", page("profile")], check=True, stdout=subprocess.DEVNULL)
                for kind, walk in (("graph", graph), ("diff", diff), ("explain", explain), ("dumps", dumps), ("triage", triage), ("profile", profile)):
                    text = page(kind).read_text()
                    for word in ("http://", "https://", "src=", "@import"):
                        # Namespaces are names, and hostile ones are data.
                        ours = text.replace("http://www.w3.org/2000/svg", "").split('id="data">')[0]
                        check(kind, f"nothing is fetched: {word}", word not in ours)
                    for dark in (False, True):
                        walk(b, page(kind), dark)
                        elsewhere(b, kind, page(kind), dark)
                        if hostile:
                            check(kind, "a name was taken for a script", b.run("document.title") != "taken")
        finally:
            b.close()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
