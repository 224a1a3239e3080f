#!/usr/bin/env python3
"""The site's pages in Chromium, from their files, as scripts/site has built them: tests/pages/site.py FOLDER. The first page, every
lesson's and some others, by day and by night, with Browser.faults, and walked by keyboard. Exit status 77, which ctest shows as
skipped, where there is no Chromium or no site."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser as devtools

failures = []


def check(page, what, condition):
    if not condition:
        failures.append(f"{page}: {what}")


def visit(b, root, page, dark, width=1280):
    name = f"{page.relative_to(root)}{', dark' if dark else ''}{', narrow' if width < 1000 else ''}"
    b.open(page, dark, width=width)
    files = root.as_uri()
    for fault in b.faults():
        if not fault.startswith(f"a request: {files}"):
            failures.append(f"{name}: {fault}")
    light = b.run("getComputedStyle(document.documentElement).filter === 'none'")
    check(name, "its colors follow the system", light is not dark)


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
        by_keyboard(b, root, root / "lessons" / "index.html")
    finally:
        b.close()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
