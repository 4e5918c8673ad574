// Everything that was decided, the newest first, each with a way back.

import { counted, el, numbered, replace, shortened } from "/assets/dom.js";
import { get, post, Refusal } from "./api.js";
import { moveFocus } from "./documents.js";
import { tell } from "./notices.js";
import { session, showProgress } from "./session.js";
import { changesTold } from "./words.js";

const PER_PAGE = 40;

/** The view with the list. */
export function decisionsView() {
  const table = el("div", { class: "panel" });
  const count = el("p", { class: "count", role: "status" });
  let page = 1;
  const load = async () => {
    const answer = await get("/api/decisions", { page, per_page: PER_PAGE });
    count.textContent = numbered(answer.n_items, "decision");
    replace(
      table,
      answer.items.length
        ? [rows(answer.items, undo), pager(answer)]
        : el("p", { class: "empty" }, "Nothing has been decided yet."),
    );
  };
  const undo = async (id, words) => {
    try {
      const changes = await post(`/api/decisions/${id}/undo`, { author: session.author }, `Undo: ${words}`);
      session.version = Math.max(session.version, changes.version);
      tell(`Undone: ${words}.`, { detail: changesTold(changes) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell("This cannot be undone now.", { detail: error.message, bad: true });
    }
    showProgress();
    await load();
  };
  const pager = ({ n_pages }) => {
    if (n_pages < 2) return null;
    const go = (to) =>
      el(
        "button",
        { type: "button", disabled: to < 1 || to > n_pages, onclick: () => ((page = to), load()) },
        to < page ? "Newer" : "Older",
      );
    return el(
      "nav",
      { class: "pager", "aria-label": "Pages" },
      go(page - 1),
      el("span", { class: "where" }, `Page ${counted(page)} of ${counted(n_pages)}`),
      go(page + 1),
    );
  };
  const step = (by) => () => moveFocus(table, by, "tbody button");
  const element = el(
    "main",
    { class: "page", id: "content", tabindex: "-1" },
    el("h1", {}, "Decisions"),
    el(
      "div",
      { class: "tools" },
      el("p", { class: "quiet" }, "What was decided, the newest first. Each can be undone, in any order."),
      count,
    ),
    table,
  );
  return {
    element,
    show: async () => {
      await load();
      element.focus({ preventScroll: true });
    },
    onChanges: load,
    bindings: [
      { keys: ["j", "ArrowDown"], told: "Next decision", group: "Decisions", run: step(1) },
      { keys: ["k", "ArrowUp"], told: "Previous decision", group: "Decisions", run: step(-1) },
      { keys: ["Enter"], told: "Undo the decision", group: "Decisions", run: () => {} },
    ],
  };
}

function rows(items, undo) {
  const head = ["Decision", "By", "When", ""].map((title) => el("th", { scope: "col" }, title));
  const body = items.map((item) => {
    const words = decisionTold(item);
    const when = new Date(item.time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    const back = item.is_in_force
      ? el("button", { type: "button", onclick: () => undo(item.id, words) }, "Undo")
      : el("span", { class: "quiet" }, `undone${item.undone_by ? ` by ${item.undone_by}` : ""}`);
    return el(
      "tr",
      { class: item.is_in_force ? null : "undone" },
      el("td", {}, words),
      el("td", {}, item.author ?? "–"),
      el("td", { class: "when" }, when),
      el("td", {}, back),
    );
  });
  return el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

/** A decision in words, with names. */
function decisionTold({ decision, places }) {
  const name = (id) => `“${shortened(places[id]?.name ?? id, 60)}”`;
  const { kind } = decision;
  if (kind === "promote")
    return `Promote ${decision.name ? `“${shortened(decision.name, 60)}”` : name(decision.discovery)}`;
  if (kind === "reject") return `Reject ${name(decision.discovery)}`;
  if (kind === "split") return `Split ${numbered(decision.mentions.length, "mention")} off ${name(decision.discovery)}`;
  if (kind === "merge") return `Merge ${decision.ids.map(name).join(" and ")}`;
  if (kind === "relink") return `Link the mention ${name(decision.mention)} to ${name(decision.entity)}`;
  if (kind === "unlink") return `Do not link the mention ${name(decision.mention)} to ${name(decision.entity)}`;
  if (kind === "apart") return `Keep ${name(decision.one)} and ${name(decision.other)} apart`;
  return `Keep ${numbered(decision.mentions.length, "mention")} together`;
}
