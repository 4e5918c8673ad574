// The arborescence of a proposal, drawn; a node tells its context.

import { drawArborescence } from "/assets/arborescence.js";
import { affinityText, el, numbered, replace } from "/assets/dom.js";
import { hideTip, showTip } from "/assets/tip.js";
import { contextOf, documentAddress, titleOf } from "./context.js";

const MAX_ROWS = 60;

/** The panel with the drawing. */
export function treePanel(proposal) {
  const place = el("div", { class: "drawing", role: "region", "aria-label": "The arborescence, drawn" });
  drawInto(place, proposal, MAX_ROWS);
  return el(
    "section",
    { class: "panel", id: "tree" },
    el("h2", {}, "How its mentions hang together"),
    place,
    proposal.tree.nodes.length > 1 &&
      el(
        "p",
        { class: "note" },
        "The thicker an edge, the higher the affinity; the weakest is the bottleneck: where it might be two things, cut there.",
      ),
  );
}

function drawInto(place, proposal, maxRows) {
  const { name, tree } = proposal;
  const mentions = tree.nodes;
  const nodes = mentions.map(({ text, parent, affinity }) => ({ text: text.replace(/\s+/g, " "), parent, affinity }));
  const drawing = drawArborescence(
    { root: { name, isNew: tree.root.is_new }, nodes },
    {
      maxRows,
      onShow: (numbers, element) => showTip(element, ...told(proposal, numbers)),
      onHide: hideTip,
      onOpen: (i) => (location.hash = documentAddress(mentions[i])),
    },
  );
  const more = el("button", { type: "button", onclick: () => drawInto(place, proposal, Infinity) }, "Draw all");
  const rest =
    drawing.nLeftOut && el("p", { class: "note" }, `${numbered(drawing.nLeftOut, "mention")} not drawn. `, more);
  replace(place, drawing, rest || null);
}

function told(proposal, numbers) {
  if (!numbers.length)
    return [el("p", { class: "tip-name" }, proposal.name), el("p", {}, numbered(proposal.n_mentions, "mention"))];
  const shown = numbers.slice(0, 4).map((i) => proposal.tree.nodes[i]);
  return [
    numbers.length > 1 && el("p", { class: "tip-name" }, `${numbered(numbers.length, "mention")} that say the same`),
    shown.map((mention) => el("p", { class: "tip-context" }, contextOf(mention))),
    numbers.length === 1 && el("p", { class: "quiet" }, `${edgeTold(proposal, shown[0])}; in ${titleOf(shown[0])}`),
  ];
}

function edgeTold({ tree }, { parent, affinity, is_decided }) {
  if (is_decided) return "Held together by a decision";
  if (affinity == null) return "The first mention";
  return `Affinity ${affinityText(affinity)}${parent === null ? "" : ` to “${tree.nodes[parent].text}”`}`;
}
