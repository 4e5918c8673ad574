// A table that shows one page at a time, with a search box and filters above it.

import { counted, el, numbered, replace } from "./dom.js";

const ROWS = 50;

/**
 * @param {object} options
 * @param {string} options.label what is searched, for the box: "Search documents"
 * @param {[string, string]} options.nouns one and many: ["document", "documents"]
 * @param {{title: string, cell: (item: number) => any, class?: string, key?: (item: number) => any}[]} options.columns
 *   `key` makes a column that can be sorted by
 * @param {(query: string, filter: string) => number[]} options.find items that match, in the usual order
 * @param {{value: string, label: string}[]} [options.filters]
 * @param {string} options.nothing what to say where nothing matches
 * @param {object} [options.state] kept by the caller, so that a table comes back as it was left
 * @param {number} [options.rows] rows on a page
 */
export function pagedTable(options) {
  const state = options.state ?? {};
  state.page ??= 0;
  state.query ??= "";
  state.filter ??= options.filters?.[0].value ?? "";
  const table = { options, state, rows: options.rows ?? ROWS, items: [] };
  table.body = el("div", { class: "table-body" });
  table.count = el("p", { class: "count", role: "status" });
  const tools = el("div", { class: "tools" }, options.label && searchBox(table), filterBox(table), table.count);
  find(table, false);
  return el("section", { class: "paged" }, tools, table.body);
}

function searchBox(table) {
  let timer = 0;
  const input = el("input", { type: "search", "aria-label": table.options.label, spellcheck: "false" });
  input.placeholder = `${table.options.label} ( / )`;
  input.value = table.state.query;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      table.state.query = input.value;
      find(table, true);
    }, 120);
  });
  return input;
}

function filterBox(table) {
  if (!table.options.filters) return null;
  const buttons = table.options.filters.map(({ value, label }) => {
    const choose = () => {
      table.state.filter = value;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      find(table, true);
    };
    const button = el(
      "button",
      { type: "button", "aria-pressed": String(table.state.filter === value), onclick: choose },
      label,
    );
    return button;
  });
  return el("div", { class: "choice", role: "group", "aria-label": "Show" }, buttons);
}

function find(table, fromStart) {
  const { state, options } = table;
  if (fromStart) state.page = 0;
  table.items = options.find(state.query, state.filter);
  const column = options.columns.find((each) => each.title === state.sort);
  if (column) sortBy(table.items, column.key, state.descending);
  draw(table);
}

function sortBy(items, key, descending) {
  const keys = new Map(items.map((item) => [item, key(item)]));
  const sign = descending ? -1 : 1;
  items.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x == null || y == null) return (x == null) - (y == null);
    return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
  });
}

function draw(table) {
  const { state, options, items, rows } = table;
  const nPages = Math.max(1, Math.ceil(items.length / rows));
  state.page = Math.min(state.page, nPages - 1);
  table.count.textContent = numbered(items.length, ...options.nouns);
  if (!items.length) return replace(table.body, el("p", { class: "empty" }, options.nothing));
  const shown = items.slice(state.page * rows, (state.page + 1) * rows);
  const head = el(
    "tr",
    {},
    options.columns.map((column) => heading(table, column)),
  );
  const body = shown.map((item) =>
    el(
      "tr",
      {},
      options.columns.map((column) => el("td", { class: column.class }, column.cell(item))),
    ),
  );
  const drawn = el("table", {}, el("thead", {}, head), el("tbody", {}, body));
  return replace(table.body, el("div", { class: "wide" }, drawn), nPages > 1 && pager(table, nPages));
}

function heading(table, column) {
  if (!column.key) return el("th", { class: column.class, scope: "col" }, column.title);
  const { state } = table;
  const isSorted = state.sort === column.title;
  const sort = () => {
    state.descending = isSorted ? !state.descending : column.class === "number";
    state.sort = column.title;
    find(table, true);
    table.body.querySelector('th[aria-sort]:not([aria-sort="none"]) button')?.focus();
  };
  const direction = !isSorted ? "none" : state.descending ? "descending" : "ascending";
  const arrow = el("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? (state.descending ? "▾" : "▴") : "");
  const button = el("button", { type: "button", class: "sort", onclick: sort }, column.title, arrow);
  return el("th", { class: column.class, scope: "col", "aria-sort": direction }, button);
}

function pager(table, nPages) {
  const { state } = table;
  const go = (page, name) => () => {
    state.page = page;
    draw(table);
    table.body.scrollIntoView({ block: "nearest" });
    const same = table.body.querySelector(`[data-go="${name}"]:not(:disabled)`);
    (same ?? table.body.querySelector("[data-go]:not(:disabled)"))?.focus();
  };
  const step = (name, label, page, off) =>
    el("button", { type: "button", "data-go": name, disabled: off, onclick: go(page, name) }, label);
  const [isFirst, isLast] = [state.page === 0, state.page === nPages - 1];
  return el(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    step("first", "First", 0, isFirst),
    step("previous", "Previous", state.page - 1, isFirst),
    el("span", { class: "where" }, `Page ${counted(state.page + 1)} of ${counted(nPages)}`),
    step("next", "Next", state.page + 1, isLast),
    step("last", "Last", nPages - 1, isLast),
  );
}
