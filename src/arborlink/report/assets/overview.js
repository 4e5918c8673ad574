// The first view: what went in, what came out, how good it is.

import { curvePanel } from "./curves.js";
import { affinityChart, sizeChart } from "./distributions.js";
import { affinityText, counted, el, numbered, shortened } from "./dom.js";
import { measured } from "./figures.js";

const N_TOP = 10;
// alone, or with what examples, shared words and a re-ranker add to it
const FINGERPRINT = /^[0-9a-f]{24}(\+|$)/;

/** The overview of a result. */
export function overview(model) {
  return el(
    "div",
    { class: "overview" },
    el("h1", {}, model.data.title),
    el("p", { class: "lead" }, howItWasMade(model.settings)),
    headline(model),
    model.data.evaluation && measured(model.data.evaluation),
    model.data.labels_unused && labelsUnused(),
    el(
      "div",
      { class: "halves" },
      el("section", { class: "panel" }, el("h2", {}, "Largest discoveries"), discoveries(model)),
      curvePanel(model),
    ),
    el(
      "div",
      { class: "halves" },
      distribution("Cluster sizes", model.nClusters ? sizeChart(model) : null),
      distribution("Affinities", affinityChart(model)),
    ),
  );
}

function howItWasMade(settings) {
  const parts = [settings.inference && `Linked by ${settings.inference} inference`];
  if (settings.neighbours != null) parts.push(numbered(settings.neighbours, "neighbour"));
  parts.push(settings.threshold == null ? "no threshold" : `threshold ${settings.threshold.toFixed(3)}`);
  if (settings.detour) parts.push(`detour ${settings.detour}`);
  if (settings.name_share) parts.push(`share of names ${settings.name_share}`);
  if (settings.shared_words) parts.push(`shared words ${settings.shared_words}`);
  if (settings.by_type) parts.push("by type");
  if (settings.model && !FINGERPRINT.test(settings.model)) parts.push(`model ${modelName(settings.model)}`);
  return `${parts.filter(Boolean).join(", ")}.`;
}

/** The last part of a folder, a Hugging Face name as it is. */
function modelName(model) {
  const parts = model.split(/[\\/]/);
  const isPath = parts.length > 2 || parts[0] === "" || parts[0] === ".";
  return shortened(isPath ? parts.findLast(Boolean) : model, 60);
}

function headline(model) {
  const fresh = model.members.filter((_, cluster) => model.isNew(cluster));
  const nFresh = fresh.reduce((sum, members) => sum + members.length, 0);
  const nLinked = model.nMentions - nFresh;
  const share = (n) => (model.nMentions ? ` (${((100 * n) / model.nMentions).toFixed(1)} %)` : "");
  const inKb =
    model.settings.n_entities == null ? "" : `, of ${counted(model.settings.n_entities)} in the knowledge base`;
  return el(
    "dl",
    { class: "cards" },
    count("Documents", model.nDocuments, onAverage(model), "#/documents"),
    count("Mentions", model.nMentions, `in ${numbered(nForms(model), "wording")}`),
    count(
      "Linked",
      nLinked,
      `mentions${share(nLinked)} to ${numbered(model.nClusters - fresh.length, "entity", "entities")}${inKb}`,
      "#/entities",
    ),
    count(
      "Discovered",
      fresh.length,
      `new ${fresh.length === 1 ? "entity" : "entities"}, with ${numbered(nFresh, "mention")}${share(nFresh)}`,
      "#/entities",
      "fresh",
    ),
    model.settings.n_skipped ? count("Skipped", model.settings.n_skipped, "records that could not be used") : null,
  );
}

function onAverage(model) {
  return model.nDocuments ? `${(model.nMentions / model.nDocuments).toFixed(1)} mentions on average` : "";
}

function nForms(model) {
  const forms = new Set();
  for (let mention = 0; mention < model.nMentions; mention += 1) forms.add(model.text(mention).toLowerCase());
  return forms.size;
}

function count(name, n, what, href, kind = "") {
  const value = href ? el("a", { href }, counted(n)) : counted(n);
  return el(
    "div",
    { class: `card ${kind}` },
    el("dt", {}, name),
    el("dd", { class: "value" }, value),
    el("dd", { class: "what" }, what),
  );
}

function labelsUnused() {
  return el(
    "p",
    { class: "panel empty" },
    "The documents have gold labels. Give the knowledge base as well (",
    el("code", {}, "--kb"),
    ") to measure the links by them.",
  );
}

function discoveries(model) {
  const found = model.members.map((_, cluster) => cluster).filter((cluster) => model.isNew(cluster));
  if (!found.length) return nothingNew(model.settings);
  const rows = found.slice(0, N_TOP).map((cluster) => {
    const near = model.nearest(cluster);
    return el(
      "tr",
      {},
      el("td", {}, el("a", { href: `#/entity/${cluster}` }, shortened(model.clusters.name[cluster], 60))),
      el("td", { class: "number" }, counted(model.members[cluster].length)),
      el("td", { class: "number" }, counted(model.nDocumentsOf(cluster))),
      el(
        "td",
        {},
        near ? [shortened(near.name, 40), " ", el("span", { class: "quiet" }, affinityText(near.affinity))] : "–",
      ),
    );
  });
  const heads = [
    ["Proposed name", ""],
    ["Mentions", "number"],
    ["Documents", "number"],
    ["Nearest known entity", ""],
  ];
  const head = heads.map(([title, kind]) => el("th", { scope: "col", class: kind }, title));
  return [
    el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))),
    found.length > N_TOP &&
      el("p", { class: "note" }, el("a", { href: "#/entities" }, `All ${counted(found.length)} discovered entities`)),
  ];
}

function nothingNew(settings) {
  const why =
    settings.threshold == null
      ? "The result was made without a threshold, so every mention went to an entity. "
      : `An entity reaches every mention over affinities of ${settings.threshold.toFixed(3)} or more. `;
  return el(
    "p",
    { class: "empty" },
    "Nothing was discovered. ",
    why,
    "Linking with a higher ",
    el("code", {}, "--threshold"),
    " discovers more.",
  );
}

function distribution(title, chart) {
  const nothing = el("p", { class: "empty" }, "There is nothing to count.");
  return el("section", { class: "panel" }, el("h2", {}, title), chart ?? nothing);
}
