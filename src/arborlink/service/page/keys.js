// One key for each thing a view can do. What is bound is also what the help shows.

import { isDialogOpen } from "./dialog.js";

let always = [];
let current = [];

/**
 * @typedef {object} Binding
 * @property {string[]} keys as KeyboardEvent.key has them
 * @property {string} told what it does, for the help
 * @property {string} group heading in the help
 * @property {(key: string, event: KeyboardEvent) => void} run
 * @property {string} [shown] what the help shows instead of the keys
 */

/** Keys of the whole page. @param {Binding[]} bindings */
export function bindAlways(bindings) {
  always = bindings;
  addEventListener("keydown", pressed);
}

/** Keys of the view that is shown, in place of those of the view before. @param {Binding[]} bindings */
export function bindView(bindings) {
  current = bindings;
}

/** Everything that is bound now, by heading. */
export function boundKeys() {
  const groups = new Map();
  for (const binding of [...current, ...always]) {
    if (!groups.has(binding.group)) groups.set(binding.group, []);
    groups.get(binding.group).push(binding);
  }
  return groups;
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("input:not([type=checkbox]), select, textarea")) {
    if (event.key === "Escape") target.blur();
    return;
  }
  // a focused button or link takes these itself
  if ((event.key === "Enter" || event.key === " ") && target.closest("button, a[href], summary, mark")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = [...current, ...always].find((binding) => binding.keys.includes(key));
  if (!found) return;
  event.preventDefault();
  found.run(key, event);
}
