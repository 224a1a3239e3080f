// Where boxes stand on the page of `hloir graph`. The rows of a view and their order come with the data (layout.cc); here
// long rows are broken into lines and a long column of lines into several, so that the whole is about as wide and high as
// its window. Entry: placeBoxes.
const WIDE = { x: 14, y: 26, column: 34, pass: 8 }, TIGHT = { x: 8, y: 15, column: 22, pass: 3 }, GAP = { ...WIDE };

// Centers in a line that keep its order and their distances, near what they wish for.
function apart(wish, widths) {
  const left = wish.slice(), right = wish.slice(), n = wish.length, d = (k) => (widths[k] + widths[k + 1]) / 2 + GAP.x;
  for (let k = 1; k < n; ++k) left[k] = Math.max(left[k], left[k - 1] + d(k - 1));
  for (let k = n - 1; k > 0; --k) right[k - 1] = Math.min(right[k - 1], right[k] - d(k - 1));
  return left.map((x, k) => (x + right[k]) / 2);
}

// Rows as lines of at most `most` width; passing values take little room and are kept where they are.
function linesOf(rows, sizes, most) {
  const lines = [];
  rows.forEach((row, r) => {
    let line = [], width = 0;
    for (const e of row) {
      const w = (e >= 0 ? sizes[e].w : GAP.pass) + GAP.x;
      if (line.length && width + w > most && e >= 0) { lines.push({ row: r, entries: line }); line = []; width = 0; }
      line.push(e); width += w;
    }
    if (line.length) lines.push({ row: r, entries: line });
  });
  for (const line of lines) {
    line.h = Math.max(4, ...line.entries.map((e) => e >= 0 ? sizes[e].h : 0));
    line.widths = line.entries.map((e) => e >= 0 ? sizes[e].w : GAP.pass);
    line.w = line.widths.reduce((a, b) => a + b + GAP.x, -GAP.x);
  }
  return lines;
}

// The lines in so many columns, the highest as low as can be: the first line of each.
function columnsOf(lines, columns) {
  const total = lines.reduce((a, l) => a + l.h + GAP.y, 0);
  const cut = (most) => {
    const begins = [0]; let h = 0;
    lines.forEach((l, k) => { if (h > 0 && h + l.h > most) { begins.push(k); h = 0; } h += l.h + GAP.y; });
    return begins;
  };
  let low = total / columns, high = total;
  for (let step = 0; step < 14; ++step) { const middle = (low + high) / 2; if (cut(middle).length <= columns) high = middle; else low = middle; }
  return cut(high);
}

// Lines of one column: boxes come near those that they are linked to in the lines above and below.
function alignColumn(lines, near) {
  const at = new Map();
  const natural = Math.max(...lines.map((l) => l.w));
  for (const l of lines) {
    let x = -l.w / 2;
    l.x = l.widths.map((w) => { const c = x + w / 2; x += w + GAP.x; return c; });
    l.entries.forEach((e, k) => at.set(l.row + ":" + e, l.x[k]));
  }
  const centered = lines.map((l) => l.x.slice());
  for (let sweep = 0; sweep < 8; ++sweep) {
    for (const l of sweep % 2 ? lines.slice().reverse() : lines) {
      const wish = l.entries.map((e, k) => {
        let sum = 0, n = 0;
        for (const other of near(e, l.row)) if (at.has(other)) { sum += at.get(other); ++n; }
        return n ? sum / n : l.x[k];
      });
      l.x = apart(wish, l.widths);
      l.entries.forEach((e, k) => at.set(l.row + ":" + e, l.x[k]));
    }
  }
  const bounds = () => [Math.min(...lines.map((l) => l.x[0] - l.widths[0] / 2)), Math.max(...lines.map((l) => l.x[l.x.length - 1] + l.widths[l.x.length - 1] / 2))];
  let [left, right] = bounds();
  if (right - left > 1.15 * natural + 20) { lines.forEach((l, k) => { l.x = centered[k]; }); [left, right] = bounds(); }
  return [left, right];
}

// sizes: [{w, h}…]; rows: [[box or ~box]…]; edges: [[from, to]…]; the window's width and height. Returns {w, h, box:
// [{x, y}…], pass: Map("row:box" => point)}: the middles, and where the values of a box pass a row; each point has its column.
function placeBoxes(sizes, rows, edges, W, H) {
  if (!sizes.length) return { w: 0, h: 0, box: [], pass: new Map(), columns: [] };
  const rowOf = []; rows.forEach((row, r) => row.forEach((e) => { if (e >= 0) rowOf[e] = r; }));
  const neighbours = new Map(), link = (a, b) => { if (!neighbours.has(a)) neighbours.set(a, []); neighbours.get(a).push(b); };
  const seen = new Set();
  for (const [from, to] of edges) {
    let last = rowOf[from] + ":" + from;
    for (let r = rowOf[from] + 1; r <= rowOf[to]; ++r) {
      const next = r === rowOf[to] ? r + ":" + to : r + ":" + ~from;
      if (!seen.has(last + ">" + next)) { seen.add(last + ">" + next); link(last, next); link(next, last); }
      last = next;
    }
  }
  const near = (e, row) => neighbours.get(row + ":" + e) || [];
  let best = null;
  const widest = Math.max(...sizes.map((s) => s.w));
  const caps = [Infinity, W, W / 1.5, W / 2, W / 3].map((c) => Math.max(c, widest + 1));
  for (const most of new Set(caps)) {
    const lines = linesOf(rows, sizes, most);
    for (let columns = 1; columns <= Math.min(8, lines.length); ++columns) {
      const begins = columnsOf(lines, columns);
      if (begins.length < columns) continue;
      let w = -GAP.column, h = 0;
      begins.forEach((b, c) => {
        const mine = lines.slice(b, begins[c + 1]);
        w += Math.max(...mine.map((l) => l.w)) + GAP.column;
        h = Math.max(h, mine.reduce((a, l) => a + l.h + GAP.y, -GAP.y));
      });
      const scale = Math.min(W / w, H / h, 1.4) * 0.95 ** (begins.length - 1) * (most === Infinity ? 1 : 0.98);
      if (!best || scale > best.scale) best = { scale, lines, begins, most };
    }
  }
  const lines = linesOf(rows, sizes, best.most);
  const result = { w: 0, h: 0, box: [], pass: new Map(), columns: [] };
  let x = 0;
  best.begins.forEach((b, c) => {
    const mine = lines.slice(b, best.begins[c + 1]), [left, right] = alignColumn(mine, near);
    let y = 0;
    for (const l of mine) {
      l.entries.forEach((e, k) => {
        const point = { x: x + l.x[k] - left, y: y + l.h / 2, column: c };
        if (e >= 0) result.box[e] = point; else result.pass.set(l.row + ":" + ~e, point);
      });
      y += l.h + GAP.y;
    }
    result.columns.push({ left: x, right: x + right - left, bottom: y - GAP.y });
    x += right - left + GAP.column; result.h = Math.max(result.h, y - GAP.y);
  });
  result.w = x - GAP.column; result.rowOf = rowOf;
  return result;
}
