// The nodes of the map that `hloir graph` draws, and their sizes. A node is a box as it is drawn: a view or an
// instruction, in the place where it is called from, so that what is called twice has two. Drawn by graph_draw.js.
const V = data.views, chunks = {}, MINIMUM = 0.92;  // the scale at which the smallest text has 11 pixels
function instruction(id) {
  const c = Math.floor(id / data.chunk);
  if (!chunks[c]) { const e = $("i" + c); chunks[c] = e ? JSON.parse(e.textContent) : {}; }
  return chunks[c][id];
}
const measures = [...data.measures, ["count", "instructions"]];
let by = 0, root = null, selected = null, box = { x: 0, y: 0, k: 1 }, drawn = [], hits = null;
const costOf = (c, n, factor) => [...c.map((x) => x * factor), n];
const totals = costOf(V[0].c, V[0].n, 1);
const shareOf = (node, m = by) => totals[m] > 0 ? node.cost[m] / totals[m] : 0;
// Of a module that is compared: how many of a box's instructions have changed, and how many have no match.
const differences = (node) => (node.view !== undefined ? V[node.view].z : node.i.z) || [0, 0];
function differenceLine(node) {
  const [changed, alone] = differences(node), word = data.side === "before" ? "removed" : "added";
  return [changed ? `${human(changed)} changed` : "", alone ? `${human(alone)} ${word}` : ""].filter(Boolean).join(" · ");
}
const percent = (s) => s >= 0.9995 ? "100 %" : s >= 0.0995 ? (100 * s).toFixed(0) + " %" : s >= 0.0005 ? (100 * s).toFixed(1) + " %" : s > 0 ? "< 0.1 %" : "0 %";
// Texts in pixels, at the scale 1.
const FONTS = ["600 13px system-ui, sans-serif", "12px system-ui, sans-serif"], ruler = document.createElement("canvas").getContext("2d");
const lengthOf = (text, font) => { ruler.font = FONTS[font]; return ruler.measureText(text).width; };
function cut(text, most, font) {
  if (text.length > 200) text = short(text, 200);
  if (lengthOf(text, font) <= most) return text;
  let low = 0, high = text.length;
  while (low < high) { const n = (low + high + 1) >> 1; if (lengthOf(short(text, n), font) <= most) low = n; else high = n - 1; }
  return short(text, Math.max(low, 1));
}
const short = (text, n) => text.length <= n ? text : text.slice(0, Math.ceil(n / 2)) + "…" + text.slice(text.length - Math.floor(n / 2) + 1);

// The views that an instruction opens: those of fusions and of control flow, not those that are applied to elements.
const called = (i) => (i.d || []).filter(([, v, times]) => v >= 0 && (times > 0 || i.op === "fusion"));
function makeNode(parent, k, ref, factor) {
  const node = { parent, k, ref, factor, key: parent ? (parent.key ? parent.key + "." : "") + k : "", kids: null, open: false };
  if (ref < 0) {
    const view = V[~ref];
    Object.assign(node, { view: ~ref, title: view.t, cost: costOf(view.c, view.n, factor), opens: view.b.length > 0 });
    node.lines = [view.t, ...shares(node, `${human(view.n)} instr.`)];
    if (view.z) node.lines.push(differenceLine(node));
  } else {
    const i = instruction(ref);
    Object.assign(node, { i, title: i.n, cost: costOf(i.c, i.N || 1, factor), opens: called(i).length > 0 });
    const loop = i.op === "while" && i.d ? ` × ${i.q ? "?" : human(i.d[1][2])}` : "";
    node.lines = [i.n, `${i.r && (!parent || !parent.parent) ? "root · " : ""}${i.op}${loop}  ${i.s}`];
    if (node.opens || node.cost.slice(0, -1).some((c, m) => totals[m] > 0 && c / totals[m] >= 0.0005)) node.lines.push(...shares(node, node.opens ? `${human(node.cost.at(-1))} instr.` : ""));
    if (i.z) node.lines.push(node.opens ? differenceLine(node) : i.w || differenceLine(node));
  }
  return node;
}
// "FLOPs 57% · bytes 16%" and "time 16% · 83 instr."
function shares(node, more) {
  const parts = data.measures.map(([name], m) => totals[m] > 0 ? `${name === "flops" ? "FLOPs" : name} ${percent(shareOf(node, m)).replace(" %", "%")}` : "").filter(Boolean);
  if (more) parts.push(more);
  const lines = [];
  for (let k = 0; k < parts.length; k += 2) lines.push(parts.slice(k, k + 2).join(" · "));
  return lines;
}
function inside(node) {
  if (node.kids) return node.kids;
  const part = (v, factor, first) => ({ rows: V[v].r, edges: V[v].e, kids: V[v].b.map((ref, k) => makeNode(node, first + k, ref, factor)) });
  if (node.view !== undefined) Object.assign(node, part(node.view, node.factor, 0));
  else {
    const calls = called(node.i);
    if (calls.length === 1) Object.assign(node, part(calls[0][1], node.factor * (calls[0][2] || 1), 0));
    else {
      node.kids = calls.map(([, v, times], k) => makeNode(node, k, ~v, node.factor * (times || 1)));
      node.rows = [node.kids.map((_, k) => k)]; node.edges = [];
    }
  }
  return node.kids;
}

