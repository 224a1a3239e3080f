// Draws the nodes of graph_nodes.js. Entry: draw, and relayout where sizes have changed. No name is ever taken for markup.
const svg = $("svg"), stage = $("stage");
const colors = { parameter: "#bfe3b4", constant: "#e2e4e6", fusion: "#dcc3ee", contraction: "#f7bd92", reduction: "#f5adb4", collective: "#a9cbf5",
  control: "#fbdc7c", movement: "#bfe3e3", "custom-call": "#d9c3a5", tuple: "#eceff1", elementwise: "#fdf6e3" };
const isDark = () => document.documentElement.classList.contains("dark");
const byCost = () => $("color").value === "cost", byKind = () => $("color").value === "kind";
// Of a module that is compared: no match for all of it, a difference in it, or none.
function matchColor(node) {
  const [changed, alone] = differences(node);
  return alone && alone === node.cost.at(-1) / node.factor ? (data.side === "before" ? "var(--went)" : "var(--came)") : changed + alone ? "var(--changed)" : "";
}
// 0 … 1, to the eye alike in both themes; text on it stays readable.
const heat = (s) => isDark() ? `hsl(${Math.round(48 - 40 * s)} ${Math.round(16 + 60 * s)}% ${Math.round(17 + 17 * s)}%)` : `hsl(${Math.round(50 - 42 * s)} ${Math.round(30 + 62 * s)}% ${Math.round(95 - 21 * s)}%)`;
let hottest = 1;
function fill(node) {
  if (byCost()) return heat(shareOf(node) / hottest);
  if (!byKind()) return matchColor(node) || "var(--box)";
  return node.i ? colors[node.i.k] || "#ffffff" : "";
}

