// One document with its mentions marked; a mention tells why it is where it is.

import { el, numbered, replace, shortened } from "/assets/dom.js";
import { markedText } from "/assets/text.js";
import { at, get } from "./api.js";
import { listed, moveFocus } from "./documents.js";
import { whyPanel } from "./why.js";

/** The view of a document. */
export function documentView() {
  const element = el("main", { class: "page reading", id: "content", tabindex: "-1" });
  let shown = null;
  const show = async (id, mention) => {
    const found = await get(at("/api/documents", id)).catch((refusal) => {
      if (!refusal.isGone) throw refusal;
      return null;
    });
    shown = found;
    if (!found) {
      const back = el("a", { href: "#/documents" }, "To the documents");
      return replace(
        element,
        el("h1", {}, "No such document"),
        el("p", { class: "empty" }, "The workspace has no document of this id. ", back),
      );
    }
    draw(element, found, mention);
  };
  const other = (by) => () => {
    const to = by > 0 ? shown?.next : shown?.previous;
    const beside = to ?? listed.items[listed.items.indexOf(shown?.id) + by];
    if (shown && beside && (to || listed.items.includes(shown.id)))
      location.hash = `#/document/${encodeURIComponent(beside)}`;
  };
  const step = (by) => () => moveFocus(element, by, ".text mark[tabindex]");
  return {
    element,
    show,
    bindings: [
      { keys: ["j", "ArrowRight"], told: "Next mention", group: "Document", run: step(1) },
      { keys: ["k", "ArrowLeft"], told: "Previous mention", group: "Document", run: step(-1) },
      { keys: ["Enter"], told: "Why is the mention there?", group: "Document", run: () => {} },
      { keys: ["n"], told: "Next document", group: "Document", run: other(1) },
      { keys: ["p"], told: "Previous document", group: "Document", run: other(-1) },
      { keys: ["Escape"], told: "Back to the list", group: "Document", run: () => (location.hash = "#/documents") },
    ],
  };
}

function draw(element, found, asked) {
  const hues = distinctHues(found.mentions);
  const why = el("section", { class: "panel why", "aria-live": "polite" });
  const marks = new Map();
  const text = el(
    "article",
    { class: "panel text", lang: "" },
    marked(found, hues, marks, (mention) => choose(mention)),
  );
  const choose = (mention) => {
    for (const [id, parts] of marks) for (const part of parts) part.classList.toggle("asked", id === mention.mention);
    whyPanel(why, mention);
  };
  const title = found.title || found.text.trimStart().split("\n", 1)[0] || found.id;
  const n = found.mentions.length;
  replace(
    why,
    el("h2", {}, "Why?"),
    el(
      "p",
      { class: "empty" },
      n ? "Click a mention, or go to one with J and press Enter." : "Nothing is marked in this document.",
    ),
  );
  replace(
    element,
    el("p", { class: "trail" }, el("a", { href: "#/documents" }, "Documents"), " / ", el("span", {}, found.id)),
    el("h1", {}, shortened(title, 120)),
    el(
      "p",
      { class: "quiet" },
      numbered(n, "mention"),
      ". Colours tell entities apart; a dashed frame is a discovered one.",
    ),
    el(
      "div",
      { class: "reading-room" },
      text,
      el("div", { class: "reading-side" }, why, entityPanel(found.mentions, marks, hues)),
    ),
  );
  const first = found.mentions.find(({ mention }) => mention === asked);
  if (!first) return element.focus({ preventScroll: true });
  choose(first);
  marks.get(asked)[0].scrollIntoView({ block: "center" });
  marks.get(asked)[0].focus({ preventScroll: true });
}

/** A hue for each entity: those that come one after the other are far apart on the circle. */
function distinctHues(mentions) {
  const hues = new Map();
  for (const { place } of mentions) {
    if (!hues.has(place.id)) hues.set(place.id, Math.round((210 + hues.size * 137.508) % 360));
  }
  return hues;
}

function marked(found, hues, marks, choose) {
  const spans = found.mentions.map((mention) => ({ mention, start: mention.utf16_start, end: mention.utf16_end }));
  return markedText(found.text, spans, ({ mention }, children, isRest) => {
    const open = (event) => {
      event.stopPropagation();
      choose(mention);
    };
    const isNew = mention.place.kind === "discovery";
    const mark = el(
      "mark",
      {
        class: `mention${isNew ? " new" : ""}`,
        "--hue": hues.get(mention.place.id),
        tabindex: isRest ? null : "0",
        role: "button",
        title: `${mention.place.name}${isNew ? " (discovered)" : ""}`,
        "data-mention": mention.mention,
        onclick: open,
        onkeydown: (event) => event.key === "Enter" && open(event),
      },
      children,
    );
    if (!marks.has(mention.mention)) marks.set(mention.mention, []);
    marks.get(mention.mention).push(mark);
    return mark;
  });
}

function entityPanel(mentions, marks, hues) {
  const own = new Map();
  for (const { place, mention } of mentions) {
    if (!own.has(place.id)) own.set(place.id, { place, ids: [] });
    own.get(place.id).ids.push(mention);
  }
  if (!own.size) return null;
  const rows = [...own.values()].map(({ place, ids }) => {
    const light = (on) => () => ids.forEach((id) => marks.get(id).forEach((mark) => mark.classList.toggle("lit", on)));
    const isNew = place.kind === "discovery";
    const name = isNew
      ? el("a", { href: `#/review/${encodeURIComponent(place.id)}` }, shortened(place.name, 60))
      : shortened(place.name, 60);
    const dot = el("span", { class: `dot${isNew ? " new" : ""}`, "--hue": hues.get(place.id), "aria-hidden": "true" });
    const events = {
      onpointerenter: light(true),
      onpointerleave: light(false),
      onfocusin: light(true),
      onfocusout: light(false),
    };
    return el(
      "li",
      events,
      dot,
      name,
      isNew && el("span", { class: "badge" }, "new"),
      el("span", { class: "quiet" }, ` × ${ids.length}`),
    );
  });
  return el("section", { class: "panel" }, el("h2", {}, "Entities in it"), el("ul", { class: "entities" }, rows));
}