// Sizes from the inside out. An open box may be of several forms: parts of the width and height that are there.
const FORMS = [[0.6, 0.6], [0.95, 0.4], [0.34, 0.95], [0.95, 0.8], [0.5, 0.3]];
const HEAD = 32, PAD = 10;
function measure(node, W, H) {
  if (!node.open) {
    node.w = Math.min(210, Math.max(90, ...node.lines.map((line, k) => Math.ceil(lengthOf(short(line, 200), k ? 1 : 0))  + 16))); node.h = 10 + 16 * node.lines.length;
    return;
  }
  const top = node === root, kids = inside(node);
  for (const kid of kids) { const [x, y] = FORMS[kid.form || 0]; measure(kid, W * x, H * y); }
  node.at = placeBoxes(kids, node.rows, node.edges, W, H);
  node.w = node.at.w + (top ? 0 : 2 * PAD); node.h = node.at.h + (top ? 0 : PAD + HEAD);
  if (!top) node.w = Math.max(node.w, Math.min(210, lengthOf(short(node.title, 200), 0)) + 40);
}
// The whole stretched a little where the window has room.
function settle() {
  const r = stage.getBoundingClientRect(), W = (r.width - 28) / MINIMUM, H = (r.height - 28) / MINIMUM;
  measure(root, W, H);
  const k = Math.min((r.width - 28) / root.w, (r.height - 28) / root.h, 1.6);
  const spread = (have, need) => Math.min(1.9, Math.max(1, have / Math.max(need, 1)));
  if (k >= MINIMUM) {
    const fx = spread((r.width - 28) / k, root.w), fy = spread((r.height - 28) / k, root.h);
    const at = root.at, far = (list, f, a) => list.forEach((p) => { if (p) p[a] *= f; });
    // Middles move apart; what is left of the first box moves with it.
    far(at.box, fx, "x"); far(at.box, fy, "y"); far([...at.pass.values()], fx, "x"); far([...at.pass.values()], fy, "y");
    for (const c of at.columns) { c.left *= fx; c.right *= fx; c.bottom *= fy; }
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    for (const p of at.pass.values()) { left = Math.min(left, p.x - 4); right = Math.max(right, p.x + 4); }
    root.kids.forEach((kid, b) => { const p = at.box[b]; left = Math.min(left, p.x - kid.w / 2); right = Math.max(right, p.x + kid.w / 2); top = Math.min(top, p.y - kid.h / 2); bottom = Math.max(bottom, p.y + kid.h / 2); });
    for (const p of [...at.box, ...at.pass.values()]) if (p) { p.x -= left; p.y -= top; }
    for (const c of at.columns) { c.left -= left; c.right -= left; }
    root.w = right - left; root.h = bottom - top;
  }
  position(root, 0, 0);
  return Math.min((r.width - 28) / root.w, (r.height - 28) / root.h);
}
function position(node, x, y) {
  node.x = x; node.y = y;
  if (!node.open) return;
  const top = node === root, dx = x + (top ? 0 : PAD + (node.w - 2 * PAD - node.at.w) / 2), dy = y + (top ? 0 : HEAD);
  node.origin = [dx, dy];
  node.kids.forEach((kid, b) => position(kid, dx + node.at.box[b].x - kid.w / 2, dy + node.at.box[b].y - kid.h / 2));
}
function* each(node) { if (node !== root) yield node; if (node.open) for (const kid of node.kids) yield* each(kid); }
const closedCount = () => { let n = 0; for (const node of each(root)) n += !node.open; return n; };

// What opens by itself: the costliest, as long as all can be read.
function openAlone() {
  const tried = new Set();
  for (let step = 0; step < 30; ++step) {
    let best = null;
    for (const node of each(root))
      if (!node.open && node.opens && !tried.has(node) && (!best || shareOf(node) > shareOf(best))) best = node;
    if (!best || (shareOf(best) < 0.02 && closedCount() > 12)) break;
    tried.add(best); best.open = true; inside(best);
    let good = -1, scale = MINIMUM;
    if (closedCount() <= 60) FORMS.forEach((_, f) => { best.form = f; const k = settle(); if (k >= scale) { scale = k; good = f; } });
    best.form = Math.max(0, good); best.open = good >= 0;
  }
}

// The costliest way from box to box through a view: its edges.
function costliest(node) {
  const gain = node.kids.map((kid) => shareOf(kid)), best = gain.slice(), from = gain.map(() => -1), order = node.rows.flat().filter((e) => e >= 0);
  const rank = new Map(order.map((e, k) => [e, k])), into = new Map();
  for (const [a, b] of node.edges) if (rank.get(a) < rank.get(b) && node.at.rowOf[a] < node.at.rowOf[b]) { if (!into.has(b)) into.set(b, []); into.get(b).push(a); }
  for (const e of order) for (const a of into.get(e) || []) if (best[a] + gain[e] > best[e] || from[e] < 0) { best[e] = best[a] + gain[e]; from[e] = a; }
  let end = order[0];
  for (const e of order) if (best[e] > best[end]) end = e;
  const on = new Set();
  for (; end >= 0 && from[end] >= 0; end = from[end]) { on.add(from[end] + ">" + end); node.kids[end].path = node.kids[from[end]].path = true; }
  return on;
}
