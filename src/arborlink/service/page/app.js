// The page: starts, shows the view that the address names, asks now and then what others changed.

import { el, replace } from "/assets/dom.js";
import { hideTip } from "/assets/tip.js";
import { get } from "./api.js";
import { decisionsView } from "./decisions.js";
import { documentView } from "./document.js";
import { documentsView } from "./documents.js";
import { closeDialogs } from "./dialog.js";
import { openHelp } from "./help.js";
import { bindAlways, bindView } from "./keys.js";
import { takeTokenFromAddress } from "./login.js";
import { tell } from "./notices.js";
import { Review } from "./review.js";
import { session, showProgress, startSession } from "./session.js";

const ASK_EVERY = 4_000;
const TABS = [
  ["#/review", "Review", ["", "review"], "g"],
  ["#/documents", "Documents", ["documents", "document"], "d"],
  ["#/decisions", "Decisions", ["decisions"], "h"],
];
const place = document.getElementById("view");
let review = null;
let shown = null;

async function start() {
  await takeTokenFromAddress();
  await startSession();
  bindAlways([
    ...TABS.map(([href, words, , key]) => ({
      keys: [key],
      told: words,
      group: "Go to",
      run: () => (location.hash = href),
    })),
    { keys: ["?"], told: "These keys", group: "Page", run: openHelp },
  ]);
  document.getElementById("help").addEventListener("click", openHelp);
  addEventListener("hashchange", () => route());
  addEventListener("unhandledrejection", ({ reason }) =>
    tell("This went wrong.", { detail: reason?.message, bad: true }),
  );
  addEventListener("beforeunload", (event) => review?.isBusy && event.preventDefault());
  showProgress();
  await route();
  setTimeout(askForChanges, ASK_EVERY);
}

async function route() {
  if (location.hash === "#content") return document.getElementById("content")?.focus();
  hideTip();
  closeDialogs();
  delete place.dataset.ready;
  const [, name = "", ...ids] = (location.hash || "#/").split("/").map(decoded);
  const view = viewOf(name, ids);
  shown = view;
  replace(
    document.getElementById("tabs"),
    TABS.map((tab) => tabLink(tab, name)),
  );
  bindView(view.bindings);
  if (!place.contains(view.element)) replace(place, view.element);
  await view.show(...ids);
  if (shown === view) place.dataset.ready = name || "review";
}

function viewOf(name) {
  if (name === "documents") return documentsView();
  if (name === "document") return documentView();
  if (name === "decisions") return decisionsView();
  // kept: the queue comes back as it was left
  review ??= new Review();
  return review;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function tabLink([href, words, names, key], name) {
  const attributes = { href, "aria-current": names.includes(name) ? "page" : null, "aria-keyshortcuts": key };
  return el("a", attributes, words, " ", el("kbd", {}, key.toUpperCase()));
}

async function askForChanges() {
  // a refusal is told where somebody asked for something; this one comes again by itself
  const changes = document.hidden ? null : await get("/api/changes", { since: session.version }).catch(() => null);
  if (changes && changes.version > session.version) {
    session.version = changes.version;
    showProgress();
    shown?.onChanges?.(changes);
  }
  setTimeout(askForChanges, ASK_EVERY);
}

start().catch((error) => {
  replace(place, el("p", { class: "waiting", role: "alert" }, `The page cannot be shown: ${error.message}`));
  throw error;
});
