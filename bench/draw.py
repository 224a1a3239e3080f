#!/usr/bin/env python3
"""The pictures of docs/performance.md, from what the scripts of this folder wrote with --json. Needs nothing beside Python.

    bench/draw.py ratios NATIVE.json [AVX2.json] > ratios.svg      compare.py's: a dot for each case, by family
    bench/draw.py roofline ROOFLINE.json > roofline.svg            roofline.py's: each case below the roofs of its run
    bench/draw.py memory MEMORY.json > memory.svg                  compare_memory.py's: arena over XLA's temporaries
    bench/draw.py table memory|roofline FILE.json                  the same as a table in Markdown

In a browser each dot says what it is.
"""
import html, json, math, os, re, sys

STYLE = """<style>
text { font: 12px sans-serif; fill: #333 } .small { font-size: 10px } .line { stroke: #bbb } .strong { stroke: #555 }
.a { fill: #1f6fb2; fill-opacity: .75 } .b { fill: #d9822b; fill-opacity: .75 } .roof { fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .line { stroke: #555 } .strong { stroke: #aaa } }
</style>"""
COLORS = {"f32": "#1f6fb2", "f64": "#2a9d5c", "bf16": "#d9822b", "s8": "#b23a6f", "triad": "#888888"}


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n{STYLE}\n' +
            "\n".join(parts) + "\n</svg>\n")


