// Why a mention is where it is: the path, its weakest step, who else was near.

import { affinityText, el, replace, shortened } from "/assets/dom.js";
import { at, get } from "./api.js";
import { typesOf } from "./nearest.js";

const LONGEST_PATH = 12;
let turn = 0;

/** Fill a panel with what is told of a mention. */
export async function whyPanel(panel, { mention, text }) {
  const mine = ++turn;
  replace(panel, el("h2", {}, `Why “${shortened(text, 50)}”?`), el("p", { class: "empty" }, "Reading …"));
  const why = await get(at("/api/mentions", mention) + "/why");
  if (mine !== turn) return;
  const isNew = why.place.kind === "discovery";
  const entity = isNew ? null : await get(at("/api/entities", why.place.id)).catch(() => null);
  if (mine !== turn) return;
  replace(
    panel,
    el("h2", {}, `Why “${shortened(text, 50)}”?`),
    el(
      "p",
      { class: "verdict" },
      isNew ? "Discovered: " : "Linked to ",
      el("strong", {}, why.place.name),
      isNew && el("span", { class: "badge" }, "new"),
    ),
    entity && typesOf(entity),
    entity?.description && el("p", { class: "about" }, shortened(entity.description, 240)),
    path(why, isNew),
    runnerUp(why, isNew),
    isNew &&
      el(
        "p",
        {},
        el("a", { class: "button", href: `#/review/${encodeURIComponent(why.place.id)}` }, "Review this discovery"),
      ),
  );
}

function path({ root, steps, place }, isNew) {
  const start =
    root.kind === "entity" ? place.name : isNew ? `“${shortened(root.name, 50)}”, its first mention` : root.name;
  const shown = steps.slice(-LONGEST_PATH);
  return el(
    "ol",
    { class: "path" },
    el("li", {}, start),
    steps.length > shown.length && el("li", { class: "quiet" }, `… ${steps.length - shown.length} mentions between`),
    shown.map((step, i) => pathStep(step, i === shown.length - 1, steps.length > 1)),
  );
}

function pathStep({ text, affinity, is_bottleneck }, isLast, hasOthers) {
  const isWeakest = is_bottleneck && hasOthers;
  return el(
    "li",
    { class: isWeakest ? "weakest" : null },
    el("span", { class: "edge" }, affinity == null ? "decided" : affinityText(affinity), " "),
    el("span", { class: isLast ? "said" : null }, shortened(text, 50)),
    isWeakest && " ← bottleneck",
  );
}

function runnerUp({ runner_up: other }, isNew) {
  if (!other) return null;
  const words = isNew ? "Nearest known entity, not near enough: " : "Runner-up: ";
  return el("p", {}, words, el("strong", {}, shortened(other.name, 70)), ` ${affinityText(other.affinity)}`);
}
