// What is decided about a proposal: sent, told, undone, and what stood in the way.

import { el } from "/assets/dom.js";
import { at, post, Refusal } from "./api.js";
import { isDialogOpen } from "./dialog.js";
import { tell, untell } from "./notices.js";
import { Outbox } from "./outbox.js";
import { openPromotion } from "./promote.js";
import { session } from "./session.js";
import { changesTold } from "./words.js";

const CHANGED = "Somebody else changed this while you looked at it; nothing was decided.";

export class Deciding {
  /** @param {import("./review.js").Review} review */
  constructor(review) {
    this.review = review;
    this.outbox = new Outbox();
    /** While it must be waited for what comes of a decision. */
    this.isBusy = false;
    /** What can be undone from here: the last one last. */
    this.done = [];
  }

  /** Open the form of a promotion; `problem` is told in it. */
  promote(problem) {
    const { proposal } = this.review;
    const { id, name } = proposal;
    const promote = async (fields, forget) => {
      const decision = { kind: "promote", discovery: id, ...fields };
      const again = (told) => this.promote(told);
      await this.#decideLater(decision, `Promote “${name}”`, `Promoted “${fields.name}”.`, { again, forget });
    };
    openPromotion(proposal, promote, problem);
  }

  reject() {
    const { id, name } = this.review.proposal;
    return this.#decideLater({ kind: "reject", discovery: id }, `Reject “${name}”`, `Rejected “${name}”.`);
  }

  /** The proposal is an entity that is known. */
  link(entity) {
    const { id, name } = this.review.proposal;
    const decision = { kind: "merge", ids: [id, entity.entity ?? entity.id] };
    const [what, told] = ["Link", "Linked"].map((verb) => `${verb} “${name}” to “${entity.name}”`);
    return this.#decideLater(decision, what, `${told}.`);
  }

