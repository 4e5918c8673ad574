// What the whole page knows: the workspace's state, who reviews, how far the review is.

import { counted, el, replace } from "/assets/dom.js";
import { get } from "./api.js";

const AUTHOR_KEY = "arborlink-reviewer";

export const session = {
  /** What /api/status told at the start. */
  status: null,
  /** The newest version that was seen. */
  version: 0,
  /** How far the review is. */
  progress: null,

  /** Who reviews; null where nobody said. */
  get author() {
    return document.getElementById("author").value.trim() || null;
  },

  get threshold() {
    return this.status?.inference.threshold ?? null;
  },
};

/** Read the state of the workspace, and remember the name of whoever reviews in this browser. */
export async function startSession() {
  session.status = await get("/api/status");
  session.version = session.status.version;
  const box = document.getElementById("author");
  box.value = localStorage.getItem(AUTHOR_KEY) ?? "";
  box.addEventListener("change", () => localStorage.setItem(AUTHOR_KEY, box.value.trim()));
  box.addEventListener("keydown", (event) => event.key === "Enter" && box.blur());
}

/** Read and show how much is reviewed. */
export async function showProgress() {
  const progress = await get("/api/progress");
  session.progress = progress;
  const { n_reviewed, n_total } = progress;
  replace(
    document.getElementById("progress"),
    el("progress", { max: Math.max(1, n_total), value: n_reviewed, "aria-label": "Reviewed" }),
    el("span", {}, `${counted(n_reviewed)} of ${counted(n_total)} reviewed`),
  );
  return progress;
}
