// One document with its mentions marked.

import { el, numbered, shortened } from "./dom.js";
import { isWrong, mentionTold, newBadge } from "./mention.js";
import { markedText } from "./text.js";
import { withTip } from "./tip.js";

/** One document; `asked` is a mention to bring into sight, or undefined. */
export function documentView(model, document, asked) {
  const mentions = model.mentionsOf(document);
  const marks = new Map();
  const hues = distinctHues(model, mentions);
  const body = model.hasTexts
    ? fullText(model, document, mentions, marks, hues)
    : withoutText(model, mentions, marks, hues);
  const view = el(
    "div",
    {},
    el("p", { class: "trail" }, el("a", { href: "#/documents" }, "Documents"), " / "),
    el("h1", {}, shortened(model.title(document), 100)),
    el(
      "p",
      { class: "lead" },
      numbered(mentions.length, "mention"),
      el("span", { class: "quiet" }, ` · ${model.documents.id[document]}`),
    ),
    el(
      "div",
      { class: "reading-room" },
      el("article", { class: "panel text", lang: "" }, body),
      el("aside", { class: "panel" }, entitiesIn(model, mentions, marks, hues)),
    ),
    otherDocuments(model, document),
  );
  const first = marks.get(asked)?.[0];
  if (first) {
    first.classList.add("asked");
    view.afterwards = () => {
      first.scrollIntoView({ block: "center" });
      first.focus({ preventScroll: true });
    };
  }
  return view;
}

/** A hue for each entity of a document: those that come one after the other are far apart on the circle. */
function distinctHues(model, mentions) {
  const hues = new Map();
  for (const mention of mentions) {
    const cluster = model.mentions.cluster[mention];
    if (!hues.has(cluster)) hues.set(cluster, Math.round((210 + hues.size * 137.508) % 360));
  }
  return hues;
}

function fullText(model, document, mentions, marks, hues) {
  const spans = mentions.map((mention) => ({
    mention,
    start: model.mentions.start[mention],
    end: model.mentions.end[mention],
  }));
  const mark = (span, children, isRest) => markOf(model, span.mention, children, isRest, marks, hues);
  return markedText(model.documents.text[document], spans, mark);
}

function withoutText(model, mentions, marks, hues) {
  return [
    el(
      "p",
      { class: "empty" },
      "The report was made without the documents: only what the mentions say is known. ",
      el("code", {}, "--documents"),
      " gives their text.",
    ),
    el(
      "p",
      {},
      mentions.map((mention) => [markOf(model, mention, [model.text(mention)], false, marks, hues), " "]),
    ),
  ];
}

function markOf(model, mention, children, isRest, marks, hues) {
  const cluster = model.mentions.cluster[mention];
  const kinds = ["mention", model.isNew(cluster) && "new", isWrong(model, mention) && !isRest && "wrong-mark"];
  const element = el(
    "mark",
    {
      class: kinds.filter(Boolean).join(" "),
      "--hue": hues.get(cluster),
      tabindex: isRest ? null : "0",
      role: "link",
      "data-mention": mention,
    },
    children,
  );
  const open = (event) => {
    event.stopPropagation();
    location.hash = `#/entity/${cluster}/${mention}`;
  };
  element.addEventListener("click", open);
  element.addEventListener("keydown", (event) => event.key === "Enter" && open(event));
  if (!marks.has(mention)) marks.set(mention, []);
  marks.get(mention).push(element);
  return withTip(element, () => mentionTold(model, mention, false));
}

function entitiesIn(model, mentions, marks, hues) {
  const byCluster = new Map();
  for (const mention of mentions) {
    const cluster = model.mentions.cluster[mention];
    if (!byCluster.has(cluster)) byCluster.set(cluster, []);
    byCluster.get(cluster).push(mention);
  }
  if (!byCluster.size)
    return [el("h2", {}, "Entities in it"), el("p", { class: "empty" }, "No mention is marked in this document.")];
  const rows = [...byCluster]
    .sort(([a], [b]) => a - b)
    .map(([cluster, own]) => entityRow(model, cluster, own, marks, hues.get(cluster)));
  return [el("h2", {}, "Entities in it"), el("ul", { class: "entities" }, rows), legend(model)];
}

function entityRow(model, cluster, mentions, marks, hue) {
  const light = (on) => () => {
    for (const mention of mentions) for (const mark of marks.get(mention)) mark.classList.toggle("lit", on);
  };
  const events = {
    onpointerenter: light(true),
    onpointerleave: light(false),
    onfocusin: light(true),
    onfocusout: light(false),
  };
  return el(
    "li",
    events,
    el("span", { class: `dot${model.isNew(cluster) ? " new" : ""}`, "--hue": hue, "aria-hidden": "true" }),
    el("a", { href: `#/entity/${cluster}` }, shortened(model.clusters.name[cluster], 60)),
    model.isNew(cluster) && newBadge(),
    el("span", { class: "quiet" }, ` × ${mentions.length}`),
  );
}

function legend(model) {
  return el(
    "p",
    { class: "note" },
    "Colours tell entities apart; a dashed frame is a discovered one.",
    model.hasGold && " ✗ is where the label says otherwise.",
    " Point at a mention to see why it is there.",
  );
}

function otherDocuments(model, document) {
  const go = (to, words, key) => el("a", { class: "button", href: `#/document/${to}`, rel: key }, words);
  return el(
    "nav",
    { class: "pager", "aria-label": "Other documents" },
    document > 0 && go(document - 1, "Previous document", "prev"),
    document < model.nDocuments - 1 && go(document + 1, "Next document", "next"),
  );
}
