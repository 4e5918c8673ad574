// A dialog that finds something by name: type, go down with the arrows, Enter takes it.

import { el, replace } from "/assets/dom.js";
import { openDialog } from "./dialog.js";

/**
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.label of the search box
 * @param {string} options.nothing what to say where nothing is found
 * @param {(query: string) => Promise<object[]>} options.find
 * @param {(item: object) => Node[]} options.row what is shown of one
 * @param {(item: object) => Promise<string|null>} options.onTake returns null where it worked, else what to tell
 */
export function openFinder({ title, label, nothing, find, row, onTake }) {
  const list = el("ul", { class: "found", role: "listbox", id: "found", "aria-label": "Found" });
  const problem = el("div", { class: "problem", role: "alert" });
  const box = el("input", {
    // no search field: there the first Escape would only clear it
    type: "text",
    role: "combobox",
    "aria-label": label,
    "aria-controls": "found",
    "aria-expanded": "true",
    autocomplete: "off",
    spellcheck: "false",
  });
  box.placeholder = label;
  const keys = el(
    "p",
    { class: "quiet hint" },
    el("kbd", {}, "↓"),
    " ",
    el("kbd", {}, "↑"),
    " choose · ",
    el("kbd", {}, "Enter"),
    " takes it · ",
    el("kbd", {}, "Esc"),
    " closes",
  );
  const dialog = openDialog(title, el("div", { class: "finder" }, box, list, problem, keys));
  const state = { items: [], at: 0, turn: 0, isBusy: false };

  const mark = (at) => {
    state.at = Math.max(0, Math.min(at, state.items.length - 1));
    for (const [i, option] of [...list.querySelectorAll("[role=option]")].entries()) {
      option.setAttribute("aria-selected", String(i === state.at));
      if (i === state.at) option.scrollIntoView({ block: "nearest" });
    }
    box.setAttribute("aria-activedescendant", state.items.length ? `found-${state.at}` : "");
  };
  const take = async (item) => {
    if (!item || state.isBusy) return;
    state.isBusy = true;
    const told = await onTake(item).finally(() => (state.isBusy = false));
    if (told) replace(problem, told);
    else dialog.close();
  };
  const search = async () => {
    const turn = ++state.turn;
    const items = await find(box.value.trim());
    // answers may come in another order than they were asked for
    if (turn !== state.turn) return;
    state.items = items;
    replace(
      list,
      items.map((item, i) => el("li", { role: "option", id: `found-${i}`, onclick: () => take(item) }, row(item))),
    );
    if (!items.length) replace(list, el("li", { class: "empty", role: "presentation" }, nothing));
    mark(0);
  };

  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    state.turn += 1;
    state.items = [];
    timer = setTimeout(search, 120);
  });
  box.addEventListener("keydown", async (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(state.at + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter") {
      // what was typed last may not have been searched for yet
      if (!state.items.length) {
        clearTimeout(timer);
        await search();
      }
      take(state.items[state.at]);
    } else return;
    event.preventDefault();
  });
  box.focus();
  search();
  return dialog;
}
