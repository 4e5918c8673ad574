// What can be decided about a proposal, one key each.

import { el } from "/assets/dom.js";

const OPEN = ["open", "unsure"];
const LIVE = [...OPEN, "rejected"];

/** key, name of the method that does it, words on the button, words in the help, for which states */
export const ACTIONS = [
  ["p", "promote", "Promote", "Promote to the knowledge base: a form, then Enter", LIVE],
  ["x", "reject", "Reject", "Reject: no entity worth having", OPEN],
  ["m", "merge", "Merge", "Merge with another discovery", LIVE],
  ["l", "link", "Link", "Link to a known entity, found by name", LIVE],
  ["s", "split", "Split", "Split: choose the mentions that are something else", LIVE],
  ["u", "unsure", "Unsure", "Unsure: mark it and come back later", OPEN],
];

/** Whether something can be done about a proposal now; else why not, in words. */
export function whyNot(name, proposal) {
  const [, , words, , states] = ACTIONS.find(([, each]) => each === name);
  if (!states.includes(proposal.state)) return `${words} is not for what is ${proposal.state}: undo that first (Z).`;
  if (name === "split" && proposal.tree.nodes.length < 2) return "There is one mention only: nothing to split.";
  return null;
}

/**
 * The bar with the buttons.
 * @param {object} proposal
 * @param {(name: string) => void} act
 */
export function actionBar(proposal, act) {
  const button = (key, name, words, title, off, isMain) =>
    el(
      "button",
      {
        type: "button",
        class: isMain ? "main" : null,
        title,
        disabled: off,
        "aria-keyshortcuts": key,
        "data-act": name,
        onclick: () => act(name),
      },
      words,
      " ",
      el("kbd", {}, key.toUpperCase()),
    );
  return el(
    "div",
    { class: "actions", role: "toolbar", "aria-label": "Decide" },
    ACTIONS.map(([key, name, words, title]) => {
      const shown = name === "unsure" && proposal.state === "unsure" ? "Not unsure" : words;
      return button(key, name, shown, title, whyNot(name, proposal) !== null, name === "promote");
    }),
    el("span", { class: "gap" }),
    button("z", "undo", "Undo", "Undo what was decided last", false),
    button("k", "previous", "Previous", "The proposal before", false),
    button("j", "next", "Next", "The next proposal", false),
  );
}
