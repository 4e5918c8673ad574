// Lines over a threshold, as inline SVG.

import { BOX, WIDTH, chartText, figure, frame, niceStep } from "./chart-frame.js";
import { svg } from "./dom.js";

const LABEL_ROOM = 110;

/**
 * Lines over the threshold, from 0 to 1.
 * @param {object} chart
 * @param {number[]} chart.x thresholds, descending
 * @param {boolean} chart.isSteps a value holds until the next threshold
 * @param {{name: string, class: string, values: (number|null)[]}[]} chart.lines
 * @param {{at: number, label: string}[]} chart.marks thresholds to point out
 * @param {(point: number) => string[]} chart.describe lines of text about a point
 */
export function lineChart(chart) {
  const inMarks = chart.marks.map((mark) => mark.at);
  const [low, high] = widened(Math.min(...chart.x, ...inMarks), Math.max(...chart.x, ...inMarks));
  const x = (value) => BOX.left + ((value - low) / (high - low)) * (BOX.right - BOX.left);
  const y = (value) => BOX.bottom - value * (BOX.bottom - BOX.top);
  const lines = chart.lines.map((line) =>
    svg("path", { class: `curve ${line.class}`, d: linePath(chart, line.values, x, y) }),
  );
  const ticks = roundTicks(low, high).map((tick) => chartText(x(tick), BOX.bottom + 18, tick.toFixed(2), "middle"));
  const marks = chart.marks.map((mark, i) => thresholdLine(mark, x(mark.at), i, labelSide(mark, chart.marks, x)));
  const picture = frame(chart, [0, 0.2, 0.4, 0.6, 0.8, 1], y, (tick) => tick.toFixed(1), [ticks, lines, marks]);
  picture.append(reader(chart, x));
  return figure(
    chart,
    picture,
    chart.lines.map((line) => [line.name, `curve ${line.class}`]),
  );
}

function linePath(chart, values, x, y) {
  let path = "";
  chart.x.forEach((threshold, i) => {
    if (values[i] === null) return;
    const [px, py] = [x(threshold).toFixed(1), y(values[i]).toFixed(1)];
    if (!path) path = `M${px} ${py}`;
    else path += chart.isSteps ? `H${px}V${py}` : `L${px} ${py}`;
  });
  return path;
}

/** Labels of two thresholds stand away from each other, that of one where there is more room. */
function labelSide(mark, marks, x) {
  const middle = (BOX.left + BOX.right) / 2;
  const isOuter = x(mark.at) > BOX.left + LABEL_ROOM && x(mark.at) < BOX.right - LABEL_ROOM;
  const other = marks.find((each) => each !== mark);
  if (other && isOuter) return mark.at < other.at ? "end" : "start";
  return x(mark.at) > middle ? "end" : "start";
}

function thresholdLine(mark, x, row, side) {
  return svg(
    "g",
    { class: "threshold" },
    svg("path", { d: `M${x} ${BOX.top - 8}V${BOX.bottom}` }),
    chartText(x + (side === "end" ? -6 : 6), BOX.bottom - 10 - 16 * row, mark.label, side),
  );
}

/** A line that follows the pointer or the arrow keys and tells the figures below it. */
function reader(chart, x) {
  const line = svg("path", { class: "reading", visibility: "hidden" });
  const area = svg("rect", {
    class: "reader",
    ...{ x: BOX.left, y: BOX.top, width: BOX.right - BOX.left, height: BOX.bottom - BOX.top },
    tabindex: "0",
    role: "img",
    "aria-label": "Figures by threshold; the arrow keys go from one to the next",
  });
  const group = svg("g", {}, line, area);
  let point = Math.floor(chart.x.length / 2);
  const show = () => {
    line.setAttribute("d", `M${x(chart.x[point])} ${BOX.top}V${BOX.bottom}`);
    line.setAttribute("visibility", "visible");
    const at = group.ownerSVGElement.parentElement.querySelector("figcaption output");
    at.textContent = chart.describe(point).join(" · ");
  };
  area.addEventListener("pointermove", (event) => {
    const frameBox = group.ownerSVGElement.getBoundingClientRect();
    const wanted = ((event.clientX - frameBox.left) / frameBox.width) * WIDTH;
    point = nearestPoint(chart.x, x, wanted);
    show();
  });
  area.addEventListener("focus", show);
  area.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (!way) return;
    point = Math.max(0, Math.min(chart.x.length - 1, point + way));
    show();
    event.preventDefault();
  });
  return group;
}

function nearestPoint(thresholds, x, wanted) {
  let best = 0;
  thresholds.forEach((threshold, i) => {
    if (Math.abs(x(threshold) - wanted) < Math.abs(x(thresholds[best]) - wanted)) best = i;
  });
  return best;
}

function widened(low, high) {
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

/** Round numbers inside a range, some six of them. */
function roundTicks(low, high) {
  const step = niceStep((high - low) / 7, [1, 2, 5, 10]);
  const first = Math.ceil(low / step - 1e-9);
  const n = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: n }, (_, i) => (first + i) * step);
}
