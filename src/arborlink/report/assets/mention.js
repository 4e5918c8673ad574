// What is told of a mention: where it stands, the path it came along, what else was near.

import { MISSED, RIGHT, WRONG } from "./data.js";
import { affinityText, el, numbered, shortened } from "./dom.js";
import { inContext } from "./text.js";

const LONGEST_PATH = 8;

/** The content of a mention's tip; with its context where that is not before the reader's eyes. */
export function mentionTold(model, mention, withContext) {
  const cluster = model.mentions.cluster[mention];
  return [
    el("p", { class: "tip-name" }, model.clusters.name[cluster], model.isNew(cluster) && newBadge()),
    withContext && model.hasTexts && el("p", { class: "tip-context" }, inContext(model, mention)),
    pathTold(model, mention),
    nearTold(model, mention),
    answerTold(model, mention),
    goldTold(model, mention),
    withContext && el("p", { class: "quiet" }, `in ${shortened(model.title(model.document[mention]), 80)}`),
  ];
}

/** The small sign of what was discovered. */
export function newBadge() {
  return el("span", { class: "badge" }, "new");
}

/** The path from the entity as a list, the weakest step marked. */
export function pathTold(model, mention) {
  const path = model.path(mention);
  const weakest = path.length > 1 ? model.weakest(path) : -1;
  const shown = path.length > LONGEST_PATH ? path.slice(-LONGEST_PATH) : path;
  const cluster = model.mentions.cluster[mention];
  const root = model.isNew(cluster) ? "a new entity" : shortened(model.clusters.name[cluster], 50);
  const steps = shown.map((each) => pathStep(model, each, each === mention, each === weakest));
  const skipped = path.length - shown.length;
  const rest = skipped > 0 && el("li", { class: "quiet" }, `… ${numbered(skipped, "mention")} between`);
  return el("ol", { class: "path" }, el("li", {}, root), rest, steps);
}

function pathStep(model, mention, isLast, isWeakest) {
  const affinity = model.mentions.affinity[mention];
  const edge = affinity === null ? "first mention" : affinityText(affinity);
  return el(
    "li",
    { class: isWeakest ? "weakest" : null },
    el("span", { class: "edge" }, edge, " "),
    el("span", { class: isLast ? "said" : null }, shortened(model.text(mention), 50)),
    isWeakest && " ← bottleneck",
  );
}

function nearTold(model, mention) {
  const near = model.mentions.near[mention];
  if (near < 0) return null;
  const label = model.isNew(model.mentions.cluster[mention]) ? "Nearest known entity" : "Runner-up";
  const name = shortened(model.data.near_names[near], 60);
  return el("p", {}, `${label}: ${name}, `, affinityText(model.mentions.near_affinity[mention]));
}

function answerTold(model, mention) {
  const probability = model.mentions.probability?.[mention];
  if (probability == null) return null;
  return el("p", {}, `${(100 * probability).toFixed(0)} % sure; answer: ${model.mentions.answer[mention] ?? "none"}`);
}

/** Whether the label agrees, in words; nothing without a label. */
export function goldTold(model, mention) {
  if (!model.hasGold || !model.mentions.verdict[mention]) return null;
  const verdict = model.mentions.verdict[mention];
  if (verdict === RIGHT) return el("p", { class: "right" }, "✓ as labelled");
  return el("p", { class: "wrong" }, `✗ labelled ${model.mentions.gold[mention]}`);
}

/** Whether the labels say that the link is wrong. */
export function isWrong(model, mention) {
  return model.hasGold && [WRONG, MISSED].includes(model.mentions.verdict[mention]);
}
