// A dialog that holds the focus, closes with Escape and gives the focus back.

import { el } from "/assets/dom.js";

/**
 * Open a dialog with a title.
 * @param {string} title
 * @param {Node} content
 * @param {{stays?: boolean, wide?: boolean, onClose?: () => void}} [options] `stays`: Escape does not close it
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, { stays = false, wide = false, onClose } = {}) {
  const before = document.activeElement;
  const close = el(
    "button",
    { type: "button", class: "close", "aria-label": "Close", onclick: () => dialog.close() },
    "✕",
  );
  const dialog = el(
    "dialog",
    { class: stays ? "stays" : wide ? "wide-dialog" : null, "aria-labelledby": "dialog-title" },
    el("header", {}, el("h2", { id: "dialog-title" }, title), !stays && close),
    content,
  );
  dialog.addEventListener("cancel", (event) => stays && event.preventDefault());
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
    onClose?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Close what can be closed, as when another view is asked for. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]:not(.stays)")) dialog.close();
}

/** Whether keys belong to a dialog now. */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}
