// What stands in the middle where there is nothing to decide: a proposal that became something else, or none at all.

import { counted, el, numbered, replace, shortened } from "/assets/dom.js";
import { at, get } from "./api.js";
import { contextOf, documentAddress, titleOf } from "./context.js";
import { typesOf } from "./nearest.js";
import { session } from "./session.js";

const SHOWN = 12;
const NOTHING = {
  open: "Nothing is left to review",
  unsure: "Nothing is marked as unsure",
  promoted: "Nothing is promoted yet",
  rejected: "Nothing is rejected yet",
  linked: "Nothing is linked to a known entity by a decision yet",
};

/** Where no proposal is open. */
export function nothingOpen(state) {
  const { n_documents, n_mentions } = session.status;
  const progress = session.progress;
  const threshold = session.threshold;
  const why =
    n_documents === 0
      ? ["The workspace has no documents yet. ", el("code", {}, "arborlink workspace add"), " brings some."]
      : threshold === null
        ? [
            "Every mention is linked: the workspace has no threshold, so nothing can be discovered. ",
            el("code", {}, "arborlink workspace reencode --threshold"),
            " gives it one.",
          ]
        : [
            `${numbered(n_mentions, "mention")} in ${numbered(n_documents, "document")}. `,
            progress &&
              progress.n_reviewed > 0 &&
              `${counted(progress.n_reviewed)} of ${counted(progress.n_total)} proposals are reviewed. `,
            "Other lists: ",
            el("kbd", {}, "F"),
          ];
  return el("div", { class: "nothing" }, el("h1", {}, NOTHING[state]), el("p", {}, why));
}

/** A proposal that is one no more: what it is now, and the way back. */
export function settledView(proposal, onUndo) {
  const place = el("div", { class: "panel" }, el("p", { class: "empty" }, "Reading …"));
  const story = el("div");
  fill(proposal, place, story, onUndo);
  return el("article", { class: "proposal settled" }, place, story);
}

async function fill(proposal, place, story, onUndo) {
  const told = await get(at("/api/history", proposal.id)).catch(() => null);
  const now = told?.now ?? proposal.now ?? proposal.place ?? null;
  // the review undoes what is shown
  proposal.decision ??= told?.decisions?.at(-1) ?? null;
  proposal.name ??= told?.name ?? now?.name ?? "This proposal";
  replace(place, await nowTold(proposal, now, onUndo));
  if (told?.events.length)
    replace(
      story,
      el(
        "section",
        { class: "panel story" },
        el("h2", {}, "What happened to it"),
        el(
          "ol",
          {},
          told.events.map((event) => el("li", {}, event.told)),
        ),
      ),
    );
}

async function nowTold({ name, decision }, now, onUndo) {
  const back =
    decision != null &&
    el("p", {}, el("button", { type: "button", onclick: onUndo }, "Undo this decision ", el("kbd", {}, "Z")));
  if (now === null)
    return [el("h1", {}, name), el("p", {}, "It is no discovery any more: its mentions went elsewhere."), back];
  if (now.kind === "discovery") {
    const link = el("a", { href: `#/review/${encodeURIComponent(now.id)}` }, now.name);
    return [el("h1", {}, name), el("p", {}, "It is part of ", link, " now."), back];
  }
  const entity = await get(at("/api/entities", now.id)).catch(() => null);
  const words = entity?.is_promoted
    ? "An entity of the knowledge base, promoted from a discovery."
    : "Linked to this entity of the knowledge base.";
  return [
    el(
      "h1",
      {},
      now.name,
      el("span", { class: "badge state promoted" }, entity?.is_promoted ? "✓ promoted" : "↪ linked"),
    ),
    el("p", { class: "reason" }, words, name !== now.name && ` Proposed as “${shortened(name, 60)}”.`),
    entity && typesOf(entity),
    entity?.description && el("p", { class: "about" }, shortened(entity.description, 500)),
    back,
    entity && el("h2", {}, `${numbered(entity.n_mentions, "mention")} linked to it`),
    entity && el("ul", { class: "mention-list" }, entity.mentions.slice(0, SHOWN).map(mentionRow)),
  ];
}

function mentionRow(mention) {
  return el(
    "li",
    {},
    el("p", { class: "context" }, contextOf(mention)),
    el("p", { class: "where quiet" }, el("a", { href: documentAddress(mention) }, titleOf(mention))),
  );
}
