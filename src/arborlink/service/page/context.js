// A mention in its surroundings, and where it stands.

import { el } from "/assets/dom.js";

/** A mention in its surroundings. */
export function contextOf({ before, text, after }) {
  const line = (part) => part.replace(/\s+/g, " ");
  return [line(before), el("strong", { class: "said" }, line(text)), line(after)];
}

/** Where a mention stands in its document. */
export function documentAddress({ document, mention }) {
  return `#/document/${encodeURIComponent(document)}/${encodeURIComponent(mention)}`;
}

/** What a document is called: its title where it has one. */
export function titleOf({ title, document, id }) {
  return title || document || id;
}
