#!/usr/bin/env python3
"""The first view of a graph's page, measured in Chromium at 1280 by 800: tests/pages/first_view.py HLOIR [FILE…]

Of each module (without files: some of the corpus, small and large, with and without op_names, whole and by a computation):
how many boxes show, the smallest text in pixels, the part of the window that the drawing takes, what lies on one another, what
sticks out of its box or is off screen, whether the root and the costliest way are seen, whether shares add up. Exit status 1 if
one is not as docs/inspect.md says; 77, which ctest shows as skipped, where there is no Chromium."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as devtools

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ("attention_bf16", "attention_forward", "attention_forward.opt", "language_model_train_step",
          "language_model_train_step.opt", "resnet_block_backward.opt", "transformer_block_backward.opt", "special_functions",
          "random_integers.opt", "gamma_variates", "threefry_normal.opt", "layer_norm_gelu_backward.opt")

MEASURE = r"""(() => {
  const stage = document.getElementById("stage").getBoundingClientRect(), nodes = [...each(root)], closed = nodes.filter((n) => !n.open);
  const rect = (n) => n.g.querySelector("rect").getBoundingClientRect();
  const outside = (r) => r.left < stage.left - 1 || r.top < stage.top - 1 || r.right > stage.right + 1 || r.bottom > stage.bottom + 1;
  const scale = (n) => rect(n).width / n.w;
  let px = Infinity, sticking = [], overlaps = [], left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const n of nodes) {
    const r = rect(n);
    left = Math.min(left, r.left); right = Math.max(right, r.right); top = Math.min(top, r.top); bottom = Math.max(bottom, r.bottom);
    for (const t of n.g.querySelectorAll("text")) {
      px = Math.min(px, parseFloat(getComputedStyle(t).fontSize) * scale(n));
      const b = t.getBoundingClientRect();
      if (b.left < r.left - 1 || b.right > r.right + 1) sticking.push(t.textContent);
    }
  }
  for (const n of nodes.filter((n) => n.open)) {
    const texts = [...n.g.querySelectorAll("text")].map((t) => t.getBoundingClientRect());
    for (let k = 1; k < texts.length; ++k) if (texts[k].left < texts[k - 1].right) sticking.push(n.title);
  }
  for (let a = 0; a < closed.length; ++a) for (let b = a + 1; b < closed.length; ++b) {
    const p = rect(closed[a]), q = rect(closed[b]);
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 0.5 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 0.5) overlaps.push(closed[a].title + " / " + closed[b].title);
  }
  // A box's parts add up to it: operations, and, but in a fusion, bytes and time.
  const sums = [];
  for (const n of [root, ...nodes.filter((n) => n.open)]) n.cost.forEach((c, m) => {
    const parts = n.kids.reduce((sum, kid) => sum + kid.cost[m], 0), named = measures[m][0];
    if (named !== "flops" && n.kids.some((k) => (k.i ? V[k.i.v] : V[k.view]).x)) return;
    // A call's box has what is folded into it, and itself, beside what it calls.
    const own = !n.i ? 0 : named === "count" ? c - parts : (n.i.g || []).reduce((sum, id) => sum + instruction(id).c[m] * n.factor, 0);
    if (own < 0 || Math.abs(parts + own - c) > 1e-6 * Math.max(1, c) + n.kids.reduce((sum, kid) => sum + kid.factor, 0)) sums.push(`${n.title}: ${named} ${parts} and ${own} of ${c}`);
  });
  const roots = [...document.querySelectorAll("script[id^=i]")].map((e) => +e.id.slice(1)).flatMap((c) => (instruction(c * data.chunk), Object.entries(chunks[c]))).filter(([, i]) => i.r && V[i.v].f === V[0].f);
  const rooted = roots.length ? shown(+roots[0][0]) : null;
  return { boxes: closed.length, px, fill: (right - left) * (bottom - top) / (stage.width * stage.height), wide: (right - left) / stage.width, high: (bottom - top) / stage.height,
    sticking, overlaps, off: closed.filter((n) => outside(rect(n))).map((n) => n.title), root: !roots.length || (rooted !== null && !outside(rect(rooted))),
    path: nodes.filter((n) => n.path).every((n) => !outside(rect(n))), sums };
})()"""


def faults(m):
    """What of the measures is not as it should be."""
    found = []
    if m["boxes"] > 60:
        found.append(f"{m['boxes']} boxes")
    if m["px"] < 11:
        found.append(f"text of {m['px']:.1f} pixels")
    # Few boxes cannot fill a window: they take its height or its width.
    if m["fill"] < 0.5 and (m["boxes"] >= 8 or max(m["wide"], m["high"]) < 0.5) and m["boxes"] > 2:
        found.append(f"takes {m['fill'] * 100:.0f} % of the window")
    for what in ("sticking", "overlaps", "off", "sums"):
        found += [f"{what}: {name}" for name in m[what][:3]]
    if not m["root"]:
        found.append("the root is not seen")
    if not m["path"]:
        found.append("the costliest way is not seen")
    return found


def checks_itself(b):
    """Faults that are put into a page are found."""
    missed = []
    for what, expression in (("text of", "zoomMiddle(0.4)"), ("off", "box.x += 3000; place()"), ("sums", "root.kids[0].cost[0] += 1e12"),
                             ("overlaps", "drawn.filter((n) => !n.open)[0].g.setAttribute('transform', drawn.filter((n) => !n.open)[1].g.getAttribute('transform'))"),
                             ("sticking", "drawn[0].g.querySelector('text').textContent = 'm'.repeat(99)")):
        b.run(f"(() => {{ {expression} }})()")
        b.settle()
        if not any(fault.startswith(what) for fault in faults(b.run(MEASURE))):
            missed.append(f"a fault that was put in is not found: {what}")
    return missed


def main():
    if not devtools.find_browser():
        print("there is no Chromium (Debian: chromium)")
        return 77
    hloir = os.path.abspath(sys.argv[1])
    corpus = [ROOT / "corpus" / folder / f"{name}.hlo" for name in CORPUS for folder in ("modules", "with_metadata")]
    files = [pathlib.Path(f) for f in sys.argv[2:]] or [f for f in corpus if f.exists()]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        b = devtools.Browser()
        try:
            print(f"{'instructions':>12} {'MB':>5} {'made s':>6} {'open s':>6} {'boxes':>5} {'px':>5} {'fill':>5}  module")
            for file in files:
                begin = time.time()
                made = subprocess.run([hloir, "graph", file, "-o", page], stderr=subprocess.PIPE, text=True)
                if made.returncode:
                    print(f"{file}: {made.stderr.strip().splitlines()[0]}")
                    bad += not sys.argv[2:]
                    continue
                made = time.time() - begin
                begin = time.time()
                b.open(page, width=1280, height=800)
                opened = time.time() - begin
                m = b.run(MEASURE)
                found = faults(m) + [f"the console: {line}" for line in b.console]
                bad += bool(found)
                print(f"{b.run('data.count'):>12} {page.stat().st_size / 1e6:5.1f} {made:6.1f} {opened:6.1f} {m['boxes']:5} {m['px']:5.1f} "
                      f"{m['fill'] * 100:4.0f}%  {file.name[-60:]}{''.join(chr(10) + '    ' + fault for fault in found)}")
            for fault in checks_itself(b):
                print(fault)
                bad += 1
        finally:
            b.close()
    print(f"{len(files)} modules, {bad} not as they should be")
    return 1 if bad else 0


sys.exit(main())
