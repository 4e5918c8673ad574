// The threshold curves of a tuning, with what was chosen and what this result used.

import { lineChart } from "./lines.js";
import { counted, el, numbered, replace } from "./dom.js";
import { percent } from "./figures.js";

const LINES = [
  ["nmi_ari_mean", "mean of NMI and ARI", "one"],
  ["nil_f1", "NIL F1", "two"],
  ["accuracy", "accuracy", "three"],
];

/** The panel: one curve, and a choice of the others; or how to get one. */
export function curvePanel(model) {
  const panel = el("section", { class: "panel" }, el("h2", {}, "Figures by threshold"));
  const { curves } = model.data;
  if (!curves || !curves.curves.some((curve) => curve.threshold.length)) {
    panel.classList.add("slim");
    panel.append(howToTune(curves));
    return panel;
  }
  const drawable = curves.curves.filter((curve) => curve.threshold.length);
  const place = el("div", {});
  const show = (curve) => replace(place, curveChart(model, curves, curve));
  const own = drawable.find((curve) => isOf(curve, model.settings));
  const first = own ?? drawable.find((curve) => isOf(curve, curves.chosen)) ?? drawable[0];
  panel.append(drawable.length > 1 ? curveMenu(drawable, first, show) : "", place, told(curves, model.settings));
  show(first);
  return panel;
}

function isOf(curve, way) {
  return curve.mode === (way.mode ?? way.inference) && curve.neighbours === way.neighbours;
}

function curveMenu(curves, first, show) {
  const options = curves.map((curve, i) => el("option", { value: i, selected: curve === first }, nameOf(curve)));
  const choose = (event) => show(curves[Number(event.target.value)]);
  return el("label", { class: "menu" }, "Way of linking ", el("select", { onchange: choose }, options));
}

function nameOf(curve) {
  return `${curve.mode}, ${numbered(curve.neighbours, "neighbour")}`;
}

function curveChart(model, curves, curve) {
  const marks = [];
  const used = model.settings.threshold ?? null;
  if (isOf(curve, curves.chosen))
    marks.push({ at: curves.chosen.threshold, label: `chosen λ ${curves.chosen.threshold.toFixed(3)}` });
  if (used !== null && isOf(curve, model.settings) && marks[0]?.at !== used) {
    marks.push({ at: used, label: `this result ${used.toFixed(3)}` });
  }
  return lineChart({
    title: `Figures by threshold, ${nameOf(curve)}`,
    xTitle: "threshold λ: the least affinity that joins two nodes",
    yTitle: "figure",
    x: curve.threshold,
    isSteps: curve.is_exact,
    lines: LINES.map(([key, name, kind]) => ({ name, class: kind, values: curve[key] })),
    marks,
    describe: (point) => [
      `λ ${curve.threshold[point].toFixed(3)}`,
      ...LINES.map(([key, name]) => `${name} ${curve[key][point] === null ? "–" : percent(curve[key][point])}`),
      `${counted(curve.n_discovered[point])} discovered`,
    ],
  });
}

function told(curves, settings) {
  const { chosen, aim } = curves;
  const here = isOf({ mode: settings.inference, neighbours: settings.neighbours }, chosen);
  const other = here
    ? ""
    : ` This result was linked ${settings.inference}, ${numbered(settings.neighbours, "neighbour")}.`;
  return el(
    "p",
    { class: "note" },
    `Chosen for ${aim} on labelled documents: ${nameOf(chosen)}, threshold ${chosen.threshold.toFixed(3)}.${other}`,
  );
}

function howToTune(curves) {
  return el(
    "p",
    { class: "empty" },
    curves ? "The curves that were given have no points." : "No threshold curve was given. With labelled documents, ",
    curves
      ? ""
      : [
          el("code", {}, "arborlink tune --output curve.json"),
          " makes one, and ",
          el("code", {}, "arborlink report --curve curve.json"),
          " shows it here.",
        ],
  );
}
