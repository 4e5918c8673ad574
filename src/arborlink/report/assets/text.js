// Text with marked spans, and a mention with a little of what stands around it.

import { el } from "./dom.js";

/**
 * Nodes for a text in which spans are marked; spans may nest and cross.
 * @param {string} text
 * @param {{start: number, end: number}[]} spans in any order
 * @param {(span: object, children: Node[], isRest: boolean) => Node} mark makes the element of a span; a span that
 *   crosses another comes in parts, of which all but the first are its rest
 */
export function markedText(text, spans, mark) {
  const sorted = spans.map((span) => ({ start: span.start, end: span.end, span, isRest: false }));
  return between(text, 0, text.length, sorted, mark);
}

function between(text, from, to, pieces, mark) {
  const waiting = pieces.sort(byPlace);
  const nodes = [];
  let at = from;
  while (waiting.length) {
    const outer = waiting.shift();
    const inside = [];
    while (waiting.length && waiting[0].start < outer.end) inside.push(clipped(waiting.shift(), outer.end, waiting));
    if (outer.start > at) nodes.push(document.createTextNode(text.slice(at, outer.start)));
    nodes.push(mark(outer.span, between(text, outer.start, outer.end, inside, mark), outer.isRest));
    at = outer.end;
    waiting.sort(byPlace);
  }
  if (at < to) nodes.push(document.createTextNode(text.slice(at, to)));
  return nodes;
}

function clipped(piece, end, waiting) {
  if (piece.end <= end) return piece;
  waiting.push({ ...piece, start: end, isRest: true });
  return { ...piece, end };
}

function byPlace(a, b) {
  return a.start - b.start || b.end - a.end;
}

/** A mention in its surroundings: "… before <strong>mention</strong> after …". */
export function inContext(model, mention, width = 90) {
  const said = el("strong", { class: "said" }, model.text(mention).replace(/\s+/g, " "));
  if (!model.hasTexts) return [said];
  const text = model.documents.text[model.document[mention]];
  const [start, end] = [model.mentions.start[mention], model.mentions.end[mention]];
  const from = start <= width ? 0 : wordStart(text, start - width, start);
  const to = end + width >= text.length ? text.length : wordEnd(text, end + width, end);
  const before = text.slice(from, start).replace(/\s+/g, " ");
  const after = text.slice(end, to).replace(/\s+/g, " ");
  return [from ? "… " : "", before, said, after, to < text.length ? " …" : ""];
}

function wordStart(text, near, limit) {
  const space = text.slice(near, limit).search(/\s/);
  return space < 0 ? limit : near + space + 1;
}

function wordEnd(text, near, limit) {
  const space = text.slice(limit, near).search(/\s\S*$/);
  return space < 0 ? limit : limit + space;
}
