// The proposals that wait, the most valuable first, with filters and a search.

import { affinityText, counted, el, numbered, replace } from "/assets/dom.js";
import { get } from "./api.js";
import { filterPanel } from "./filters.js";

const PER_PAGE = 60;
const SIGNS = { promoted: "✓", linked: "↪", rejected: "✗", unsure: "?" };

/** Kept while the page is open, so that the queue comes back as it was left. */
const asked = { state: "open", search: "", min_mentions: 1, type: "", sort: "value" };

export class Queue {
  /** @param {{onOpen: (id: string|null, isBySearch?: boolean) => void}} options */
  constructor({ onOpen }) {
    Object.assign(this, { onOpen, items: [], total: 0, page: 0, chosen: null, turn: 0 });
    /** Ids that are being decided: out of the list already. */
    this.hidden = new Set();
    this.filters = filterPanel(asked, () => this.load({ openFirst: true }));
    this.count = el("p", { class: "queue-count quiet", role: "status" });
    this.list = el("ul", {
      class: "queue-list",
      role: "listbox",
      tabindex: "0",
      "aria-label": "Proposals",
      onkeydown: (event) => this.#key(event),
    });
    this.more = el("button", { type: "button", class: "more", onclick: () => this.#more() }, "Show more");
    this.element = el(
      "aside",
      { class: "queue", "aria-label": "Queue of proposals" },
      this.filters.element,
      this.count,
      el("div", { class: "queue-scroll" }, this.list, this.more),
    );
  }

  get state() {
    return asked.state;
  }

  /** Read the queue anew; as many rows as were shown. */
  async load({ openFirst = false } = {}) {
    const turn = ++this.turn;
    const nPages = openFirst ? 1 : Math.max(1, this.page);
    const answer = await get("/api/proposals", { ...asked, page: 1, per_page: PER_PAGE * nPages });
    // a later question has been asked since: its answer counts
    if (turn !== this.turn) return;
    Object.assign(this, { items: answer.items, total: answer.n_items, page: nPages });
    this.#leaveOut();
    this.filters.show(answer.types);
    this.#draw();
    if (openFirst && this.items.length && !this.has(this.chosen)) this.onOpen(this.items[0].id, true);
    else if (openFirst && !this.items.length) this.onOpen(null, true);
  }

  async #more() {
    const turn = this.turn;
    const answer = await get("/api/proposals", { ...asked, page: this.page + 1, per_page: PER_PAGE });
    if (turn !== this.turn) return;
    const known = new Set(this.items.map(({ id }) => id));
    this.items.push(...answer.items.filter(({ id }) => !known.has(id)));
    this.page += 1;
    this.total = answer.n_items;
    this.#draw();
  }

  /** Take one out of the list while it is being decided. */
  hide(id) {
    this.hidden.add(id);
    this.#leaveOut();
    this.#draw();
  }

  /** It is decided, or it could not be: the next reading of the list tells. */
  unhide(id) {
    this.hidden.delete(id);
  }

  #leaveOut() {
    const before = this.items.length;
    this.items = this.items.filter(({ id }) => !this.hidden.has(id));
    this.total -= before - this.items.length;
  }

  has(id) {
    return this.items.some((item) => item.id === id);
  }

  /** The id that stands some steps from another; null at either end. */
  async beside(id, step) {
    const at = this.items.findIndex((item) => item.id === id) + step;
    if (at >= this.items.length && this.items.length < this.total) await this.#more();
    return this.items[at]?.id ?? null;
  }

  /** Show which one is open. */
  choose(id) {
    this.chosen = id;
    for (const row of this.list.children) {
      const isChosen = row.dataset.id === id;
      row.setAttribute("aria-selected", String(isChosen));
      if (isChosen) row.scrollIntoView({ block: "nearest" });
    }
    const at = this.items.findIndex((item) => item.id === id);
    if (at >= 0) this.list.setAttribute("aria-activedescendant", `proposal-${at}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  /** To the search box. */
  search() {
    this.filters.search.focus();
    this.filters.search.select();
  }

  /** To the next of the states. */
  nextFilter() {
    this.filters.nextState();
  }

  #draw() {
    this.count.textContent = `${numbered(this.total, "proposal")}${this.total > this.items.length ? `, ${counted(this.items.length)} shown` : ""}`;
    replace(
      this.list,
      this.items.map((item, i) => this.#row(item, i)),
    );
    this.more.hidden = this.items.length >= this.total;
    if (!this.items.length) replace(this.list, el("li", { class: "empty", role: "presentation" }, nothingTold()));
    this.choose(this.chosen);
  }

  #row(item, i) {
    const { id, name, state, n_mentions, n_documents, types, nearest, probability_new, was_unsure } = item;
    const near =
      probability_new != null
        ? el("span", { title: "How sure it is that it is new" }, `${(100 * probability_new).toFixed(0)} % new`)
        : nearest &&
          el("span", { title: `Nearest known: ${nearest.name}` }, `nearest ${affinityText(nearest.affinity)}`);
    return el(
      "li",
      { role: "option", id: `proposal-${i}`, "data-id": id, class: state, onclick: () => this.onOpen(id) },
      el("span", { class: "queue-name" }, SIGNS[state] && el("span", { class: "sign" }, `${SIGNS[state]} `), name),
      el(
        "span",
        { class: "queue-size", title: `${numbered(n_mentions, "mention")} in ${numbered(n_documents, "document")}` },
        counted(n_mentions),
      ),
      el(
        "span",
        { class: "queue-facts" },
        numbered(n_documents, "document"),
        types[0] && el("span", {}, types[0].type),
        was_unsure && el("span", {}, "was unsure"),
        near,
      ),
    );
  }

  #key(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    this.beside(this.chosen, event.key === "ArrowDown" ? 1 : -1).then((id) => id && this.onOpen(id));
  }
}

function nothingTold() {
  if (asked.search || asked.type || asked.min_mentions > 1)
    return "No proposal matches. Clear the search or the filters.";
  return {
    open: "Nothing is left to review. Well done.",
    unsure: "Nothing is marked as unsure.",
    promoted: "Nothing has been promoted yet.",
    rejected: "Nothing has been rejected yet.",
    linked: "Nothing has been linked to a known entity yet.",
  }[asked.state];
}
