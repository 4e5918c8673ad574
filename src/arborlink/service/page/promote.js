// The form of a promotion: what the new entity will be called, filled in from the evidence.

import { el } from "/assets/dom.js";
import { openDialog } from "./dialog.js";

/** What was typed about a proposal, kept until it is decided. */
const drafts = new Map();

/**
 * Open the form; what was typed is kept until `forget` is called.
 * @param {object} proposal
 * @param {(fields: object, forget: () => void) => Promise<void>} onPromote
 * @param {Node[]} [told] what went wrong before
 */
export function openPromotion(proposal, onPromote, told = []) {
  const { id } = proposal;
  const start = drafts.get(id) ?? proposed(proposal);
  const fields = {
    name: el("input", { type: "text", id: "promote-name", required: true, autocomplete: "off" }),
    aliases: el("textarea", { id: "promote-aliases", rows: "3" }),
    types: el("textarea", { id: "promote-types", rows: "2" }),
    description: el("textarea", { id: "promote-description", rows: "4" }),
  };
  const labels = {
    name: "Name",
    aliases: "Other names, one on a line",
    types: "Types, one on a line",
    description: "Description",
  };
  const problem = el("div", { class: "problem", role: "alert" }, told);
  const confirm = el("button", { type: "submit", class: "main" }, "Promote ", el("kbd", {}, "Enter"));
  const form = el(
    "form",
    { class: "promotion" },
    Object.entries(fields).map(([name, field]) => el("p", {}, el("label", { for: field.id }, labels[name]), field)),
    problem,
    el("p", { class: "buttons" }, confirm, hint()),
  );
  for (const [name, field] of Object.entries(fields)) field.value = start[name];
  const typed = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
  form.addEventListener("input", () => drafts.set(id, typed()));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target === confirm) return;
    event.preventDefault();
    form.requestSubmit(confirm);
  });
  const dialog = openDialog(`Promote “${proposal.name}” to the knowledge base`, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    drafts.set(id, typed());
    dialog.close();
    onPromote(entityOf(typed()), () => drafts.delete(id));
  });
  fields.name.select();
  return dialog;
}

/** What the evidence says, as `promote` without the form would take it. */
function proposed({ name, aliases, types, types_from, evidence, draft }) {
  if (draft) {
    return { ...draft, aliases: draft.aliases.join("\n"), types: draft.types.join("\n") };
  }
  const around = evidence
    .slice(0, 2)
    .map(({ before, text, after }) => `${before}${text}${after}`.replace(/\s+/g, " ").trim());
  return {
    name,
    aliases: aliases.map(({ text }) => text).join("\n"),
    types: (types_from === "mentions" ? types.filter(({ share }) => share >= 0.5) : [])
      .map(({ type }) => type)
      .join("\n"),
    description: [...new Set(around)].join(" … "),
  };
}

function hint() {
  return el(
    "span",
    { class: "quiet" },
    el("kbd", {}, "Shift"),
    " + ",
    el("kbd", {}, "Enter"),
    " new line · ",
    el("kbd", {}, "Esc"),
    " closes; what you typed is kept",
  );
}

function entityOf({ name, aliases, types, description }) {
  const lines = (text) => [...new Set(text.split("\n").map((line) => line.trim()))].filter(Boolean);
  const own = name.trim();
  return {
    name: own,
    aliases: lines(aliases).filter((alias) => alias !== own),
    types: lines(types),
    description: description.trim(),
  };
}
