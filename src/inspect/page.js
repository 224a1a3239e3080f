"use strict";
// What every page begins with; the build puts it in where a page says so (cmake/pages.cmake). The page has a button #theme,
// and its data, if it has any, in #data.
const $ = (id) => document.getElementById(id), NS = "http://www.w3.org/2000/svg";
const data = $("data") && JSON.parse($("data").textContent);
// Elements of the page and of pictures. Text comes in by textContent alone, so no name is taken for markup.
function fillIn(e, attributes, text) {
  if (text !== undefined) e.textContent = text;
  for (const a in attributes || {}) e.setAttribute(a, attributes[a]);
  return e;
}
const el = (tag, text, attributes) => fillIn(document.createElement(tag), attributes, text);
const svgEl = (tag, attributes, text) => fillIn(document.createElementNS(NS, tag), attributes, text);
const units = ["", " k", " M", " G", " T", " P"];
function human(n, unit) {
  if (n === undefined || n < 0) return "";
  let k = 0; while (n >= 999.5 && k < 5) { n /= 1000; ++k; }
  return (Number.isInteger(n) ? n : n.toFixed(n < 10 ? 2 : n < 100 ? 1 : 0)) + (units[k] || (unit ? " " : "")) + (unit || "");
}
function dark(on) { document.documentElement.classList.toggle("dark", on); $("theme").textContent = on ? "Light" : "Dark"; }
$("theme").onclick = () => dark(!document.documentElement.classList.contains("dark"));
dark(matchMedia("(prefers-color-scheme: dark)").matches);
// Paper is white: the page turns light for it, and back.
let darkBefore = null;
function onPaper(on) {
  if (on === (darkBefore !== null)) return;
  const now = document.documentElement.classList.contains("dark"), wanted = on ? false : darkBefore;
  darkBefore = on ? now : null;
  if (now !== wanted) $("theme").onclick();
}
addEventListener("beforeprint", () => onPaper(true));
addEventListener("afterprint", () => onPaper(false));
matchMedia("print").addEventListener("change", (e) => onPaper(e.matches));
// An element whose text breaks after a dot, a dash and the like, before it breaks elsewhere.
function breakable(tag, text, attributes) {
  const e = el(tag, undefined, attributes);
  String(text).split(/(?<=[._/-])/).forEach((part, k) => e.append(...(k ? [el("wbr"), part] : [part])));
  return e;
}
// Each cell knows its column's head, which a phone shows before it.
function cards(table) {
  const heads = [...table.tHead.rows[0].cells].map((c) => c.textContent);
  for (const row of table.tBodies[0].rows) if (row.cells.length === heads.length) [...row.cells].forEach((c, k) => { c.dataset.head = heads[k]; });
  table.classList.add("cards");
  return table;
}
// Lines of a diff: what went, what came, and the rest; `label` says of what.
function diffText(text, label) {
  const pre = el("pre", undefined, { tabindex: "0", role: "region", "aria-label": label || "What differs" });
  for (const line of text.split("\n")) pre.append(el("span", line + "\n", line[0] === "-" ? { class: "went" } : line[0] === "+" ? { class: "came" } : {}));
  return pre;
}
// dagre places the boxes, when they are to be seen. `put` takes the middle of each box; returned is the size of all.
function layOut(widths, height, edges, put) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ ranksep: 36, nodesep: 16 }).setDefaultEdgeLabel(() => ({}));
  widths.forEach((width, k) => graph.setNode(k, { width, height }));
  for (const [from, to] of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  widths.forEach((_, k) => put(k, graph.node(k).x, graph.node(k).y));
  return [graph.graph().width || 0, graph.graph().height || 0];
}
// A small picture: {w, h, boxes: [[name, opcode, shape, marked, x, y, width]…], edges: [[from, to]…]}; `mark` is the class
// of the boxes that are marked.
function sketch(g, mark) {
  if (!g.w) [g.w, g.h] = layOut(g.boxes.map((b) => b[6]), 36, g.edges, (k, x, y) => { g.boxes[k][4] = x; g.boxes[k][5] = y; });
  const e = svgEl("svg", { class: "sketch", viewBox: `-6 -6 ${g.w + 12} ${g.h + 12}`, width: g.w + 12, role: "img", "aria-label": g.boxes.map((b) => b[0] + " " + b[1]).join(", ") });
  for (const [from, to] of g.edges) {
    const a = g.boxes[from], b = g.boxes[to], y1 = a[5] + 18, y2 = b[5] - 18, m = (y1 + y2) / 2;
    e.append(svgEl("path", { d: `M${a[4]},${y1} C${a[4]},${m} ${b[4]},${m} ${b[4]},${y2}` }));
  }
  for (const [name, op, shape, marked, x, y, w] of g.boxes) {
    const n = svgEl("g", { class: marked ? mark : "", transform: `translate(${x - w / 2},${y - 18})` });
    n.append(svgEl("rect", { width: w, height: 36, rx: 5 }), svgEl("text", { x: w / 2, y: 15, "text-anchor": "middle" }, name), svgEl("text", { class: "sub", x: w / 2, y: 29, "text-anchor": "middle" }, `${op} ${shape}`.slice(0, Math.floor(w / 5.9))));
    e.append(n);
  }
  return e;
}
