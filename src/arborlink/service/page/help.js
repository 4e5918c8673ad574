// The help: every key that does something now.

import { el } from "/assets/dom.js";
import { openDialog } from "./dialog.js";
import { boundKeys } from "./keys.js";

/** Open the list of keys. */
export function openHelp() {
  const groups = [...boundKeys()].map(([title, bindings]) =>
    el(
      "section",
      {},
      el("h3", {}, title),
      el(
        "dl",
        {},
        bindings.map(({ keys, shown, told }) => [el("dt", {}, caps(shown ? [shown] : keys)), el("dd", {}, told)]),
      ),
    ),
  );
  const dialog = openDialog("Keys", el("div", { class: "help" }, groups), { wide: true });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "?") return;
    // else the page would take the same key to open it again
    event.preventDefault();
    dialog.close();
  });
}

const SIGNS = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc" };

/** Keys as small caps: "J or ↓". */
export function caps(keys) {
  return keys.map((key, i) => [
    i > 0 && " or ",
    el("kbd", {}, SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
  ]);
}
