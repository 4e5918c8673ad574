// One cluster: who it is, its arborescence, its mentions in context.

import { drawArborescence } from "./arborescence.js";
import { NO_PARENT } from "./data.js";
import { affinityText, counted, el, numbered, replace, shortened } from "./dom.js";
import { isWrong, mentionTold, newBadge } from "./mention.js";
import { pagedTable } from "./table.js";
import { inContext } from "./text.js";
import { hideTip, showTip } from "./tip.js";

const MAX_ROWS = 120;

/** One cluster: who it is, its tree, its mentions in context. `asked` is a mention to begin with, or undefined. */
export function entityView(model, cluster, asked) {
  const { name, entity, about, types } = model.clusters;
  const members = model.members[cluster];
  const place = el("div", {
    class: "drawing",
    role: "region",
    "aria-label": "The arborescence, drawn",
    tabindex: "-1",
  });
  const draw = (maxRows) => drawInto(model, cluster, asked, place, maxRows, draw);
  draw(MAX_ROWS);
  return el(
    "div",
    {},
    el("p", { class: "trail" }, el("a", { href: "#/entities" }, "Entities"), " / "),
    el("h1", {}, name[cluster], model.isNew(cluster) && newBadge()),
    el(
      "p",
      { class: "lead" },
      summaryOf(model, cluster),
      entity[cluster] !== null && el("span", { class: "quiet" }, ` · ${entity[cluster]}`),
    ),
    types[cluster].length > 0 &&
      el(
        "p",
        {},
        types[cluster].map((type) => el("span", { class: "chip" }, type)),
      ),
    about[cluster] && el("p", { class: "about" }, about[cluster]),
    formsTold(model, cluster),
    el(
      "section",
      { class: "panel" },
      el("h2", {}, "How its mentions hang together"),
      howToRead(members.length),
      place,
    ),
    el("section", { class: "panel" }, el("h2", {}, "Its mentions"), mentionTable(model, members)),
    steps(model, cluster),
  );
}

function summaryOf(model, cluster) {
  const kind = model.isNew(cluster) ? "Discovered" : "In the knowledge base";
  return `${kind} · ${numbered(model.members[cluster].length, "mention")} in ${numbered(model.nDocumentsOf(cluster), "document")}`;
}

function formsTold(model, cluster) {
  const forms = model.forms(cluster);
  const shown = forms
    .slice(0, 12)
    .map(([text, n]) => el("span", { class: "chip" }, shortened(text, 50), el("small", {}, ` × ${counted(n)}`)));
  return el(
    "p",
    {},
    shown,
    forms.length > 12 && el("span", { class: "quiet" }, ` and ${counted(forms.length - 12)} other forms`),
  );
}

function howToRead(n) {
  if (n === 1) return null;
  return el(
    "p",
    { class: "note" },
    "The thicker an edge, the higher the affinity; the weakest edge of all is the bottleneck. Point at a mention, or walk with the arrow keys, to see its context; Enter opens its document.",
  );
}

function drawInto(model, cluster, asked, place, maxRows, again) {
  const members = model.members[cluster];
  const numbers = new Map(members.map((mention, i) => [mention, i]));
  const nodes = members.map((mention) => ({
    text: model.text(mention).replace(/\s+/g, " "),
    parent: numbers.get(model.mentions.parent[mention]) ?? null,
    affinity: model.mentions.parent[mention] === NO_PARENT ? null : model.mentions.affinity[mention],
    class: isWrong(model, mention) ? "wrong" : "",
  }));
  const drawing = drawArborescence(
    { root: { name: model.clusters.name[cluster], isNew: model.isNew(cluster) }, nodes },
    {
      domain: affinityDomain(model),
      maxRows,
      maxDepth: Math.max(maxRows / 4, depthOf(model, asked)),
      start: numbers.get(asked),
      onShow: (some, element) =>
        showTip(
          element,
          ...nodeTold(
            model,
            cluster,
            some.map((i) => members[i]),
          ),
        ),
      onHide: hideTip,
      onOpen: (i) => (location.hash = `#/document/${model.document[members[i]]}/${members[i]}`),
    },
  );
  const more = el("button", { type: "button", onclick: () => again(Infinity) }, "Draw all");
  const rest =
    drawing.nLeftOut && el("p", { class: "note" }, `${numbered(drawing.nLeftOut, "mention")} are not drawn. `, more);
  replace(place, drawing, rest || null);
}

/** How many steps the mention that was asked for is from the entity. */
function depthOf(model, asked) {
  return asked >= 0 && asked < model.nMentions ? model.path(asked).length : 0;
}

let domain = null;

function affinityDomain(model) {
  const known = () => model.mentions.affinity.filter((value) => value !== null);
  domain ??= [known().reduce((a, b) => Math.min(a, b), 1), known().reduce((a, b) => Math.max(a, b), -1)];
  return domain;
}

function nodeTold(model, cluster, mentions) {
  if (mentions.length === 1) return mentionTold(model, mentions[0], true);
  if (!mentions.length)
    return [el("p", { class: "tip-name" }, model.clusters.name[cluster]), el("p", {}, summaryOf(model, cluster))];
  const some = mentions
    .slice(0, 4)
    .map((mention) => el("p", { class: "tip-context" }, inContext(model, mention, 50)));
  return [
    el("p", { class: "tip-name" }, `${numbered(mentions.length, "mention")} that say the same`),
    some,
    el("p", { class: "quiet" }, "Enter or click draws each."),
  ];
}

function mentionTable(model, members) {
  return pagedTable({
    nouns: ["mention", "mentions"],
    rows: 20,
    find: () => [...members],
    nothing: "No mention.",
    columns: [
      { title: "In context", cell: (mention) => inContext(model, mention, 80), class: "context" },
      {
        title: "Document",
        cell: (mention) =>
          el(
            "a",
            { href: `#/document/${model.document[mention]}/${mention}` },
            shortened(model.title(model.document[mention]), 50),
          ),
      },
      { title: "Hangs from", cell: (mention) => parentCell(model, mention) },
      {
        title: "Affinity",
        class: "number",
        cell: (mention) => affinityText(model.mentions.affinity[mention]),
        key: (mention) => model.mentions.affinity[mention],
      },
      ...(model.hasGold ? [{ title: "Label", cell: (mention) => labelCell(model, mention) }] : []),
    ],
  });
}

function parentCell(model, mention) {
  const parent = model.mentions.parent[mention];
  if (parent >= 0) return shortened(model.text(parent), 40);
  return el("span", { class: "quiet" }, parent === NO_PARENT ? "nothing: the first mention" : "the entity");
}

function labelCell(model, mention) {
  const verdict = model.mentions.verdict[mention];
  if (!verdict) return el("span", { class: "quiet" }, "no label");
  return isWrong(model, mention)
    ? el("span", { class: "wrong" }, `✗ ${model.mentions.gold[mention]}`)
    : el("span", { class: "right" }, "✓");
}

function steps(model, cluster) {
  const go = (to, words, key) => el("a", { class: "button", href: `#/entity/${to}`, rel: key }, words);
  return el(
    "nav",
    { class: "pager", "aria-label": "Other entities" },
    cluster > 0 && go(cluster - 1, "Previous entity", "prev"),
    cluster < model.nClusters - 1 && go(cluster + 1, "Next entity", "next"),
  );
}
