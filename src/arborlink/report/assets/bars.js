// Stacked bars, as inline SVG.

import { BOX, chartText, figure, frame, niceStep } from "./chart-frame.js";
import { counted, el, svg } from "./dom.js";
import { withTip } from "./tip.js";

const CUT = 3;

/**
 * Bars with parts on top of each other.
 * @param {object} chart
 * @param {string} chart.title what is counted, for those who hear the page
 * @param {string} chart.xTitle
 * @param {string} chart.yTitle
 * @param {string[]} chart.labels one for each bar, below it; empty ones are left out
 * @param {string[]} [chart.ranges] what each bar stands for, in its tip; else its label
 * @param {{name: string, class: string, values: number[]}[]} chart.parts
 * @param {{at: number, label: string}} [chart.mark] a line, in bars from the left
 * @param {boolean} [chart.mayCut] a bar that is far higher than all others is cut, and says how high it is
 * @param {boolean} [chart.atEdges] labels stand at the left edges of bars, not below their middles
 */
export function barChart(chart) {
  const n = chart.labels.length - (chart.atEdges ? 1 : 0);
  const totals = Array.from({ length: n }, (_, i) => chart.parts.reduce((sum, part) => sum + part.values[i], 0));
  const ticks = niceTicks(chart.mayCut ? highest(totals) : Math.max(1, ...totals));
  const y = (value) => BOX.bottom - Math.min(1, value / ticks.at(-1)) * (BOX.bottom - BOX.top);
  const step = (BOX.right - BOX.left) / n;
  const gap = chart.atEdges ? 1 : Math.min(10, step * 0.22);
  const bars = totals.map((total, i) => stack(chart, i, BOX.left + i * step + gap / 2, step - gap, y));
  const cuts = totals.map((total, i) => total > ticks.at(-1) && cutSign(BOX.left + (i + 0.5) * step, step, total));
  const labels = chart.labels.map((label, i) =>
    chartText(BOX.left + (i + (chart.atEdges ? 0 : 0.5)) * step, BOX.bottom + 18, label, "middle"),
  );
  const picture = frame(chart, ticks, y, counted, [bars, cuts, labels, chart.mark && markLine(chart.mark, step)]);
  return figure(
    chart,
    picture,
    chart.parts.map((part) => [part.name, part.class]),
  );
}

/** The height to draw to: that of the highest bar, or of the next where the highest is far above it. */
function highest(totals) {
  const [most = 1, next = 0] = [...totals].sort((a, b) => b - a);
  return next > 0 && most > CUT * next ? 1.25 * next : Math.max(1, most);
}

function cutSign(x, step, total) {
  const half = Math.max(6, step / 2 + 2);
  const [top, isRight] = [BOX.top + 12, x > (BOX.left + BOX.right) / 2];
  return svg(
    "g",
    { class: "cut" },
    svg("path", {
      d: `M${x - half} ${top + 4}L${x - half / 3} ${top - 4}L${x + half / 3} ${top + 4}L${x + half} ${top - 4}`,
    }),
    chartText(x + (isRight ? -half - 5 : half + 5), top + 4, counted(total), isRight ? "end" : "start"),
  );
}

function stack(chart, i, x, width, y) {
  let below = 0;
  const rects = [];
  for (const part of chart.parts) {
    const value = part.values[i];
    if (!value) continue;
    const top = y(below + value);
    rects.push(svg("rect", { class: part.class, x, y: top, width, height: Math.max(0.8, y(below) - top) }));
    below += value;
  }
  if (!rects.length) return null;
  const name = chart.ranges?.[i] ?? chart.labels[i];
  const said = chart.parts.filter((part) => part.values[i]).map((part) => `${counted(part.values[i])} ${part.name}`);
  const bar = svg(
    "g",
    { class: "bar", tabindex: "0", role: "img", "aria-label": `${name}: ${said.join(", ")}` },
    rects,
  );
  return withTip(bar, () => [el("strong", {}, name), said.map((line) => el("div", {}, line))]);
}

function markLine(mark, step) {
  const x = BOX.left + mark.at * step;
  const isRight = x > (BOX.left + BOX.right) / 2;
  return svg(
    "g",
    { class: "threshold" },
    svg("path", { d: `M${x} ${BOX.top - 8}V${BOX.bottom}` }),
    chartText(x + (isRight ? -6 : 6), BOX.top + 2, mark.label, isRight ? "end" : "start"),
  );
}

/** Some round numbers from 0 to at least `most`. */
export function niceTicks(most) {
  const step = Math.max(1, niceStep(most / 4, [1, 2, 5, 10]));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}
