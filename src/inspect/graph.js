// What one does with the map of `hloir graph`: open, select, search, zoom, go by an address. Entry: recall, at the end.
// Where the page is, as its address: view, open boxes, the selected one, colors.
const factorOf = (v) => {
  let f = 1;
  for (let n = 0; v > 0 && n < 1000; ++n) {
    if (V[v].i !== undefined) { const call = (instruction(V[v].i).d || []).find((d) => d[1] === v); f *= (call && call[2]) || 1; v = instruction(V[v].i).v; }
    else v = V[v].p;
  }
  return f;
};
function show(v, state) {
  root = makeNode(null, 0, ~v, factorOf(v)); root.open = true; inside(root); selected = null;
  if (state && state.open !== null) for (const key of state.open.split(",").filter(Boolean)) { const n = find(key); if (n && n.opens) { n.open = true; inside(n); } }
  else {
    // What does not fit as it is stands closer.
    Object.assign(GAP, WIDE);
    if (settle() < MINIMUM) Object.assign(GAP, TIGHT);
    openAlone();
  }
  relayout();
  const node = state && find(state.at);
  if (node) select(node, true); else overview();
}
function find(key) {
  let node = root;
  for (const k of (key || "").split(".").filter((x) => x !== "")) { if (!node || !node.open) return null; node = inside(node)[+k]; }
  return node === root ? null : node;
}
function remember(push) {
  const open = [...each(root)].filter((n) => n.open).map((n) => n.key);
  const hash = "#" + new URLSearchParams({ view: root.view, open: open.join(","), at: selected ? selected.key : "", by: measures[by][0], color: $("color").value });
  // In a frame without an address of its own there is nothing to remember.
  try { history[push ? "pushState" : "replaceState"](null, "", hash); } catch { /* as said */ }
}
function recall() {
  const p = new URLSearchParams(location.hash.slice(1)), v = Number(p.get("view"));
  const m = measures.findIndex(([name]) => name === p.get("by"));
  if (m >= 0) by = m;
  $("by").value = by;
  if ([...$("color").options].some((o) => o.value === p.get("color"))) $("color").value = p.get("color");
  show(V[v] ? v : 0, p.has("view") ? { open: p.get("open"), at: p.get("at") } : null);
}
function focusOn(v) { remember(); show(v); remember(true); stage.focus(); }
const viewsOf = (node) => node.view !== undefined ? [node.view] : called(node.i).map((d) => d[1]);
function up() {
  if (selected && selected.parent && selected.parent !== root) { const p = selected.parent; p.open = false; relayout(p); select(p); return remember(); }
  const above = V[root.view].i !== undefined ? instruction(V[root.view].i).v : V[root.view].p;
  if (root.view !== 0 && above >= 0) focusOn(above);
}
function crumbs() {
  const path = []; const seen = new Set();
  for (let v = root.view; v >= 0 && v !== undefined && !seen.has(v); v = V[v].i !== undefined ? instruction(V[v].i).v : V[v].p) { path.unshift(v); seen.add(v); }
  $("path").textContent = "";
  for (const v of path) {
    const name = v === 0 ? data.name : V[v].t;
    const b = el("button", name, v === root.view ? { "aria-current": "page", title: name } : { title: name });
    b.onclick = () => focusOn(v); $("path").append(b);
  }
}

