// What has just happened, told in one line with a way back.

import { el, replace } from "/assets/dom.js";

const SHOWN_FOR = 15_000;
let timer = 0;

/**
 * @param {string} words
 * @param {{undo?: () => void, back?: () => void, detail?: string, bad?: boolean}} [options] `back` stays until it is used
 */
export function tell(words, { undo, back, detail, bad = false } = {}) {
  clearTimeout(timer);
  const place = document.getElementById("notices");
  const undoing = undo && el("button", { type: "button", class: "undo", onclick: undo }, "Undo ", el("kbd", {}, "Z"));
  const returning = back && el("button", { type: "button", onclick: back }, "Back to it");
  const text = el("span", { class: "words" }, el("strong", {}, words), detail && el("span", {}, ` ${detail}`));
  replace(place, el("div", { class: `notice${bad ? " bad" : ""}` }, text, undoing, returning));
  if (!back) timer = setTimeout(untell, SHOWN_FOR);
}

/** Take it away. */
export function untell() {
  clearTimeout(timer);
  replace(document.getElementById("notices"));
}
