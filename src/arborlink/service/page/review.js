// The review: the queue on the left, a proposal in the middle, what is known and near on the right.

import { el, replace } from "/assets/dom.js";
import { hideTip } from "/assets/tip.js";
import { ACTIONS, actionBar, whyNot } from "./actions.js";
import { at, get } from "./api.js";
import { Deciding } from "./deciding.js";
import { linkFinder, mergeFinder } from "./finding.js";
import { MentionList } from "./mentions.js";
import { NUMBERED, nearestView } from "./nearest.js";
import { tell } from "./notices.js";
import { proposalView } from "./proposal.js";
import { Queue } from "./queue.js";
import { session, showProgress } from "./session.js";
import { nothingOpen, settledView } from "./settled.js";

export class Review {
  constructor() {
    this.queue = new Queue({ onOpen: (id, isBySearch) => this.open(id, { keepFocus: isBySearch }) });
    this.middle = el("main", { class: "middle", id: "content", tabindex: "-1" });
    this.side = el("div", { class: "side" });
    this.bar = el("div", { class: "decide" });
    this.element = el("div", { class: "review" }, this.queue.element, this.middle, this.side, this.bar);
    this.deciding = new Deciding(this);
    this.proposal = null;
    this.mentions = null;
    this.turn = 0;
  }

  get isBusy() {
    return this.deciding.isBusy || !this.deciding.outbox.isEmpty;
  }

  get bindings() {
    const decide = ACTIONS.map(([key, name, , told]) => ({
      keys: [key],
      told,
      group: "Decide",
      run: () => this.act(name),
    }));
    const digits = Array.from({ length: NUMBERED }, (_, i) => String(i + 1));
    const run = (name) => () => this.act(name);
    return [
      ...decide,
      {
        keys: digits,
        shown: `1 – ${NUMBERED}`,
        told: "Link to the known entity of this number",
        group: "Decide",
        run: (key) => this.linkTo(Number(key) - 1),
      },
      { keys: ["z"], told: "Undo: what is shown, else what you decided last", group: "Decide", run: run("undo") },
      { keys: ["j", "ArrowDown"], told: "Next proposal", group: "Go", run: run("next") },
      { keys: ["k", "ArrowUp"], told: "Previous proposal", group: "Go", run: run("previous") },
      { keys: ["/"], told: "Search proposals", group: "Go", run: () => this.queue.search() },
      {
        keys: ["f"],
        told: "To review, unsure, promoted, rejected, linked",
        group: "Go",
        run: () => this.queue.nextFilter(),
      },
      { keys: ["e"], told: "All mentions, or the most central", group: "Look", run: () => this.mentions?.toggleAll() },
      { keys: ["t"], told: "To the tree; arrows walk in it", group: "Look", run: () => this.#toTree() },
      { keys: ["r"], told: "Read anew, as it is now", group: "Look", run: () => this.reload() },
      { keys: ["Escape"], told: "Leave the split", group: "Look", run: () => this.#leaveSplit() },
    ];
  }

  /** The address asks for a proposal, or for the first of the queue. */
  async show(id) {
    if (!this.queue.page) await this.queue.load();
    const wanted = id ?? this.proposal?.id ?? this.queue.items[0]?.id ?? null;
    await this.open(wanted);
    this.#count();
  }

  /** Show one proposal; null shows that there is none. */
  async open(id, { keepFocus = false } = {}) {
    const turn = ++this.turn;
    hideTip();
    this.queue.choose(id);
    this.opening = id === null ? Promise.resolve(null) : this.#read(id);
    const found = await this.opening;
    // another one was asked for meanwhile
    if (turn !== this.turn) return;
    history.replaceState(null, "", id === null ? "#/review" : `#/review/${encodeURIComponent(id)}`);
    this.#draw(found);
    if (!keepFocus && !this.queue.element.contains(document.activeElement)) this.middle.focus({ preventScroll: true });
    document.getElementById("view").dataset.open = id ?? "";
  }

  async #read(id) {
    const item = this.queue.items.find((each) => each.id === id);
    // what became an entity is no proposal any more
    if (item?.place) return { id, name: item.name, decision: item.decision, now: item.place };
    try {
      return await get(at("/api/proposals", id));
    } catch (refusal) {
      if (!refusal.isGone) throw refusal;
      return { id, now: refusal.now };
    }
  }

  #draw(proposal) {
    this.proposal = proposal;
    this.mentions = null;
    if (proposal === null || !proposal.tree) {
      const view = proposal === null ? nothingOpen(this.queue.state) : settledView(proposal, () => this.act("undo"));
      replace(this.middle, view);
      replace(this.side);
      replace(this.bar);
    } else {
      this.mentions = new MentionList(proposal, (chosen) => this.deciding.split(chosen));
      replace(this.middle, proposalView(proposal, this.mentions));
      replace(
        this.side,
        nearestView(proposal, session.threshold, (entity) => this.deciding.link(entity)),
      );
      replace(
        this.bar,
        actionBar(proposal, (name) => this.act(name)),
      );
    }
    this.middle.scrollTop = 0;
    this.side.scrollTop = 0;
  }

