#!/usr/bin/env python3
"""The site's pages in Chromium, from their files, as scripts/site has built them: tests/pages/site.py FOLDER. The first page, every
lesson's and some others, by day and by night, with Browser.faults, and walked by keyboard. Exit status 77, which ctest shows as
skipped, where there is no Chromium or no site."""
import html
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser as devtools

failures = []


def check(page, what, condition):
    if not condition:
        failures.append(f"{page}: {what}")


def search(b, root, page):
    """The search of a page that is read from a file finds by all words, and leads to what it found."""
    b.open(page)
    b.click("[data-target='#mkdocs_search_modal']")
    b.run("new Promise((done) => setTimeout(done, 600))")  # it slides in
    b.run("document.getElementById('mkdocs-search-query').focus()")
    b.type("constant folding")
    links = "[...document.querySelectorAll('#mkdocs-search-results a')]"
    for _ in range(100):
        if b.run(links + ".length"):
            break
        b.settle()
    titles = b.run(links + ".map((a) => a.textContent)")
    check(page.name, f"the lesson is not the first that is found: {titles[:3]}", titles and titles[0] == "Constant folding")
    if titles:
        target = b.run(links + "[0].href")
        b.click("#mkdocs-search-results a")
        for _ in range(50):
            if b.run("location.href") == target:
                break
            b.settle()
        check(page.name, "what is found does not open", b.run("location.href") == target and "02-folding" in target)
    b.open(page)
    b.click("[data-target='#mkdocs_search_modal']")
    b.run("document.getElementById('mkdocs-search-query').focus()")
    b.type("xyzzy <img src=x>")
    check(page.name, "what is not there is found", not b.run(links + ".length"))


def colors(b, page):
    """HLO and commands have colors, and the text is as it was."""
    b.open(page)
    kinds = set(b.run("[...document.querySelectorAll('pre span')].map((e) => e.className)"))
    wanted = {f"hlo-{kind}" for kind in ("command", "keyword", "type", "opcode", "attribute")}
    check(page.name, f"without colors: {wanted - kinds}", wanted <= kinds)
    opcodes = b.run("[...document.querySelectorAll('pre .hlo-opcode')].map((e) => e.textContent)")
    check(page.name, f"opcodes {set(opcodes)}", {"multiply", "broadcast", "parameter"} <= set(opcodes))
    written = [html.unescape(re.sub("<[^>]*>", "", block)) for block in re.findall(r"<pre><code[^>]*>(.*?)</code></pre>", page.read_text(), re.S)]
    check(page.name, "the text of code is another", written and written == b.run("[...document.querySelectorAll('pre > code')].map((e) => e.textContent)"))


def visit(b, root, page, dark, width=1280):
    name = f"{page.relative_to(root)}{', dark' if dark else ''}{', narrow' if width < 1000 else ''}"
    b.open(page, dark, width=width)
    files = root.as_uri()
    for fault in b.faults():
        if not fault.startswith(f"a request: {files}"):
            failures.append(f"{name}: {fault}")
    check(name, f"the page is wider than its window: {b.run('document.documentElement.scrollWidth')}",
          b.run("document.documentElement.scrollWidth <= innerWidth"))
    unseen = b.run("[...document.images].filter((i) => !i.complete || !i.naturalWidth || !i.alt).map((i) => i.src)")
    check(name, f"pictures are not seen, or have no words: {unseen}", not unseen)
    light = b.run("getComputedStyle(document.documentElement).filter === 'none'")
    check(name, "its colors follow the system", light is not dark)


def playground(b, root, lesson):
    """A lesson has its picture, and leads to its modules in the playground, which opens them."""
    b.open(root / "index.html")
    check("index.html", "the first page does not lead to the playground", b.run("!!document.querySelector('[role=main] a[href=\"playground.html\"]')"))
    b.open(lesson)
    check(lesson.name, "a lesson has no picture of its module", b.run("[...document.images].some((i) => i.src.endsWith('/picture.svg') && i.naturalWidth > 100)"))
    links = "[...document.querySelectorAll('a[href*=\"playground.html?\"]')]"
    check(lesson.name, "it has no link to the playground", b.run(links + ".length") > 0)
    target, name = b.run(f"[{links}[0].href, {links}[0].textContent]")
    b.click("a[href*='playground.html?']")
    for _ in range(100):
        if b.run_anew("location.href") == target and b.run_anew("document.readyState") == "complete":
            break
        b.settle()
    check("playground", f"{name} is not open in it", b.run("$('example').value") == f"{lesson.parent.name}/{name}" and "HloModule" in b.run("$('module').value"))
    for fault in b.axe():
        check("playground", fault, False)


def by_keyboard(b, root, page):
    """Tab goes from link to link, each with a name and a mark where it is; Enter follows."""
    b.open(page)
    seen = []
    for _ in range(40):
        b.key("Tab")
        place = b.run("""(() => { const e = document.activeElement; if (!e || e === document.body) return null;
          const r = e.getBoundingClientRect(), s = getComputedStyle(e);
          return {name: (e.textContent || e.ariaLabel || e.title || "").trim(), marked: s.outlineStyle !== "none" || s.boxShadow !== "none",
                  shown: r.width > 0 && r.height > 0, lesson: /lesson.html$/.test(e.href || ""), href: e.href}; })()""")
        if place is None:
            break
        seen.append(place)
        check(page.name, f"the keyboard reaches what has no name: {place}", place["name"] or place["href"])
        check(page.name, f"it is not seen where the keyboard is: {place}", place["marked"] or not place["shown"])
        if place["lesson"]:
            break
    check(page.name, "a lesson is reached by Tab", seen and seen[-1]["lesson"])
    if seen and seen[-1]["lesson"]:
        b.key("Enter")
        for _ in range(50):
            if b.run("location.href") == seen[-1]["href"]:
                break
            b.settle()
        check(page.name, "Enter follows a link", b.run("location.href") == seen[-1]["href"])


def main():
    root = pathlib.Path(sys.argv[1]).resolve() / "html"
    if not devtools.find_browser() or not (root / "index.html").exists():
        print("there is no Chromium, or no site (Debian: chromium, mkdocs)")
        return 77
    lessons = sorted(root.glob("lessons/*/lesson.html"))
    check("site", f"it has {len(lessons)} lessons", len(lessons) >= 12)
    b = devtools.Browser()
    try:
        for page in (root / "index.html", root / "lessons" / "index.html", root / "lessons" / "teaching.html", *lessons,
                     root / "inspect.html", root / "json.html", root / "rules.html"):
            visit(b, root, page, dark=False)
        for page in (root / "index.html", lessons[0], root / "inspect.html"):
            visit(b, root, page, dark=True)
            visit(b, root, page, dark=False, width=500)
            visit(b, root, page, dark=False, width=360)
        # A page of each kind.
        for page, dark, width in ((root / "index.html", False, 1280), (root / "index.html", True, 1280), (lessons[1], False, 390), (lessons[1], True, 1280),
                                  (root / "inspect.html", False, 1280), (root / "rules.html", False, 390)):
            b.open(page, dark, width=width)
            for fault in b.axe():
                check(f"{page.name}{', dark' if dark else ''}, {width}", fault, False)
        b.open(lessons[1], dark=True)
        for fault in b.on_paper():
            check("a lesson on paper", fault, False)
        search(b, root, root / "index.html")
        colors(b, lessons[1])
        playground(b, root, lessons[1])
        by_keyboard(b, root, root / "lessons" / "index.html")
    finally:
        b.close()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
