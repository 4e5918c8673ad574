// What the knowledge base has that is near: is the proposal really new?

import { affinityText, el, numbered, shortened } from "/assets/dom.js";

/** The number of entities that a key can choose. */
export const NUMBERED = 9;

/**
 * @param {object} proposal
 * @param {number|null} threshold affinities below it do not link
 * @param {(entity: object) => void} onLink
 */
export function nearestView(proposal, threshold, onLink) {
  const nearest = proposal.nearest_entities;
  return el(
    "aside",
    { class: "nearest", "aria-label": "Nearest known entities" },
    el("h2", {}, "Is it really new?"),
    el("p", { class: "note" }, "The nearest entities of the knowledge base; a number says: it is this one."),
    nearest.length
      ? el(
          "ol",
          { class: "nearest-list" },
          nearest.slice(0, NUMBERED).map((entity, i) => nearRow(entity, i, threshold, onLink)),
        )
      : el("p", { class: "empty" }, "No entity of the knowledge base is anywhere near."),
    el("p", { class: "note" }, "Another one: ", el("kbd", {}, "L"), " and its name."),
  );
}

function nearRow(entity, i, threshold, onLink) {
  const { name, affinity, description, aliases = [], mention_text, n_mentions } = entity;
  const also = aliases.filter((alias) => alias !== name).slice(0, 4);
  return el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "near-name", "aria-keyshortcuts": i + 1, onclick: () => onLink(entity) },
      el("kbd", {}, i + 1),
      el("span", {}, shortened(name, 90)),
    ),
    meter(affinity, threshold),
    mention_text && el("p", { class: "quiet" }, "nearest to “", shortened(mention_text, 50), "”"),
    typesOf(entity),
    description && el("p", { class: "about", title: shortened(description, 900) }, shortened(description, 220)),
    also.length > 0 && el("p", { class: "quiet" }, `also ${also.map((alias) => shortened(alias, 40)).join(", ")}`),
    n_mentions != null && el("p", { class: "quiet" }, `${numbered(n_mentions, "mention")} linked to it`),
  );
}

/** The types of an entity as chips. */
export function typesOf({ types = [] }) {
  if (!types.length) return null;
  return el(
    "p",
    { class: "types" },
    types.slice(0, 4).map((type) => el("span", { class: "chip" }, type)),
  );
}

/** An affinity as a bar from 0 to 1, with a tick where linking begins. */
function meter(affinity, threshold) {
  const title = threshold == null ? null : `Mentions are linked from ${affinityText(threshold)} on`;
  const share = (value) => `${(100 * Math.min(1, Math.max(0, value))).toFixed(1)}%`;
  return el(
    "div",
    { class: "meter", title },
    el("span", { class: "fill", "--share": share(affinity) }),
    threshold != null && el("span", { class: "limit", "--share": share(threshold) }),
    el("span", { class: "figure" }, affinityText(affinity)),
  );
}