  /** Mark it as unsure, or take the mark back. */
  mark() {
    const { id, name, state, version } = this.review.proposal;
    const verbs = state === "unsure" ? ["open", "unsure"] : ["unsure", "open"];
    const send = (verb) => {
      const body = verb === "unsure" ? { ...signed(), if_version: version } : signed();
      return post(`${at("/api/proposals", id)}/${verb}`, body, `Mark “${name}”`);
    };
    const told = verbs[0] === "open" ? `“${name}” is to be reviewed again.` : `“${name}” waits among the unsure.`;
    const undo = { id, words: `Took back the mark of “${name}”.`, undo: () => send(verbs[1]) };
    return this.#later(id, `Mark “${name}”`, async () => {
      await send(verbs[0]);
      this.done.push(undo);
      return [told, ""];
    });
  }

  /** The proposal and another discovery are one thing; it is then looked at as a whole. */
  merge(other) {
    const { id, name, version } = this.review.proposal;
    const decision = { kind: "merge", ids: [id, other.id] };
    const [what, told] = ["Merge", "Merged"].map((verb) => `${verb} “${name}” with “${other.name}”`);
    return this.#working(what, async () => {
      const changes = await this.#send(id, decision, Math.max(version, other.version), what);
      const gone = changes.events.find((event) => event.kind === "merged" && event.discovery === id);
      await this.review.goOn(gone?.other[0]?.id ?? id);
      this.#told(`${told}.`, changesTold(changes));
    });
  }

  /** Some mentions are something else; what is left is looked at again. */
  split(mentions) {
    const { id, name, n_mentions, version } = this.review.proposal;
    if (!mentions.length) return tell("No mention is chosen yet: Space chooses.", { bad: true });
    if (mentions.length === n_mentions) return tell("All mentions are chosen; leave some.", { bad: true });
    const what = `Split “${name}”`;
    return this.#working(what, async () => {
      const changes = await this.#send(id, { kind: "split", discovery: id, mentions }, version, what);
      await this.review.goOn(id);
      this.#told(`Split ${mentions.length} of ${n_mentions} mentions off “${name}”.`, changesTold(changes));
    });
  }

  /** Undo the decision about what is shown, or the last one that was made here. */
  async undo(isLast = false) {
    const shown = this.review.proposal;
    await this.#working("Undo", async () => {
      const entry = !isLast && shown?.decision != null ? entryOf(shown) : this.done.at(-1);
      if (!entry) return tell("Nothing was decided here that could be undone; Decisions (H) lists all.", { bad: true });
      const changes = await entry.undo();
      this.done = this.done.filter((each) => each !== entry && (each.decision ?? NaN) !== entry.decision);
      if (entry.decision !== undefined) seen(changes);
      await this.review.goOn(entry.id);
      tell(entry.words, { detail: entry.decision === undefined ? "" : changesTold(changes) });
    });
  }

  /** Tell above the proposal that something came between. */
  warn(words, changes, label, act) {
    const { middle } = this.review;
    middle.querySelector(".warning")?.remove();
    const button = label && el("button", { type: "button", onclick: act }, label, " ", el("kbd", {}, "R"));
    middle.prepend(el("div", { class: "warning", role: "alert" }, el("strong", {}, words), listed(changes), button));
    middle.scrollTop = 0;
  }

  /** Send a decision while the next proposal is looked at. */
  #decideLater(decision, what, told, { again, forget } = {}) {
    const { id, version } = this.review.proposal;
    const run = async () => {
      const changes = await this.#send(id, decision, version, what);
      forget?.();
      return [told, changesTold(changes)];
    };
    return this.#later(id, what, run, again);
  }

  async #later(id, what, run, again) {
    const { queue } = this.review;
    const next = (await queue.beside(id, 1)) ?? (await queue.beside(id, -1));
    queue.hide(id);
    this.outbox.put(what, async () => {
      try {
        const told = await run();
        queue.unhide(id);
        if (this.outbox.waiting.length === 1) await this.review.refresh();
        this.#told(...told);
      } catch (error) {
        queue.unhide(id);
        if (!(error instanceof Refusal)) throw error;
        await this.#refused(id, what, error, again);
      }
    });
    this.review.open(next);
  }

  async #send(id, decision, version, what) {
    const changes = await post("/api/decisions", { decision, if_version: version, ...signed() }, what);
    seen(changes);
    const number = changes.decision;
    this.done.push({ id, decision: number, words: `Undone: ${what}.`, undo: () => undoOf(number, `Undo: ${what}`) });
    return changes;
  }

  #told(words, detail) {
    tell(words, { detail, undo: () => this.undo(true) });
  }

  /** Run something whose outcome must be seen first; null where it worked, else what to tell. */
  async #working(what, run) {
    if (this.isBusy) return "Something else is being done.";
    this.isBusy = true;
    this.review.element.setAttribute("aria-busy", "true");
    const { proposal } = this.review;
    try {
      if (!this.outbox.isEmpty) tell(`${what}: waits for what is being saved.`);
      await this.outbox.empty();
      await run();
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return await this.#refused(proposal?.id, what, error);
    } finally {
      this.isBusy = false;
      this.review.element.removeAttribute("aria-busy");
    }
  }

  /** Tell what stood in the way, where the proposal stands as it is now. */
  async #refused(id, what, refusal, again) {
    const isOvertaken = refusal.isConflict || refusal.isGone;
    const words = isOvertaken ? CHANGED : `“${what}” cannot be done.`;
    const changes = refusal.changes.length ? refusal.changes : [refusal.message];
    const problem = [el("strong", {}, words, again && " What you typed is kept."), listed(changes)];
    const back = async () => {
      untell();
      await this.review.refresh();
      await this.review.open(id);
      this.warn(isOvertaken ? `${words} This is how it is now.` : words, changes);
      if (again && this.review.proposal?.tree) again(problem);
    };
    // who is busy with another proposal comes back when it suits
    const isElsewhere = this.review.proposal?.id !== id && (isDialogOpen() || this.review.mentions?.isSplitting);
    if (isElsewhere) tell(`“${what}” was not done.`, { detail: changes.join("; "), bad: true, back });
    else await back();
    return problem;
  }
}

function listed(changes) {
  return (
    changes.length > 0 &&
    el(
      "ul",
      {},
      changes.map((each) => el("li", {}, each)),
    )
  );
}

function signed() {
  return { author: session.author };
}

function seen({ version }) {
  session.version = Math.max(session.version, version);
}

function undoOf(decision, what) {
  return post(`/api/decisions/${decision}/undo`, signed(), what);
}

function entryOf({ id, name, decision }) {
  const undo = () => undoOf(decision, `Undo the decision about “${name}”`);
  return { id, decision, words: `Undid the decision about “${name}”.`, undo };
}
