// What all charts have: a place to draw in, axes, a legend.

import { el, svg } from "./dom.js";
import { hideTip } from "./tip.js";

export const WIDTH = 560;
export const BOX = { left: 66, right: 548, top: 20, bottom: 216 };
const CHART_HEIGHT = 270;

export function frame(chart, ticks, y, write, inside) {
  const grid = ticks.map((tick) => [
    svg("path", { class: "grid", d: `M${BOX.left} ${y(tick)}H${BOX.right}` }),
    chartText(BOX.left - 8, y(tick) + 4, write(tick), "end"),
  ]);
  const middle = (BOX.top + BOX.bottom) / 2;
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${CHART_HEIGHT}`, "aria-label": chart.title, role: "group" },
    grid,
    inside,
    svg("path", { class: "axis", d: `M${BOX.left} ${BOX.bottom}H${BOX.right}` }),
    svg(
      "text",
      { x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 42, "text-anchor": "middle", class: "name" },
      chart.xTitle,
    ),
    svg(
      "text",
      { transform: `translate(12 ${middle}) rotate(-90)`, "text-anchor": "middle", class: "name" },
      chart.yTitle,
    ),
  );
}

export function figure(chart, picture, legend) {
  const keys = legend.map(([name, kind]) =>
    el("span", { class: "key" }, svg("svg", { class: "swatch", viewBox: "0 0 22 12" }, sample(kind)), name),
  );
  const read = chart.describe ? el("output", {}, "Point at the chart to read its figures.") : null;
  return el("figure", { class: "chart-figure", onpointerleave: hideTip }, picture, el("figcaption", {}, keys, read));
}

function sample(kind) {
  return kind.startsWith("curve")
    ? svg("path", { class: kind, d: "M0 6H22" })
    : svg("rect", { class: kind, width: 14, height: 12, x: 4, rx: 2 });
}

export function chartText(x, y, words, anchor) {
  return svg("text", { x, y, "text-anchor": anchor }, words);
}

/** The least round number that is not below `rough`; `leading` are the digits it may begin with. */
export function niceStep(rough, leading) {
  const power = 10 ** Math.floor(Math.log10(rough) + 1e-9);
  return leading.find((each) => each * power >= rough * (1 - 1e-9)) * power;
}
