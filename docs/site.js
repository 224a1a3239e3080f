// The site's own script: colors commands and HLO in code blocks, makes what scrolls reachable by keyboard, and searches
// where pages are read from files, in which browsers refuse the theme's search (a worker that fetches its index).
// scripts/site writes search/index.js for that. Tested by tests/pages/site.py.
"use strict";
{
  const HLO = /^\s*(?:[-+] )?(?:ROOT )?%?[\w.-]+ = \(*(?:[a-z]\w*\[|\/\*)|^\s*(?:[-+] )?(?:HloModule |ENTRY )|^%?[\w.-]+ (?:\(.*\) -> .*)?\{$/;
  // Comment, string, keyword, type, opcode, attribute.
  const TOKEN = /(\/\*.*?\*\/|\/\/.*)|("(?:[^"\\]|\\.)*")|\b(HloModule|ENTRY|ROOT)\b|\b(pred|token|opaque|[suc]\d+|b?f\d\w*)(?=\[)|(?<![\w.%-])([a-z][a-z0-9-]*)(?=\()|(?<![\w.%-])([A-Za-z_]\w*)(?==)/g;
  const KINDS = ["comment", "string", "keyword", "type", "opcode", "attribute"];
  function colored(line) {
    const made = document.createDocumentFragment();
    const add = (text, kind) => {
      const span = document.createElement("span");
      span.className = "hlo-" + kind;
      span.textContent = text;
      made.append(span);
    };
    if (/^\$ /.test(line)) {
      add(line, "command");
      return made;
    }
    let at = 0;
    for (const token of HLO.test(line) ? line.matchAll(TOKEN) : []) {
      made.append(line.slice(at, token.index));
      add(token[0], KINDS[token.slice(1).findIndex((part) => part !== undefined)]);
      at = token.index + token[0].length;
    }
    made.append(line.slice(at));
    return made;
  }
  for (const code of document.querySelectorAll("pre > code")) {
    const lines = code.textContent.split("\n");
    code.replaceChildren(...lines.flatMap((line, k) => k + 1 < lines.length ? [colored(line), "\n"] : [colored(line)]));
  }
  let regions = 0;  // which have names of their own
  const reach = () => {
    for (const part of document.querySelectorAll("pre, table")) {
      const scrolls = part.scrollWidth > part.clientWidth;
      if (!scrolls || part.tabIndex >= 0) continue;
      part.tabIndex = 0;
      if (part.tagName !== "PRE") continue;  // a table stays one
      part.setAttribute("role", "region");
      part.setAttribute("aria-label", "Code " + ++regions);
    }
  };
  reach();
  addEventListener("resize", reach);

  const input = document.getElementById("mkdocs-search-query"), results = document.getElementById("mkdocs-search-results");
  const MOST = 20;
  function search() {
    const phrase = input.value.toLowerCase().trim(), words = phrase.split(/\s+/).filter(Boolean);
    results.replaceChildren();
    if (!words.length || !window.searchIndex) return;
    const found = [];
    for (const { location, title, text } of window.searchIndex.docs) {
      const head = title.toLowerCase(), body = text.toLowerCase();
      if (!words.every((word) => head.includes(word) || body.includes(word))) continue;
      found.push({ location, title, text, at: Math.max(0, body.indexOf(words[0])), score: words.filter((word) => head.includes(word)).length + head.includes(phrase) });
    }
    found.sort((a, b) => b.score - a.score);
    for (const { location, title, text, at } of found.slice(0, MOST)) {
      const article = document.createElement("article"), head = document.createElement("h3"), link = document.createElement("a"), part = document.createElement("p");
      link.href = base_url + "/" + location;
      link.textContent = title;
      part.textContent = (at > 60 ? "…" : "") + text.slice(Math.max(0, at - 60), at + 160);
      head.append(link);
      article.append(head, part);
      results.append(article);
    }
    if (!found.length) results.textContent = results.dataset.noResultsText || "nothing found";
  }
  if (location.protocol === "file:" && input) {
    input.addEventListener("focus", () => {
      const index = document.createElement("script");
      index.src = base_url + "/search/index.js";
      index.onload = search;
      document.head.append(index);
    }, { once: true });
    input.addEventListener("input", search);
  }
}