// The drawn node that has an instruction or a view, opened or not.
function shown(id) {
  const byId = new Map(), byView = new Map();
  for (const node of each(root)) { if (node.i) byId.set(node.ref, node); else byView.set(node.view, node); if (node.i && node.open) for (const v of viewsOf(node)) byView.set(v, node); }
  return shownIn(id, byId, byView);
}
function shownIn(id, byId, byView) {
  for (let n = 0; n < 1000; ++n) {
    const i = instruction(id);
    if (!i) return null;
    if (byId.has(id)) return byId.get(id);
    if (i.h !== undefined) { id = i.h; continue; }
    let v = i.v;
    for (;;) { if (byView.has(v)) return byView.get(v); if (V[v].i !== undefined || V[v].p < 0) break; v = V[v].p; }
    if (v === root.view || V[v].i === undefined) return null;
    id = V[v].i;
  }
  return null;
}
// Opens what it takes until the instruction's box is seen.
function go(id) {
  let i = instruction(id);
  if (!i) return;
  if (i.h !== undefined) { id = i.h; i = instruction(id); }
  const way = [];  // refs from the outside in
  let v = i.v; way.unshift(id);
  while (v !== root.view && v > 0) {
    if (V[v].i !== undefined) { way.unshift(~v, V[v].i); v = instruction(V[v].i).v; }
    else { way.unshift(~v); v = V[v].p; }
  }
  if (v !== root.view) { show(0, { open: "", at: "" }); return go(id); }
  let node = root;
  for (const ref of way) {
    if (!node.opens && node !== root) break;  // what is applied to single elements stays in its instruction
    const next = inside(node).find((kid) => kid.ref === ref);
    if (next) { node.open = true; node = next; } else if (ref >= 0) break;  // a call's only view has no box of its own
  }
  if (node === root) return;
  relayout(node); select(node);
  if (data.side) center(node); else bring(node);
  remember();
}
// Of two maps side by side there is little to see, and the small map is in a corner of that.
function center(node) {
  const r = stage.getBoundingClientRect();
  box.x = r.width / 2 - (node.x + node.w / 2) * box.k; box.y = r.height / 2 - (node.y + Math.min(node.h, r.height / box.k) / 2) * box.k; place();
}
function bring(node) {
  const r = stage.getBoundingClientRect(), x = node.x * box.k + box.x, y = node.y * box.k + box.y, w = node.w * box.k, h = node.h * box.k;
  const move = (at, size, room) => at >= 8 && at + size <= room - 8 ? 0 : size > room - 16 ? 12 - at : at < 8 ? 12 - at : room - 12 - at - size;
  const dx = move(x, w, r.width), dy = move(y, h, r.height);
  if (dx || dy) { box.x += dx; box.y += dy; place(); }
}
function select(node, quiet) {
  if (selected && selected.g) selected.g.classList.remove("selected");
  selected = node; node.g.classList.add("selected");
  for (const other of drawn) for (const w of other.ways) w.classList.remove("near");
  for (const w of node.ways) w.classList.add("near");
  details(node); flow(node);
  if (quiet) return;
  if (window.onchosen && node.i) window.onchosen(node.ref);
  $("says").textContent = node.lines.join(", ");
  bring(node); remember();
}
// From an instruction to what it uses and what uses it, wherever that is folded.
function flow(node) {
  const layer = $("flow"); layer.textContent = "";
  if (!node.i) return;
  const byId = new Map(), byView = new Map();
  for (const n of each(root)) { if (n.i) byId.set(n.ref, n); else byView.set(n.view, n); if (n.i && n.open) for (const v of viewsOf(n)) byView.set(v, n); }
  const seen = new Set();
  for (const [ids, up_] of [[node.i.p, true], [node.i.u, false]]) {
    for (const id of ids || []) {
      const other = shownIn(id, byId, byView);
      if (!other || other === node || other.parent === node.parent || seen.has(other) || node.key.startsWith(other.key + ".")) continue;
      seen.add(other);
      const [a, b] = up_ ? [other, node] : [node, other], x1 = a.x + a.w / 2, y1 = a.y + a.h, x2 = b.x + b.w / 2, y2 = b.y;
      layer.append(svgEl("path", { class: "flow", "marker-end": "url(#arrow)", d: `M${x1},${y1} C${x1},${y1 + 30} ${x2},${y2 - 30} ${x2},${y2}` }));
    }
  }
}
function linkTo(id, list) {
  const i = instruction(id), b = el("button", i ? i.n : "elsewhere");
  if (i) b.onclick = () => go(id); else b.disabled = true;
  list.append(b);
}
function details(node) {
  const d = $("details"); d.textContent = "";
  d.append(el("h2", node.title));
  const list = el("dl"), row = (name, value) => { if (value !== undefined && value !== "") list.append(el("dt", name), el("dd", value)); };
  d.append(list);
  const costs = () => measures.forEach(([name, what], m) => { if (totals[m] > 0) row(name === "count" ? "instructions" : name === "flops" ? "FLOPs" : name, `${percent(shareOf(node, m))}, ${name === "time" ? seconds(node.cost[m] * 1e-12) : human(node.cost[m])}`); });
  if (node.view !== undefined) {
    const view = V[node.view];
    row("is a", view.k); row("in computation", view.f); costs();
    if (view.x) row("note", "applied inside an instruction, which has its bytes and its time");
  } else {
    const i = node.i;
    row("opcode", i.op); row("shape", i.s); row("runs", node.factor === 1 ? "" : human(node.factor) + " times"); costs();
    if (i.q) row("rounds", "unknown, counted as one");
    if (data.side) row("in the other", i.w || "the same");
    row("op_name", i.m); row("source", i.l); if (i.r) row("root", "of its computation");
  }
  const buttons = el("div", undefined, { class: "links" });
  if (node.opens) {
    const open = el("button", node.open ? "Fold" : "Open"); open.onclick = () => toggle(node); buttons.append(open);
    viewsOf(node).forEach((v) => { const f = el("button", viewsOf(node).length > 1 ? `Alone: ${V[v].t}` : "Alone"); f.onclick = () => focusOn(v); buttons.append(f); });
  }
  d.append(buttons);
  if (node.view !== undefined) return;
  const i = node.i;
  d.append(el("pre", i.t));
  for (const [name, ids] of [["operands", i.p], ["users", i.u], ["folded into it", i.g]]) {
    if (!ids) continue;
    d.append(el("div", name)); const links = el("div", undefined, { class: "links" });
    if (name[0] === "f") ids.forEach((id) => { const f = instruction(id); links.append(el("span", f.t, { class: "folded" })); });
    else ids.forEach((id) => linkTo(id, links));
    d.append(links);
  }
  if (i.d) {
    d.append(el("div", "calls")); const links = el("div", undefined, { class: "links" });
    for (const [name, v] of i.d) { const c = el("button", name); if (v >= 0) c.onclick = () => focusOn(v); else c.disabled = true; links.append(c); }
    d.append(links);
  }
}
// Of the view as a whole, while nothing is selected.
function overview() {
  const d = $("details"), view = V[root.view]; d.textContent = "";
  d.append(el("h2", root.view === 0 ? data.name : view.t));
  const list = el("dl"), row = (name, value) => list.append(el("dt", name), el("dd", value));
  d.append(list);
  measures.forEach(([name, what], m) => { if (totals[m] > 0) row(name === "count" ? "instructions" : name === "flops" ? "FLOPs" : name, (name === "time" ? `${seconds(root.cost[m] * 1e-12)} on ${what.replace("time on ", "").replace(", by its roofline", "")} at least` : human(root.cost[m])) + (root.view ? `, ${percent(shareOf(root, m))}` : "")); });
  const most = [...each(root)].filter((n) => !n.open && shareOf(n) > 0).sort((a, b) => shareOf(b) - shareOf(a)).slice(0, 8);
  if (!most.length) return;
  d.append(el("div", "Largest shares of " + measures[by][1], { class: "dim" }));
  const table = el("div", undefined, { class: "most" });
  for (const n of most) { const b = el("button", n.title); b.onclick = () => { select(n); stage.focus(); }; table.append(el("span", percent(shareOf(n))), b); }
  d.append(table);
}
const seconds = (s) => s >= 1 ? s.toPrecision(3) + " s" : s >= 1e-3 ? (s * 1e3).toPrecision(3) + " ms" : s >= 1e-6 ? (s * 1e6).toPrecision(3) + " µs" : (s * 1e9).toPrecision(3) + " ns";
function legend() {
  const l = $("legend"); l.textContent = "";
  const say = (what, color) => { const s = el("span", what); s.style.setProperty("--c", color); l.append(s); };
  if (byKind()) { for (const kind in colors) say(kind, colors[kind]); return; }
  if (!byCost()) {
    say("the same in both", "var(--box)"); say("changed, or with differences inside", "var(--changed)");
    return data.side === "before" ? say("removed", "var(--went)") : say("added", "var(--came)");
  }
  const ramp = el("div", undefined, { class: "ramp" });
  ramp.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(heat).join(", ")})`;
  const ends = el("div", undefined, { class: "ends" }); ends.append(el("span", "0 %"), el("span", percent(hottest)));
  l.append(el("div", "Share of " + measures[by][1]), ramp, ends);
}

// Zooming stretches what was drawn at the scale `sharp`; once it rests, it is drawn anew.
let sharp = 1, resting = 0;
function place() {
  svg.style.transform = `translate(${box.x}px,${box.y}px) scale(${box.k / sharp})`;
  clearTimeout(resting);
  if (sharp !== box.k) resting = setTimeout(sharpen, 120);
  minimap();
}
function sharpen() {
  const w = Math.max(root.w, 60), h = Math.max(root.h, 60);
  sharp = box.k;
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
  svg.style.width = w * sharp + "px"; svg.style.height = h * sharp + "px";
  place();
}
function fit() {
  const r = stage.getBoundingClientRect();
  box.k = Math.min(1.6, (r.width - 24) / Math.max(root.w, 60), (r.height - 24) / Math.max(root.h, 60));
  box.x = (r.width - root.w * box.k) / 2; box.y = (r.height - root.h * box.k) / 2; sharpen();
}
function zoom(factor, x, y) {
  const k = Math.min(6, Math.max(0.02, box.k * factor)), f = k / box.k;
  box.x = x - (x - box.x) * f; box.y = y - (y - box.y) * f; box.k = k; place();
}
const zoomMiddle = (factor) => { const r = stage.getBoundingClientRect(); zoom(factor, r.width / 2, r.height / 2); };
function minimap() {
  const r = stage.getBoundingClientRect(), m = $("minimap");
  const all = box.x >= -1 && box.y >= -1 && box.x + root.w * box.k <= r.width + 1 && box.y + root.h * box.k <= r.height + 1;
  m.hidden = all;
  if (all) return;
  const k = Math.min(Math.min(170, r.width / 5) / root.w, Math.min(120, r.height / 4) / root.h), pen = m.getContext("2d"), style = getComputedStyle(document.documentElement);
  m.width = Math.max(20, root.w * k); m.height = Math.max(20, root.h * k);
  const color = (text) => text.startsWith("var(") ? style.getPropertyValue(text.slice(4, -1)) : text;  // a canvas knows no var()
  for (const node of drawn) { pen.fillStyle = color(node.open ? "var(--line)" : fill(node) || "var(--dim)"); pen.globalAlpha = node.open ? 0.4 : 1; pen.fillRect(node.x * k, node.y * k, Math.max(1, node.w * k), Math.max(1, node.h * k)); }
  pen.globalAlpha = 1; pen.strokeStyle = style.getPropertyValue("--accent"); pen.lineWidth = 2;
  pen.strokeRect(-box.x / box.k * k, -box.y / box.k * k, r.width / box.k * k, r.height / box.k * k);
  m.onpointerdown = m.onpointermove = (e) => {
    if (e.type === "pointermove" && !e.buttons) return;
    const at = m.getBoundingClientRect();
    box.x = r.width / 2 - (e.clientX - at.left) / k * box.k; box.y = r.height / 2 - (e.clientY - at.top) / k * box.k; place(); e.stopPropagation();
  };
}
// One pointer drags, two zoom.
const pointers = new Map(); let moved = false;
stage.addEventListener("pointerdown", (e) => { pointers.set(e.pointerId, e); if (pointers.size === 1) moved = false; });
addEventListener("pointermove", (e) => {
  const last = pointers.get(e.pointerId);
  if (!last) return;
  if (pointers.size === 2) {
    const other = [...pointers.values()].find((p) => p.pointerId !== e.pointerId), r = stage.getBoundingClientRect(), far = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
    moved = true;
    zoom(far(e) / Math.max(far(last), 1), (e.clientX + other.clientX) / 2 - r.left, (e.clientY + other.clientY) / 2 - r.top);
    box.x += (e.clientX - last.clientX) / 2; box.y += (e.clientY - last.clientY) / 2; place();
  } else {
    if (!moved && Math.hypot(e.clientX - last.clientX, e.clientY - last.clientY) <= 3) return;
    moved = true; box.x += e.clientX - last.clientX; box.y += e.clientY - last.clientY; place();
  }
  pointers.set(e.pointerId, e);
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (e) => pointers.delete(e.pointerId));
stage.addEventListener("wheel", (e) => { e.preventDefault(); const r = stage.getBoundingClientRect(); zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top); }, { passive: false });

// To the nearest box in a direction.
function walk(key) {
  const me = selected;
  if (!me) return drawn[0] && select(drawn[0]);
  const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  let best = null, least = Infinity;
  const middle = (n) => [n.x + n.w / 2, n.open ? n.y + HEAD / 2 : n.y + n.h / 2], [mx, my] = middle(me);
  for (const n of drawn) {
    if (n === me) continue;
    const [x, y] = middle(n), along = (x - mx) * dx + (y - my) * dy, beside = Math.abs((x - mx) * dy) + Math.abs((y - my) * dx);
    if (along > 3 && along + 2 * beside < least) { least = along + 2 * beside; best = n; }
  }
  if (best) select(best);
}

// Search: a regular expression, in names, opcodes, shapes, op_names, source lines, scopes and computations.
let seeking = 0;
function search() {
  const q = $("search").value.trim(), list = $("found");
  clearTimeout(seeking); list.textContent = ""; list.style.display = q ? "block" : "none"; hits = null;
  if (!q) return markHits();
  let pattern;
  try { pattern = new RegExp(q, "i"); } catch { pattern = new RegExp(q.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"); }
  hits = [];
  const status = el("div", ""); let listed = 0;
  const offer = (text, act) => { if (++listed > 60) return; const b = el("button", text, { role: "option" }); b.onclick = () => { list.style.display = "none"; act(); stage.focus(); }; list.insertBefore(b, status); };
  list.append(status);
  V.forEach((view, v) => { if (v > 0 && (pattern.test(view.t) || (view.p < 0 && pattern.test(view.f)))) offer(`${view.t}  ${view.k}, ${human(view.n)} instructions`, () => focusOn(v)); });
  const ids = [...document.querySelectorAll("script[id^=i]")].map((e) => +e.id.slice(1)).sort((a, b) => a - b);
  let at = 0;
  const step = () => {
    const end = performance.now() + 25;
    for (; at < ids.length && performance.now() < end; ++at) {
      instruction(ids[at] * data.chunk);
      const c = chunks[ids[at]];
      for (const id in c) {
        const i = c[id];
        if (!(pattern.test(i.n) || pattern.test(i.op) || pattern.test(i.s) || (i.m && pattern.test(i.m)) || (i.l && pattern.test(i.l)) || pattern.test(V[i.v].f))) continue;
        hits.push(+id);
        offer(`${i.n}  ${i.op}  ${i.s}`, () => go(+id));
      }
    }
    status.textContent = at < ids.length ? "searching…" : hits.length || listed ? (hits.length > 60 ? `${hits.length} instructions` : "") : "nothing found";
    if (at < ids.length) seeking = setTimeout(step, 0); else markHits();
  };
  step();
}
// Boxes that are hit, or hold what is.
function markHits() {
  for (const node of drawn) node.g.classList.remove("hit");
  if (!hits) return;
  const byId = new Map(), byView = new Map();
  for (const n of drawn) { if (n.i) byId.set(n.ref, n); else byView.set(n.view, n); if (n.i && n.open) for (const v of viewsOf(n)) byView.set(v, n); }
  for (const id of hits.slice(0, 20000)) { const n = shownIn(id, byId, byView); if (n && !n.open) n.g.classList.add("hit"); }
}
$("search").addEventListener("input", search);
$("search").addEventListener("keydown", (e) => {
  const options = [...$("found").querySelectorAll("button")];
  if (e.key === "Enter" && options[0]) options[0].click();
  else if (e.key === "ArrowDown" && options[0]) { options[0].focus(); e.preventDefault(); }
  else if (e.key === "Escape") { $("search").value = ""; search(); stage.focus(); }
  e.stopPropagation();
});
$("found").addEventListener("keydown", (e) => {
  const at = document.activeElement;
  if (e.key === "ArrowDown") at.nextElementSibling?.focus();
  else if (e.key === "ArrowUp") (at.previousElementSibling || $("search")).focus();
  else if (e.key === "Escape") { $("found").style.display = "none"; stage.focus(); }
  else return;
  e.preventDefault(); e.stopPropagation();
});

measures.forEach(([, what], m) => { if (totals[m] > 0) $("by").append(el("option", what, { value: m })); });
by = [2, 0, 1, 3].find((m) => measures[m] && measures[m][0] !== "count" && totals[m] > 0) ?? measures.length - 1;
const redraw = () => { draw(); if (selected) select(selected, true); else overview(); remember(); };
$("by").onchange = () => { by = +$("by").value; redraw(); };
$("color").onchange = redraw;
$("fit").onclick = fit; $("in").onclick = () => zoomMiddle(1.3); $("out").onclick = () => zoomMiddle(1 / 1.3);
{ const turn = $("theme").onclick; $("theme").onclick = () => { turn(); redraw(); }; }
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  if (e.target.tagName === "BUTTON" && (e.key === "Enter" || e.key === " ")) return;
  if (e.key.startsWith("Arrow")) walk(e.key);
  else if (e.key === "Enter" && selected) { if (selected.opens) toggle(selected); }
  else if (e.key === "f" && selected && selected.opens) focusOn(viewsOf(selected).at(-1));
  else if (e.key === "Backspace" || e.key === "Escape") up();
  else if (e.key === "/") $("search").focus();
  else if (e.key === "+" || e.key === "=") zoomMiddle(1.3);
  else if (e.key === "-") zoomMiddle(1 / 1.3);
  else if (e.key === "0") fit();
  else if (e.key === "c") { $("color").selectedIndex = ($("color").selectedIndex + 1) % $("color").options.length; $("color").onchange(); }
  else if (e.key === "d") $("theme").click();
  else return;
  e.preventDefault();
});
{
  const keys = el("p"); for (const [k, what] of [["click", "open, fold"], ["arrows", "next box"], ["Enter", "open"], ["f", "alone"], ["Backspace", "back"], ["/", "search"], ["+ − 0", "zoom"], ["c", "colors"], ["d", "dark"]])
    keys.append(el("kbd", k), " " + what + "  ");
  $("legend").after(keys); keys.style.fontSize = "12px"; keys.style.lineHeight = "1.9";
}
$("note").hidden = data.named > 0 || data.side;
if (data.side) { $("color").prepend(el("option", "by match", { value: "match" })); $("color").value = "match"; $("theme").hidden = true; }
document.title = data.name + " · hloir graph";
addEventListener("resize", () => { relayout(); if (selected) select(selected, true); });
addEventListener("popstate", recall);
recall();
