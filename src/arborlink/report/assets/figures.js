// Figures measured against gold labels, in words.

import { counted, el } from "./dom.js";

const NAMES = {
  accuracy: "Accuracy",
  accuracy_ci_low: "Accuracy, interval from",
  accuracy_ci_high: "Accuracy, interval to",
  accuracy_with_nil: "Accuracy, NIL included",
  accuracy_seen: "Accuracy, seen in training",
  accuracy_unseen: "Accuracy, unseen in training",
  nil_precision: "NIL precision",
  nil_recall: "NIL recall",
  nil_f1: "NIL F1",
  nmi: "NMI",
  ari: "Adjusted Rand index",
  nmi_ari_mean: "Mean of NMI and ARI",
  b3_precision: "B-cubed precision",
  b3_recall: "B-cubed recall",
  b3_f1: "B-cubed F1",
};
const MEANINGS = {
  accuracy: "mentions of known entities, linked rightly",
  nil_precision: "of the mentions without an entity, those the knowledge base really lacks",
  nil_recall: "of the mentions it lacks, those left without an entity",
  nmi_ari_mean: "mentions of one entity together, of others apart",
  b3_f1: "the same, mention by mention",
};

/** The main figures as cards, all others below in a table that can be opened. */
export function measured(evaluation) {
  const values = new Map(evaluation.figures.map(([key, value]) => [key, value]));
  const cards = Object.keys(MEANINGS).filter((key) => values.get(key) != null);
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, "Measured against the labels"),
    cards.length
      ? el(
          "dl",
          { class: "cards figures" },
          cards.map((key) => card(key, values)),
        )
      : el("p", { class: "empty" }, "The labels do not allow any of the main figures."),
    el(
      "details",
      {},
      el("summary", {}, "All figures"),
      el("div", { class: "wide" }, el("table", { class: "plain" }, el("tbody", {}, evaluation.figures.map(row)))),
      el("p", { class: "note" }, `Protocol: ${evaluation.protocol}.`),
    ),
  );
}

function card(key, values) {
  const [low, high] = [values.get("accuracy_ci_low"), values.get("accuracy_ci_high")];
  const interval = key === "accuracy" && low != null ? `95 % interval ${percent(low)} to ${percent(high)}` : null;
  return el(
    "div",
    { class: "card" },
    el("dt", {}, NAMES[key]),
    el("dd", { class: "value" }, percent(values.get(key))),
    el("dd", { class: "what" }, MEANINGS[key], interval && el("span", { class: "interval" }, interval)),
  );
}

function row([key, value, , note]) {
  const shown =
    value === null ? "–" : Number.isInteger(value) && key.startsWith("n_") ? counted(value) : value.toFixed(4);
  const name = NAMES[key] ?? key.replace(/^n_/, "number: ").replace(/_/g, " ");
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, shown), el("td", {}, note));
}

/** A share as per cent. */
export function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
