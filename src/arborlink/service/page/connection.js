// Whether the server answers. Requests wait here while it does not, so that nothing typed or decided is lost.

import { el, replace } from "/assets/dom.js";

const FIRST_WAIT = 1;
const LONGEST_WAIT = 15;

let wait = FIRST_WAIT;
/** What the requests wait for together, while they do. */
let outage = null;

/** Called by a request that got no answer; resolves when to try again. `what` names a change that is on its way. */
export function untilBack(what) {
  outage ??= new Outage("The server does not answer.", wait);
  if (what) outage.kept.add(what);
  return outage.over;
}

/** Called by a request the server could not take now; resolves after the seconds it named. */
export async function untilLess(response, what) {
  const told = (await response.json().catch(() => null))?.error?.message ?? "it has too much to do";
  outage ??= new Outage(`Not now: ${told}.`, Number(response.headers.get("Retry-After")) || 2);
  if (what) outage.kept.add(what);
  return outage.over;
}

/** Called whenever an answer came. */
export function answered() {
  wait = FIRST_WAIT;
  outage?.end();
  const place = banner();
  if (place.matches(":popover-open")) replace(place).hidePopover();
}

class Outage {
  constructor(words, seconds) {
    this.words = words;
    this.left = Math.ceil(seconds);
    this.kept = new Set();
    this.over = new Promise((resolve) => (this.resolve = resolve));
    this.timer = setInterval(() => this.#tick(), 1000);
    // the request says what it holds before the banner is drawn
    queueMicrotask(() => this.#tell());
  }

  end() {
    clearInterval(this.timer);
    if (outage === this) outage = null;
    this.resolve();
  }

  again() {
    wait = Math.min(LONGEST_WAIT, wait * 2);
    this.end();
  }

  #tick() {
    this.left -= 1;
    if (this.left <= 0) this.again();
    else this.#tell();
  }

  #tell() {
    if (outage !== this) return;
    const place = banner();
    const held = [...this.kept].map((each) => `“${each}” is kept and will be sent.`).join(" ");
    const when = `Trying again in ${this.left} s.`;
    if (place.matches(":popover-open") && place.querySelector(".held").textContent === (held || KEPT)) {
      place.querySelector(".when").textContent = when;
      return;
    }
    replace(
      place,
      el("strong", {}, this.words),
      el("span", { class: "held" }, held || KEPT),
      // the count-down is for the eye; who listens to the screen need not hear every second
      el("span", { class: "when", "aria-hidden": "true" }, when),
      el("button", { type: "button", onclick: () => outage?.again() }, "Try now"),
    );
    // shown anew, it stands above any dialog that was opened since
    if (place.matches(":popover-open")) place.hidePopover();
    place.showPopover();
  }
}

const KEPT = "What you typed is kept.";

function banner() {
  return document.getElementById("connection");
}
