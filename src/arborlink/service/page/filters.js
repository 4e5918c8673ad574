// What the queue shows: which proposals, in what order, of what type and size.

import { counted, el, replace } from "/assets/dom.js";

const STATES = [
  ["open", "To review"],
  ["unsure", "Unsure"],
  ["promoted", "Promoted"],
  ["rejected", "Rejected"],
  ["linked", "Linked"],
];
const ORDERS = [
  ["value", "Value"],
  ["mentions", "Mentions"],
  ["documents", "Documents"],
  ["nearest", "Surely new"],
  ["newest", "Newest"],
  ["name", "Name"],
];

/**
 * @param {object} asked what is asked for; changed in place
 * @param {() => void} onChange
 * @returns {{element: Element, search: HTMLInputElement, show: (types: object[]) => void,
 *   count: (progress: object) => void, nextState: () => void}}
 */
export function filterPanel(asked, onChange) {
  const search = searchBox(asked, onChange);
  const states = STATES.map(([value, label]) => stateButton(asked, value, label, () => choose(value)));
  const types = el("select", { "aria-label": "Type" });
  const choose = (value) => {
    asked.state = value;
    for (const button of states) button.setAttribute("aria-pressed", String(button.dataset.state === value));
    onChange();
  };
  types.addEventListener("change", () => {
    asked.type = types.value;
    onChange();
  });
  const element = el(
    "div",
    { class: "filters" },
    search,
    el("div", { class: "states", role: "group", "aria-label": "Which proposals" }, states),
    el("div", { class: "filter-row" }, orderBox(asked, onChange), types, leastBox(asked, onChange)),
  );
  return {
    element,
    search,
    show: (found) => showTypes(types, found, asked),
    count: (progress) => {
      for (const button of states) showCount(button, progress[`n_${button.dataset.state}`]);
    },
    nextState: () => {
      const at = STATES.findIndex(([value]) => value === asked.state);
      choose(STATES[(at + 1) % STATES.length][0]);
    },
  };
}

function searchBox(asked, onChange) {
  let timer = 0;
  const box = el("input", { type: "search", "aria-label": "Search proposals", spellcheck: "false" });
  box.placeholder = "Search proposals ( / )";
  box.value = asked.search;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      asked.search = box.value.trim();
      onChange();
    }, 150);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") box.blur();
  });
  return box;
}

function stateButton(asked, value, label, choose) {
  return el(
    "button",
    { type: "button", "data-state": value, "aria-pressed": String(asked.state === value), onclick: choose },
    label,
    " ",
    el("span", { class: "n" }),
  );
}

function showCount(button, n) {
  button.querySelector(".n").textContent = n == null ? "" : counted(n);
}

function orderBox(asked, onChange) {
  const box = el(
    "select",
    { "aria-label": "Order" },
    ORDERS.map(([value, label]) => el("option", { value, selected: asked.sort === value }, label)),
  );
  box.addEventListener("change", () => {
    asked.sort = box.value;
    onChange();
  });
  return box;
}

function showTypes(box, types, asked) {
  replace(
    box,
    el("option", { value: "" }, "All types"),
    types.map(({ type, n }) => el("option", { value: type, selected: asked.type === type }, `${type} (${counted(n)})`)),
  );
  box.hidden = !types.length;
}

function leastBox(asked, onChange) {
  const box = el("input", { type: "number", min: "1", max: "9999", "aria-label": "Least number of mentions" });
  box.value = asked.min_mentions;
  box.addEventListener("change", () => {
    asked.min_mentions = Math.max(1, Math.round(Number(box.value)) || 1);
    box.value = asked.min_mentions;
    onChange();
  });
  return el("label", { class: "least", title: "Least number of mentions" }, "≥ ", box);
}
