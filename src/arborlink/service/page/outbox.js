// Decisions on their way: sent one after the other while the reviewer reads on.

import { el, numbered, replace } from "/assets/dom.js";

export class Outbox {
  constructor() {
    this.waiting = [];
    this.sent = Promise.resolve();
  }

  get isEmpty() {
    return !this.waiting.length;
  }

  /**
   * Send something when all before it is sent.
   * @param {string} what in words
   * @param {() => Promise<void>} send does its own telling of what went wrong
   */
  put(what, send) {
    this.waiting.push(what);
    this.#show();
    // one that failed must not hold up those behind it
    this.sent = this.sent
      .catch(() => {})
      .then(send)
      .finally(() => {
        this.waiting.shift();
        this.#show();
      });
    return this.sent;
  }

  /** Resolves when nothing is on its way. */
  async empty() {
    while (this.waiting.length) await this.sent.catch(() => {});
  }

  #show() {
    const n = this.waiting.length;
    const title = this.waiting.join("; ");
    replace(document.getElementById("saving"), n > 0 && el("span", { title }, `saving ${numbered(n, "decision")} …`));
  }
}
