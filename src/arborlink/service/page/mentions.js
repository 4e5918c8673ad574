// The mentions of a proposal in their contexts, and the choice of those to split off.

import { affinityText, counted, el, numbered, replace } from "/assets/dom.js";
import { contextOf, documentAddress, titleOf } from "./context.js";

const SHOWN = 4;

export class MentionList {
  /** @param {object} proposal @param {(mentions: string[]) => void} onSplit */
  constructor(proposal, onSplit) {
    this.proposal = proposal;
    this.mentions = proposal.tree.nodes;
    this.onSplit = onSplit;
    this.isAll = proposal.tree.nodes.length <= SHOWN + 2;
    this.chosen = null;
    this.at = 0;
    this.body = el("div");
    this.title = el("h2");
    this.element = el("section", { class: "panel mentions" }, this.title, this.body);
    this.#draw();
  }

  get isSplitting() {
    return this.chosen !== null;
  }

  /** Show every mention, or the most central ones again. */
  toggleAll() {
    if (this.isSplitting) return;
    this.isAll = !this.isAll;
    this.#draw();
  }

  /** Begin to choose mentions. */
  startSplit(chosen = []) {
    this.chosen = new Set(chosen);
    this.#draw();
    this.#go(0);
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** Choose no more. */
  stopSplit() {
    this.chosen = null;
    this.#draw();
  }

  get #order() {
    const { mentions } = this;
    const { evidence } = this.proposal;
    if (this.isSplitting) return mentions.map((_, i) => i);
    const rank = new Map(evidence.map(({ mention }, i) => [mention, i]));
    const all = mentions.map((_, i) => i);
    all.sort(
      (a, b) => (rank.get(mentions[a].mention) ?? rank.size) - (rank.get(mentions[b].mention) ?? rank.size) || a - b,
    );
    return this.isAll ? all : all.slice(0, SHOWN);
  }

  #draw() {
    const { mentions } = this;
    const { n_left_out } = this.proposal.tree;
    const order = this.#order;
    const hidden = mentions.length - order.length;
    this.element.classList.toggle("splitting", this.isSplitting);
    replace(
      this.title,
      this.isSplitting ? "Which mentions are something else?" : "Its mentions, the most central first",
    );
    const list = el(
      "ul",
      {
        class: "mention-list",
        role: this.isSplitting ? "listbox" : null,
        "aria-multiselectable": this.isSplitting ? "true" : null,
      },
      order.map((i) => this.#row(i)),
    );
    replace(
      this.body,
      this.isSplitting && this.#help(),
      list,
      n_left_out > 0 && el("p", { class: "note" }, `${numbered(n_left_out, "mention")} more are not listed.`),
      !this.isSplitting &&
        mentions.length > SHOWN + 2 &&
        el(
          "button",
          { type: "button", class: "more", onclick: () => this.toggleAll() },
          hidden ? `Show all ${counted(mentions.length)} ` : "Show the most central ",
          el("kbd", {}, "E"),
        ),
    );
    if (this.isSplitting) this.#count();
  }

  #row(i) {
    const mention = this.mentions[i];
    const where = el(
      "a",
      { href: documentAddress(mention), tabindex: this.isSplitting ? "-1" : null },
      titleOf(mention),
    );
    const cells = [
      el("p", { class: "context" }, contextOf(mention)),
      el("p", { class: "where quiet" }, where, affinityOf(mention)),
    ];
    if (!this.isSplitting) return el("li", {}, cells);
    return el(
      "li",
      {
        role: "option",
        tabindex: "-1",
        "data-number": i,
        "aria-selected": String(this.chosen.has(i)),
        onclick: (event) => event.target.closest("a") || this.#toggle(i),
        onkeydown: (event) => this.#key(event, i),
      },
      el("span", { class: "tick", "aria-hidden": "true" }),
      el("div", {}, cells),
    );
  }

  #help() {
    const key = (name, words) => el("span", {}, el("kbd", {}, name), ` ${words}`);
    this.told = el("strong", { role: "status" });
    return el(
      "p",
      { class: "split-help" },
      this.told,
      key("Space", "choose"),
      key("T", "all that say this"),
      key("B", "all below the bottleneck"),
      key("Enter", "split off"),
      key("Esc", "leave"),
    );
  }

  #count() {
    const { mentions } = this;
    this.told.textContent = `${counted(this.chosen.size)} of ${counted(mentions.length)} chosen`;
    for (const row of this.body.querySelectorAll("[role=option]")) {
      row.setAttribute("aria-selected", String(this.chosen.has(Number(row.dataset.number))));
    }
  }

  #toggle(i) {
    if (!this.chosen.delete(i)) this.chosen.add(i);
    this.#go(i);
    this.#count();
  }

  #go(i) {
    const rows = this.body.querySelectorAll("[role=option]");
    this.at = Math.min(Math.max(0, i), rows.length - 1);
    for (const row of rows) row.setAttribute("tabindex", Number(row.dataset.number) === this.at ? "0" : "-1");
    rows[this.at]?.focus();
  }

  #key(event, i) {
    const { mentions } = this;
    const said = mentions[i].text.toLowerCase();
    const does = {
      ArrowDown: () => this.#go(i + 1),
      ArrowUp: () => this.#go(i - 1),
      j: () => this.#go(i + 1),
      k: () => this.#go(i - 1),
      " ": () => this.#toggle(i),
      t: () => this.#choose(mentions.flatMap(({ text }, n) => (text.toLowerCase() === said ? [n] : []))),
      b: () => this.#choose(belowBottleneck(mentions)),
      Enter: () => this.onSplit([...this.chosen].sort((a, b) => a - b).map((n) => mentions[n].mention)),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    does();
  }

  #choose(numbers) {
    const isAllIn = numbers.every((i) => this.chosen.has(i));
    for (const i of numbers) isAllIn ? this.chosen.delete(i) : this.chosen.add(i);
    this.#count();
  }
}

/** Numbers of the mentions that hang below the weakest edge. */
export function belowBottleneck(mentions) {
  const measured = mentions.map((_, i) => i).filter((i) => mentions[i].parent !== null && mentions[i].affinity != null);
  if (!measured.length) return [];
  const top = measured.reduce((a, b) => (mentions[b].affinity < mentions[a].affinity ? b : a));
  const isBelow = (i) => i === top || (mentions[i].parent !== null && isBelow(mentions[i].parent));
  return mentions.map((_, i) => i).filter(isBelow);
}

function affinityOf({ affinity }) {
  return affinity == null
    ? null
    : el("span", { class: "number", title: "Affinity to what it hangs from" }, affinityText(affinity));
}
