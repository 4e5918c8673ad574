// One proposal: the name and why, other forms, types, how well it holds together, its mentions, its tree.

import { affinityText, counted, el, numbered, shortened } from "/assets/dom.js";
import { treePanel } from "./tree.js";

const FORMS = 10;

/**
 * @param {object} proposal as /api/proposals/ID tells it
 * @param {import("./mentions.js").MentionList} mentions
 */
export function proposalView(proposal, mentions) {
  return el(
    "article",
    { class: "proposal", "aria-labelledby": "proposal-name" },
    el("h1", { id: "proposal-name" }, proposal.name, stateBadge(proposal)),
    el("p", { class: "reason" }, proposal.name_reason),
    facts(proposal),
    forms(proposal),
    mentions.element,
    treePanel(proposal),
    story(proposal),
  );
}

const STATES = { promoted: "✓ promoted", rejected: "✗ rejected", unsure: "? unsure" };

function stateBadge({ state }) {
  if (!STATES[state]) return el("span", { class: "badge" }, "new");
  return el("span", { class: `badge state ${state}` }, STATES[state]);
}

function facts(proposal) {
  const { n_mentions, n_documents, coherence, types, types_from, probability_new } = proposal;
  const from = types_from === "nearest_entities" ? "from the nearest known entities" : "from its mentions";
  return el(
    "dl",
    { class: "facts" },
    fact("Mentions", counted(n_mentions)),
    fact("Documents", counted(n_documents)),
    fact(
      "Coherence",
      coherence ? [affinityText(coherence.mean), el("small", {}, ` weakest ${affinityText(coherence.min)}`)] : "–",
      "Mean affinity of the edges that hold it together, and the weakest of them",
    ),
    probability_new != null && fact("Surely new", `${(100 * probability_new).toFixed(0)} %`),
    types.length > 0 &&
      fact(
        "Types",
        types
          .slice(0, 3)
          .map(({ type, share }) =>
            el("span", { class: "chip" }, type, el("small", {}, ` ${(100 * share).toFixed(0)} %`)),
          ),
        `Taken ${from}`,
      ),
  );
}

function fact(name, value, title) {
  return el("div", { title }, el("dt", {}, name), el("dd", {}, value));
}

function forms({ aliases }) {
  if (!aliases.length) return null;
  const shown = aliases
    .slice(0, FORMS)
    .map(({ text, n_mentions }) =>
      el("span", { class: "chip" }, shortened(text, 60), el("small", {}, ` × ${counted(n_mentions)}`)),
    );
  const rest = aliases.length - shown.length;
  return el(
    "p",
    { class: "forms" },
    el("span", { class: "quiet" }, "Also "),
    shown,
    rest > 0 && ` and ${numbered(rest, "other form")}`,
  );
}

function story({ history }) {
  if (!history?.length) return null;
  return el(
    "details",
    { class: "panel story" },
    el("summary", {}, `What happened to it so far (${counted(history.length)})`),
    el(
      "ol",
      {},
      history.map(({ version, time, told }) =>
        el(
          "li",
          {},
          told,
          el("span", { class: "quiet" }, ` · version ${version}, ${new Date(time).toLocaleString("en-GB")}`),
        ),
      ),
    ),
  );
}