def text(x, y, what, anchor="start", kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{html.escape(what)}</text>'


def line(x1, y1, x2, y2, kind="line"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def dot(x, y, title, kind="", color=""):
    look = f'class="{kind}"' if kind else f'fill="{color}" fill-opacity=".8"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" {look}><title>{html.escape(title)}</title></circle>'


def families():
    """Case -> the heading that it stands under in cases.py."""
    source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.py")).read()
    headings = [(m.start(), m.group(1)) for m in re.finditer(r"^# ---- ([^.]*)\.", source, re.M)]

    def of(name):
        at = source.find(f"def {name}(")
        if at < 0: at = source.find(f'name="{name}"')
        if at < 0: at = source.find('name="' + name.rsplit("_", 1)[0]) if 'name="' + name.rsplit("_", 1)[0] in source else source.find(name.rsplit("_", 1)[0])
        return next((heading for start, heading in reversed(headings) if start <= at), headings[0][1])
    return of, [heading for _, heading in headings]


def mean(values): return math.exp(sum(map(math.log, values)) / len(values))


def ratios(files):
    sides = [json.load(open(f)) for f in files]
    of, order = families()
    rows = [(family, [[r for r in side if of(r["case"]) == family] for side in sides]) for family in order]
    rows = [(family, groups) for family, groups in rows if any(groups)]
    width, left, right, step, top = 760, 190, 20, 46, 40
    low, high = 0.1, 50.0  # what lies beyond is drawn at the edge
    x = lambda v: left + (width - left - right) * math.log(min(max(v, low), high) / low) / math.log(high / low)
    bottom = top + step * len(rows)
    parts = []
    for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100):
        if tick > high: break
        parts += [line(x(tick), top - 6, x(tick), bottom, "strong" if tick == 1 else "line"), text(x(tick), bottom + 16, f"{tick:g}", "middle", "small")]
    for k, (family, groups) in enumerate(rows):
        y = top + step * k + step / 2
        parts.append(text(left - 10, y + 4, family, "end"))
        for g, group in enumerate(groups):
            if not group: continue
            at = y + (g - (len(groups) - 1) / 2) * 16
            for i, r in enumerate(sorted(group, key=lambda r: r["ratio"])):
                parts.append(dot(x(r["ratio"]), at + (i % 3 - 1) * 2.5, f'{r["case"]}: {r["ratio"]:.2f} ({r["hloir_ms"]:.3f} ms, XLA {r["xla_ms"]:.3f} ms)', "ab"[g]))
            m = x(mean([r["ratio"] for r in group]))
            parts.append(f'<path d="M{m:.1f} {at - 9:.1f} v18" stroke="{"#1f6fb2" if g == 0 else "#d9822b"}" stroke-width="2"/>')
    for g, side in enumerate(sides):
        label = f'{("native", "AVX2")[g]}: {mean([r["ratio"] for r in side]):.2f} over {len(side)} cases, {sum(r["ratio"] < 0.95 for r in side)} below 0.95'
        parts += [dot(left + 290 * g + 5, 14, label, "ab"[g]), text(left + 290 * g + 14, 18, label)]
    parts.append(text(left + (width - left - right) / 2, bottom + 34, "XLA:CPU's time over hloir's, steady state; bars are geometric means", "middle"))
    return svg(width, bottom + 44, parts)


def roofline(files):
    rows = json.load(open(files[0]))
    width, height, left, right, top, bottom = 760, 460, 70, 90, 20, 420
    x_low, x_high = 0.03, max(1e3, *(r["flops"] / r["bytes"] for r in rows)) * 2
    rates = [r["flops"] / r["ms"] * 1e3 for r in rows]
    y_low, y_high = 10 ** math.floor(math.log10(min(rates) / 2)), max(r["peak"] for r in rows) * 2
    x = lambda v: left + (width - left - right) * math.log(v / x_low) / math.log(x_high / x_low)
    y = lambda v: bottom - (bottom - top) * math.log(max(v, y_low) / y_low) / math.log(y_high / y_low)
    parts = []
    for e in range(-2, 6):
        if x_low <= 10 ** e <= x_high: parts += [line(x(10 ** e), top, x(10 ** e), bottom), text(x(10 ** e), bottom + 15, f"{10 ** e:g}", "middle", "small")]
    for e in range(6, 15):
        if y_low <= 10 ** e <= y_high: parts += [line(left, y(10 ** e), width - right, y(10 ** e)), text(left - 6, y(10 ** e) + 4, f"{10 ** e / 1e9:g}", "end", "small")]
    triad = max(r["triad"] for r in rows if r["bytes"] >= 1 << 24) if any(r["bytes"] >= 1 << 24 for r in rows) else max(r["triad"] for r in rows)
    kinds = dict.fromkeys(r["bound"] for r in rows if r["bound"] in COLORS and r["bound"] != "triad")
    for kind in kinds:
        peak = max(r["peak"] for r in rows if r["bound"] == kind)
        corner = peak / triad
        parts.append(f'<path class="roof" stroke="{COLORS[kind]}" d="M{x(max(x_low, y_low / triad)):.1f} {y(max(x_low * triad, y_low)):.1f} L{x(corner):.1f} {y(peak):.1f} H{width - right}"/>')
        parts.append(text(width - right + 4, y(peak) + 4, f"{kind} {peak / 1e9:.0f}", "start", "small"))
    for r, rate in zip(rows, rates):
        parts.append(dot(x(r["flops"] / r["bytes"]), y(rate), f'{r["case"]}: {rate / 1e9:.1f} GFLOP/s, {r["bytes"] / r["ms"] / 1e6:.1f} GB/s, {100 * r["share"]:.0f} % of its roof',
                         color=COLORS.get(r["bound"], COLORS["triad"])))
    parts += [text((left + width - right) / 2, bottom + 32, f"operations a byte; {rows[0]['isa']}, {rows[0]['threads']} thread; triad {triad / 1e9:.0f} GB/s from memory", "middle"),
              text(8, top + 4, "GFLOP/s")]
    return svg(width, height, parts)


def memory(files):
    rows = [r for r in json.load(open(files[0]))]
    width, left, right, step, top = 760, 150, 190, 20, 10
    x = lambda v: left + (width - left - right) * min(v, 2) / 2
    bottom, parts = top + step * len(rows), []
    for k, r in enumerate(rows):
        y = top + step * k
        parts += [text(left - 8, y + 14, r["model"], "end"),
                  f'<rect x="{left}" y="{y + 4}" width="{max(x(r["ratio"]) - left, 1):.1f}" height="12" class="{"a" if round(r["ratio"], 2) <= 1 else "b"}"/>',
                  text(max(x(r["ratio"]), left) + 6, y + 14, f'{r["ratio"]:.2f}   ({r["arena_bytes"] / 1e6:.2f} of {r["xla_bytes"] / 1e6:.2f} MB)', "start", "small")]
    parts += [line(x(1), top, x(1), bottom + 4, "strong"), text(x(1), bottom + 18, "1", "middle", "small"),
              text((left + width - right) / 2, bottom + 34, "hloir's arena over XLA:CPU's temporaries", "middle")]
    return svg(width, bottom + 44, parts)


def table(arguments):
    what, rows = arguments[0], json.load(open(arguments[1]))
    if what == "memory":
        out = ["| model | instructions | arena, MB | XLA:CPU's temporaries, MB | ratio |", "|---|--:|--:|--:|--:|"]
        out += [f'| {r["model"]} | {r["instructions"]} | {r["arena_bytes"] / 1e6:.2f} | {r["xla_bytes"] / 1e6:.2f} | {r["ratio"]:.2f} |' for r in rows]
    else:
        out = ["| case | ms | GFLOP/s | GB/s | roof | share of it |", "|---|--:|--:|--:|---|--:|"]
        for r in rows:
            roof = f'triad, {r["triad"] / 1e9:.0f} GB/s' if r["bound"] == "triad" else f'{r["bound"]}, {r["peak"] / 1e9:.0f} GFLOP/s'
            out.append(f'| {r["case"]} | {r["ms"]:.3f} | {r["flops"] / r["ms"] / 1e6:.1f} | {r["bytes"] / r["ms"] / 1e6:.1f} | {roof} | {100 * r["share"]:.0f} % |')
    return "\n".join(out) + "\n"


def main():
    drawings = {"ratios": ratios, "roofline": roofline, "memory": memory, "table": table}
    if len(sys.argv) < 3 or sys.argv[1] not in drawings:
        sys.exit(__doc__)
    print(drawings[sys.argv[1]](sys.argv[2:]), end="")


if __name__ == "__main__":
    main()
