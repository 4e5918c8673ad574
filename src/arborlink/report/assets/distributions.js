// Cluster sizes and affinities, counted into bars.

import { barChart } from "./bars.js";
import { niceStep } from "./chart-frame.js";
import { ENTITY_PARENT, NO_PARENT } from "./data.js";

const SIZES = [1, 2, 3, 4, 5, 10, 20, 50, 100, 1000];
const MOST_BINS = 40;
const LABEL_EVERY = 5;

/** How many clusters there are of each size, known and discovered. */
export function sizeChart(model) {
  const largest = Math.max(1, ...model.members.map((members) => members.length));
  const lows = SIZES.filter((low) => low <= largest);
  const empty = () => lows.map(() => 0);
  const [fresh, known] = [empty(), empty()];
  model.members.forEach((members, cluster) => {
    const bin = lows.findLastIndex((low) => members.length >= low);
    (model.isNew(cluster) ? fresh : known)[bin] += 1;
  });
  const labels = lows.map((low, i) => rangeLabel(low, (lows[i + 1] ?? nextSize(low)) - 1, largest));
  return barChart({
    title: "Entities by number of mentions",
    xTitle: "mentions of the entity",
    yTitle: "entities",
    labels,
    ranges: labels.map((label) => `${label} mention${label === "1" ? "" : "s"}`),
    parts: [
      { name: "discovered", class: "fresh", values: fresh },
      { name: "in the knowledge base", class: "known", values: known },
    ],
  });
}

function nextSize(low) {
  return SIZES[SIZES.indexOf(low) + 1] ?? Infinity;
}

function rangeLabel(low, high, largest) {
  const top = Math.min(high, largest);
  return top <= low ? String(low) : `${low}–${top}`;
}

/** How near mentions are to what they hang from; null where nothing hangs from anything. */
export function affinityChart(model) {
  const { affinity, parent } = model.mentions;
  const threshold = model.settings.threshold ?? null;
  const known = affinity.filter((value) => value !== null);
  if (!known.length) return null;
  const bins = roundBins(
    Math.min(
      known.reduce((a, b) => Math.min(a, b)),
      threshold ?? Infinity,
    ),
    Math.max(
      known.reduce((a, b) => Math.max(a, b)),
      threshold ?? -Infinity,
    ),
  );
  const counts = { entity: new Array(bins.n).fill(0), mention: new Array(bins.n).fill(0) };
  affinity.forEach((value, mention) => {
    if (value === null || parent[mention] === NO_PARENT) return;
    const bin = Math.floor((value - bins.low) / bins.width + 1e-9);
    const kind = parent[mention] === ENTITY_PARENT ? "entity" : "mention";
    counts[kind][Math.max(0, Math.min(bins.n - 1, bin))] += 1;
  });
  const edges = Array.from({ length: bins.n + 1 }, (_, i) => bins.low + i * bins.width);
  return barChart({
    title: "Mentions by the affinity to what they hang from",
    xTitle: "affinity to the parent",
    yTitle: "mentions",
    atEdges: true,
    mayCut: true,
    labels: edges.map((edge, i) => (i % LABEL_EVERY ? "" : edge.toFixed(2))),
    ranges: edges.slice(0, -1).map((edge, i) => `${edge.toFixed(3)} to ${edges[i + 1].toFixed(3)}`),
    parts: [
      { name: "hanging from an entity", class: "known", values: counts.entity },
      { name: "hanging from a mention", class: "other", values: counts.mention },
    ],
    mark:
      threshold === null
        ? null
        : { at: (threshold - bins.low) / bins.width, label: `threshold ${threshold.toFixed(3)}` },
  });
}

/** Bins of a round width, every fifth of whose edges is a round number; a value of its own gets five. */
function roundBins(low, high) {
  const width = niceStep((high - low) / (MOST_BINS - 2 * LABEL_EVERY) || 0.01, [1, 2, 5, 10]);
  const label = width * LABEL_EVERY;
  const from = Math.floor(low / label + 1e-9) * label;
  const to = Math.max(Math.ceil(high / label - 1e-9) * label, from + label);
  return { low: from, width, n: Math.round((to - from) / width) };
}