function edgePath(points, columns, origin) {
  let d = "";
  points.forEach((p, k) => {
    const x = p.x + origin[0];
    if (k === 0) { d = `M${x},${p.bottom + origin[1]}`; return; }
    const q = points[k - 1], qx = q.x + origin[0], y1 = q.bottom + origin[1], y2 = p.top + origin[1];
    if (p.column === q.column) { const m = Math.max(6, (y2 - y1) / 2); d += ` C${qx},${y1 + m} ${x},${y2 - m} ${x},${y2}`; }
    else {
      // To the head of the next column, between the two.
      const gx = (columns[q.column].right + columns[p.column].left) / 2 + origin[0], low = y1 + 9, high = y2 - 9, r = 7;
      d += ` L${qx},${low - r} Q${qx},${low} ${qx + r},${low} L${gx - r},${low} Q${gx},${low} ${gx},${low - r} L${gx},${high + r} Q${gx},${high} ${gx + (x > gx ? r : -r)},${high} L${x - (x > gx ? r : -r)},${high} Q${x},${high} ${x},${high + r} L${x},${y2}`;
    }
    if (k + 1 < points.length) d += ` L${x},${p.bottom + origin[1]}`;
  });
  return d;
}
function drawEdges(node, layer) {
  const at = node.at, on = costliest(node);
  const ends = (b) => ({ ...at.box[b], top: at.box[b].y - node.kids[b].h / 2 - 1, bottom: at.box[b].y + node.kids[b].h / 2 });
  for (const [from, to, n] of node.edges) {
    const a = ends(from), b = ends(to), ra = at.rowOf[from], rb = at.rowOf[to];
    let d;
    if (rb <= ra) {  // what goes back up goes around
      const side = Math.max(a.x + node.kids[from].w / 2, b.x + node.kids[to].w / 2) + node.origin[0] + 20, y1 = a.y + node.origin[1], y2 = b.y + node.origin[1];
      d = `M${a.x + node.kids[from].w / 2 + node.origin[0]},${y1} C${side},${y1} ${side},${y2} ${b.x + node.kids[to].w / 2 + 2 + node.origin[0]},${y2}`;
    } else {
      const points = [a];
      for (let r = ra + 1; r < rb; ++r) { const p = at.pass.get(r + ":" + from); if (p) points.push({ ...p, top: p.y - 3, bottom: p.y + 3 }); }
      points.push(b);
      d = edgePath(points, at.columns, node.origin);
    }
    const path = svgEl("path", { class: "edge" + (rb <= ra ? " back" : "") + (on.has(from + ">" + to) ? " path" : ""), "marker-end": on.has(from + ">" + to) ? "url(#arrowpath)" : "url(#arrow)", d });
    if (n > 1) path.style.strokeWidth = Math.min(4, 1 + Math.log2(n) / 2);
    layer.append(path); node.kids[from].ways.push(path); node.kids[to].ways.push(path);
  }
}
function drawBox(node, layer) {
  const open = node.open, root_ = node.i && node.i.r;
  const g = svgEl("g", { class: "box" + (node.view !== undefined ? " view" : "") + (open ? " open" : "") + (node.opens && !open ? " opens" : "") + (node.path ? " path" : "") + (root_ ? " root" : ""), role: "button", tabindex: "-1",
    transform: `translate(${node.x},${node.y})`, "aria-expanded": node.opens ? String(open) : undefined, "aria-label": node.lines.join(", ") + (root_ ? ", root" : "") });
  if (!node.opens) g.removeAttribute("aria-expanded");
  const r = svgEl("rect", { width: node.w, height: node.h, rx: open ? 8 : 6 });
  const c = open ? "" : fill(node); if (c) r.style.fill = c;
  g.append(r);
  if (open) {
    const title = cut(node.title, node.w - 38, 0), x = 26 + lengthOf(title, 0) + 10, room = node.w - x - 8;
    g.append(svgEl("text", { x: 9, y: 16.5, class: "head" }, "−"), svgEl("text", { x: 26, y: 16, class: "head" }, title));
    if (room > 60) g.append(svgEl("text", { x, y: 16, class: "sub" }, cut(node.lines.slice(1).join(" · "), room, 1)));
  } else {
    node.lines.forEach((line, k) => g.append(svgEl("text", k ? { class: "sub", x: node.w / 2, y: 18 + 16 * k, "text-anchor": "middle" } : { x: node.w / 2, y: 18, "text-anchor": "middle" },
      cut(line, node.w - 10, k ? 1 : 0))));
  }
  g.append(svgEl("title", {}, node.lines.join("\n")));
  g.addEventListener("click", (e) => {
    if (moved) return;
    const head = e.clientY - stage.getBoundingClientRect().top < (node.y + HEAD) * box.k + box.y;
    if (node.opens && (!open || head)) toggle(node); else select(node);
    e.stopPropagation();
  });
  node.g = g; layer.append(g); drawn.push(node);
}
function draw() {
  svg.textContent = ""; drawn = []; svg.classList.toggle("byheat", !byKind());
  for (const node of each(root)) { node.ways = []; node.path = false; }
  hottest = Math.max(1e-9, ...[...each(root)].filter((n) => !n.open).map((n) => shareOf(n)));
  const defs = svgEl("defs", {});
  for (const [id, color] of [["arrow", "var(--edge)"], ["arrowpath", "var(--way)"]]) {
    const marker = svgEl("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(svgEl("path", { d: "M0,0 L8,4 L0,8 z", style: "fill:" + color })); defs.append(marker);
  }
  svg.append(defs);
  const layer = svgEl("g", {}); svg.append(layer, svgEl("g", { id: "flow" }));
  const paint = (node) => {
    const edges = svgEl("g", {}); layer.append(edges); drawEdges(node, edges);
    for (const kid of node.kids) { drawBox(kid, layer); if (kid.open) paint(kid); }
  };
  root.origin = [0, 0]; paint(root);
  if (selected && !drawn.includes(selected)) selected = null;  // it has been folded
  if (selected) selected.g.classList.add("selected");
  sharpen(); markHits(); legend(); crumbs();
}
function relayout(keep) {
  // What is new has no place yet: then what it is in stays.
  let still = keep;
  while (still && still.x === undefined) still = still.parent;
  const before = still && [still.x * box.k + box.x, still.y * box.k + box.y], k = settle();
  draw();
  if (k >= MINIMUM || !before) return fit();
  box.x = before[0] - still.x * box.k; box.y = before[1] - still.y * box.k;
  if (box.k < MINIMUM) zoom(1 / box.k, before[0], before[1]);
  bring(keep);
}
function toggle(node) {
  node.open = !node.open;
  if (node.open) inside(node);
  relayout(node); select(node); remember();
}
