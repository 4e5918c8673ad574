// The table of documents.

import { matching } from "./data.js";
import { counted, el, shortened } from "./dom.js";
import { isWrong } from "./mention.js";
import { pagedTable } from "./table.js";

const listState = {};

/** All documents. */
export function documentList(model) {
  const haystacks = [];
  const textOf = (document) => (haystacks[document] ??= haystack(model, document));
  const some = (document, test) => model.mentionsOf(document).some(test);
  const isFresh = (mention) => model.isNew(model.mentions.cluster[mention]);
  const isShown = {
    all: () => true,
    new: (document) => some(document, isFresh),
    wrong: (document) => some(document, (mention) => isWrong(model, mention)),
  };
  return el(
    "div",
    {},
    el("h1", {}, "Documents"),
    el(
      "p",
      { class: "lead" },
      "Every word of a search is looked for in the text, the id and the names of the linked entities.",
    ),
    pagedTable({
      label: "Search documents",
      nouns: ["document", "documents"],
      state: listState,
      filters: [
        { value: "all", label: "All" },
        { value: "new", label: "With discoveries" },
        ...(model.hasGold ? [{ value: "wrong", label: "With errors" }] : []),
      ],
      find: (query, filter) => matching(model.nDocuments, textOf, query).filter(isShown[filter]),
      nothing: model.nDocuments ? "No document matches." : "The result has no documents.",
      columns: documentColumns(model, isFresh),
    }),
  );
}

function haystack(model, document) {
  const names = new Set(
    model.mentionsOf(document).map((mention) => model.clusters.name[model.mentions.cluster[mention]]),
  );
  const text = model.hasTexts
    ? model.documents.text[document]
    : model
        .mentionsOf(document)
        .map((m) => model.text(m))
        .join("\n");
  return [model.documents.id[document], text, ...names].join("\n").toLowerCase();
}

function documentColumns(model, isFresh) {
  const number = (title, count) => ({
    title,
    class: "number",
    cell: (document) => counted(count(document)),
    key: count,
  });
  const count = (test) => (document) => model.mentionsOf(document).filter(test).length;
  return [
    {
      title: "Document",
      cell: (document) => [
        el("a", { href: `#/document/${document}` }, shortened(model.title(document), 110)),
        model.title(document) !== model.documents.id[document] &&
          el("div", { class: "quiet" }, model.documents.id[document]),
      ],
      key: (document) => model.title(document),
    },
    number("Mentions", (document) => model.documents.n_mentions[document]),
    number(
      "Linked",
      count((mention) => !isFresh(mention)),
    ),
    number("Discovered", count(isFresh)),
    ...(model.hasGold
      ? [
          number(
            "Errors",
            count((mention) => isWrong(model, mention)),
          ),
        ]
      : []),
  ];
}