  /** Do what a key or a button says, to the proposal that was asked for last. */
  async act(name) {
    if (this.deciding.isBusy) return;
    if (name === "next" || name === "previous") return this.#step(name === "next" ? 1 : -1);
    await this.#opened();
    if (name === "undo") return this.deciding.undo();
    if (!this.proposal?.tree) return;
    const reason = whyNot(name, this.proposal);
    if (reason) return tell(reason, { bad: true });
    if (name === "promote") this.deciding.promote();
    if (name === "reject") this.deciding.reject();
    if (name === "unsure") this.deciding.mark();
    if (name === "merge") mergeFinder(this.proposal, (other) => this.deciding.merge(other));
    if (name === "link") linkFinder(this.proposal, (entity) => this.deciding.link(entity));
    if (name === "split") this.mentions.startSplit();
  }

  /** Link to the nearest entity of a number. */
  async linkTo(i) {
    if (this.deciding.isBusy) return;
    await this.#opened();
    const entity = this.proposal?.nearest_entities?.[i];
    if (!entity) return;
    const reason = whyNot("link", this.proposal);
    if (reason) tell(reason, { bad: true });
    else this.deciding.link(entity);
  }

  /** Keys may come faster than answers: what they are about must stand there first. */
  async #opened() {
    for (let last = null; last !== this.opening;) {
      last = this.opening;
      await last;
    }
  }

  async #step(step) {
    const id = await this.queue.beside(this.queue.chosen, step);
    if (id) this.open(id);
    else if (this.queue.items.length)
      tell(step > 0 ? "This is the last one of the list." : "This is the first one of the list.");
  }

  /** After a decision: the queue as it is now, and another proposal. */
  async goOn(id) {
    await this.refresh();
    await this.open(id ?? this.queue.items[0]?.id ?? null);
  }

  /** The proposal and the queue as they are now. */
  async reload() {
    await this.refresh();
    await this.open(this.proposal?.id ?? this.queue.items[0]?.id ?? null);
  }

  /** The queue and the counts as they are now. */
  refresh() {
    return Promise.all([this.queue.load(), this.#count()]);
  }

  async #count() {
    this.queue.filters.count(await showProgress());
  }

  /** Others changed something: the queue follows at once, the proposal when the reader asks. */
  async onChanges({ discoveries }) {
    if (this.isBusy) return;
    await this.refresh();
    const { proposal } = this;
    if (!proposal?.id || this.isBusy) return;
    if (!discoveries.includes(proposal.id) && this.queue.has(proposal.id)) return;
    const now = await this.#read(proposal.id);
    if (now.version === proposal.version || this.proposal !== proposal) return;
    this.deciding.warn("Somebody has just changed this.", [], "Read it anew", () => this.reload());
  }

  #toTree() {
    this.middle.querySelector("#tree")?.scrollIntoView({ block: "start" });
    this.middle.querySelector('.arborescence .node[tabindex="0"]')?.focus();
  }

  #leaveSplit() {
    if (!this.mentions?.isSplitting) return;
    this.mentions.stopSplit();
    this.middle.focus({ preventScroll: true });
  }
}
