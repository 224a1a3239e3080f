// Two texts of modules side by side: sideBySide(before, after). An instruction meets the one of its name in the computation of
// the same name; where the order is another, the longest part in one order meets. What is the same folds, but for three lines
// around each difference.
const kAround = 3;
// Lines, and for each what it meets by: its computation and name, or its text. Tables of source locations are left out.
function linesOf(text) {
  const lines = text.replace(/^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n?/gm, "").trimEnd().split("\n");
  let inside = "";
  const keys = lines.map((line) => {
    const name = /^\s+(?:ROOT )?(%?[\w.-]+) = /.exec(line);
    if (name) return inside + " " + name[1];
    const head = /^(?:ENTRY )?(%?[\w.-]+) .*\{$/.exec(line);
    if (head) return (inside = line.startsWith("ENTRY ") ? "ENTRY" : head[1]) + " {";
    return line && inside + line;
  });
  return { lines, keys };
}
// [[of before, of after]…] that meet, in both orders ascending: a longest increasing subsequence.
function meet(before, after) {
  const where = new Map(after.map((key, k) => [key, k])), tails = [], previous = [];
  const pairs = before.map((key, k) => [k, key ? where.get(key) : undefined]).filter((p) => p[1] !== undefined);
  pairs.forEach(([, to], k) => {
    let low = 0, high = tails.length;
    while (low < high) { const mid = (low + high) >> 1; if (pairs[tails[mid]][1] < to) low = mid + 1; else high = mid; }
    previous[k] = low ? tails[low - 1] : -1;
    tails[low] = k;
  });
  const found = [];
  for (let k = tails.length ? tails[tails.length - 1] : -1; k >= 0; k = previous[k]) found.push(pairs[k]);
  return found.reverse();
}
// [[line of before or undefined, line of after or undefined]…]
function rowsOf(before, after) {
  const a = linesOf(before), b = linesOf(after), rows = [];
  let i = 0, j = 0;
  const gap = (to_i, to_j) => {
    while (i < to_i && j < to_j && a.lines[i] === b.lines[j]) rows.push([a.lines[i++], b.lines[j++]]);
    while (i < to_i) rows.push([a.lines[i++], undefined]);
    while (j < to_j) rows.push([undefined, b.lines[j++]]);
  };
  for (const [x, y] of [...meet(a.keys, b.keys), [a.lines.length, b.lines.length]]) {
    gap(x, y);
    if (x < a.lines.length) rows.push([a.lines[i++], b.lines[j++]]);
  }
  return rows;
}
// A line; of two that differ, the words between what both begin and end with are marked.
function lineCell(tag, line, other) {
  const cell = el(tag);
  if (other === undefined || line === other) { cell.textContent = line; return cell; }
  const words = line.split(/(\W)/), others = other.split(/(\W)/), most = Math.min(words.length, others.length);
  let first = 0, last = 0;
  while (first < most && words[first] === others[first]) ++first;
  while (last < most - first && words[words.length - 1 - last] === others[others.length - 1 - last]) ++last;
  cell.append(words.slice(0, first).join(""), el("mark", words.slice(first, words.length - last).join("")), words.slice(words.length - last).join(""));
  return cell;
}
const isSame = (row) => row[0] === row[1];
function cellsOf(row) {
  if (isSame(row)) return [el("code", row[0]), el("code", row[1], { class: "twin" })];
  return [row[0] === undefined ? el("code", "", { class: "twin" }) : lineCell("del", row[0], row[1]), row[1] === undefined ? el("code", "", { class: "twin" }) : lineCell("ins", row[1], row[0])];
}
function sideBySide(before, after) {
  const rows = rowsOf(before, after), box = el("div", undefined, { class: "lines", tabindex: "0", role: "region", "aria-label": "Before and after, line by line" });
  box.append(el("h2", "before"), el("h2", "after", { class: "twin" }));
  const near = new Uint8Array(rows.length);
  rows.forEach((row, k) => { if (!isSame(row)) near.fill(1, Math.max(0, k - kAround), k + kAround + 1); });
  for (let k = 0; k < rows.length;) {
    if (near[k]) { box.append(...cellsOf(rows[k++])); continue; }
    let end = k;
    while (end < rows.length && !near[end]) ++end;
    const part = rows.slice(k, end), fold = el("button", `${part.length} line${part.length === 1 ? "" : "s"} the same`, { class: "fold", "aria-expanded": "false" });
    fold.onclick = () => fold.replaceWith(...part.flatMap(cellsOf));
    box.append(fold);
    k = end;
  }
  return box;
}
