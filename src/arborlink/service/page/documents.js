// All documents, searched and paged by the server.

import { counted, el, numbered, replace, shortened } from "/assets/dom.js";
import { get } from "./api.js";

const PER_PAGE = 40;

/** Kept while the page is open; `items` also says what comes before and after a document. */
export const listed = { search: "", page: 1, items: [] };

/** The view with the list. */
export function documentsView() {
  const table = el("div", { class: "panel" });
  const search = el("input", { type: "search", "aria-label": "Search documents", spellcheck: "false" });
  search.placeholder = "Search documents: text or id ( / )";
  search.value = listed.search;
  const count = el("p", { class: "count", role: "status" });
  let turn = 0;
  const load = async () => {
    const mine = ++turn;
    const answer = await get("/api/documents", { search: listed.search, page: listed.page, per_page: PER_PAGE });
    if (mine !== turn) return;
    listed.items = answer.items.map(({ id }) => id);
    count.textContent = numbered(answer.n_items, "document");
    replace(
      table,
      answer.items.length ? [rows(answer.items), pager(answer, go)] : el("p", { class: "empty" }, nothingTold()),
    );
  };
  const go = (page) => {
    listed.page = page;
    return load().then(() => element.scrollTo(0, 0));
  };
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      listed.search = search.value.trim();
      go(1);
    }, 150);
  });
  search.addEventListener("keydown", (event) => event.key === "Enter" && table.querySelector("a")?.focus());
  const step = (by) => () => moveFocus(table, by);
  const element = el(
    "main",
    { class: "page", id: "content", tabindex: "-1" },
    el("h1", {}, "Documents"),
    el("div", { class: "tools" }, search, count),
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
      { keys: ["j", "ArrowDown"], told: "Next document of the list", group: "Documents", run: step(1) },
      { keys: ["k", "ArrowUp"], told: "Previous document of the list", group: "Documents", run: step(-1) },
      { keys: ["Enter"], told: "Open the document", group: "Documents", run: () => document.activeElement.click?.() },
      { keys: ["/"], told: "Search documents", group: "Documents", run: () => search.focus() },
      {
        keys: ["n"],
        told: "Next page",
        group: "Documents",
        run: () => table.querySelector("[data-go=next]:not(:disabled)")?.click(),
      },
      {
        keys: ["p"],
        told: "Previous page",
        group: "Documents",
        run: () => table.querySelector("[data-go=previous]:not(:disabled)")?.click(),
      },
    ],
  };
}

/** Focus the link some steps from the focused one; the first where none is. */
export function moveFocus(place, by, selector = "tbody a") {
  const all = [...place.querySelectorAll(selector)];
  if (!all.length) return;
  const here = all.indexOf(document.activeElement);
  const next = all[here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + by))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function nothingTold() {
  return listed.search
    ? "No document has these words."
    : "The workspace has no documents yet: arborlink workspace add brings some.";
}

function rows(items) {
  const head = ["Document", "Mentions", "Linked", "Discovered"].map((title, i) =>
    el("th", { scope: "col", class: i ? "number" : null }, title),
  );
  return el(
    "div",
    { class: "wide" },
    el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, items.map(row))),
  );
}

function row({ id, title, beginning, n_mentions, n_linked, n_discovered }) {
  const first = title || beginning.trimStart().split("\n", 1)[0] || id;
  const name = el("a", { href: `#/document/${encodeURIComponent(id)}` }, shortened(first, 110));
  return el(
    "tr",
    {},
    el("td", {}, name, el("span", { class: "quiet" }, ` ${id}`)),
    el("td", { class: "number" }, counted(n_mentions)),
    el("td", { class: "number" }, counted(n_linked)),
    el("td", { class: `number${n_discovered ? " fresh" : ""}` }, counted(n_discovered)),
  );
}

function pager({ page, n_pages }, go) {
  if (n_pages < 2) return null;
  const step = (name, words, to) =>
    el("button", { type: "button", "data-go": name, disabled: to < 1 || to > n_pages, onclick: () => go(to) }, words);
  const where = el("span", { class: "where" }, `Page ${counted(page)} of ${counted(n_pages)}`);
  return el(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    step("previous", "Previous", page - 1),
    where,
    step("next", "Next", page + 1),
  );
}
