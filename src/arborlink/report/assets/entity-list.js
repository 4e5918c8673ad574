// The table of clusters.

import { matching } from "./data.js";
import { affinityText, counted, el, shortened } from "./dom.js";
import { isWrong, newBadge } from "./mention.js";
import { pagedTable } from "./table.js";

const tableState = {};

/** All entities that have a mention, discovered ones first. */
export function entityList(model) {
  const haystacks = [];
  const textOf = (cluster) =>
    (haystacks[cluster] ??= [
      model.clusters.name[cluster],
      model.clusters.entity[cluster] ?? "",
      ...model.clusters.aliases[cluster],
      ...model.forms(cluster).map(([text]) => text),
    ]
      .join("\n")
      .toLowerCase());
  const isShown = {
    all: () => true,
    new: (c) => model.isNew(c),
    known: (c) => !model.isNew(c),
    wrong: (c) => model.members[c].some((m) => isWrong(model, m)),
  };
  return el(
    "div",
    {},
    el("h1", {}, "Entities"),
    el(
      "p",
      { class: "lead" },
      "Every cluster of mentions: first what was discovered, then the entities of the knowledge base.",
    ),
    pagedTable({
      label: "Search names and mentions",
      nouns: ["entity", "entities"],
      state: tableState,
      filters: [
        { value: "all", label: "All" },
        { value: "new", label: "Discovered" },
        { value: "known", label: "Known" },
        ...(model.hasGold ? [{ value: "wrong", label: "With errors" }] : []),
      ],
      find: (query, filter) => matching(model.nClusters, textOf, query).filter(isShown[filter]),
      nothing: model.nClusters ? "No entity matches." : "The result has no mentions, so there is no entity.",
      columns: entityColumns(model),
    }),
  );
}

function entityColumns(model) {
  const weakest = (cluster) => {
    const mention = model.weakest(model.members[cluster]);
    return mention < 0 ? null : model.mentions.affinity[mention];
  };
  return [
    { title: "Name", cell: (cluster) => entityCell(model, cluster), key: (cluster) => model.clusters.name[cluster] },
    { title: "Also said", class: "also", cell: (cluster) => alsoSaid(model, cluster) },
    {
      title: "Mentions",
      class: "number",
      cell: (cluster) => counted(model.members[cluster].length),
      key: (cluster) => model.members[cluster].length,
    },
    {
      title: "Documents",
      class: "number",
      cell: (cluster) => counted(model.nDocumentsOf(cluster)),
      key: (cluster) => model.nDocumentsOf(cluster),
    },
    { title: "Weakest edge", class: "number", cell: (cluster) => affinityText(weakest(cluster)), key: weakest },
    { title: "Nearest other entity", class: "also", cell: (cluster) => nearestCell(model.nearest(cluster)) },
  ];
}

function entityCell(model, cluster) {
  const link = el("a", { href: `#/entity/${cluster}` }, shortened(model.clusters.name[cluster], 80));
  return [link, model.isNew(cluster) ? newBadge() : null];
}

function alsoSaid(model, cluster) {
  const name = model.clusters.name[cluster].toLowerCase();
  const others = model
    .forms(cluster)
    .map(([text]) => text)
    .filter((text) => text.toLowerCase() !== name);
  return (
    others
      .slice(0, 3)
      .map((text) => shortened(text, 40))
      .join(", ") + (others.length > 3 ? ", …" : "")
  );
}

function nearestCell(near) {
  return near ? [shortened(near.name, 50), " ", el("span", { class: "quiet" }, affinityText(near.affinity))] : "–";
}
