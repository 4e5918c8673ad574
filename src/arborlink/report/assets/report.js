// The report: unpacks the data, and shows the view that the address names.

import { Model, unpacked } from "./data.js";
import { documentList } from "./document-list.js";
import { documentView } from "./document-view.js";
import { el, replace } from "./dom.js";
import { entityList } from "./entity-list.js";
import { entityView } from "./entity-view.js";
import { overview } from "./overview.js";
import { hideTip } from "./tip.js";

const TABS = [
  ["#/", "Overview", ["", "overview"]],
  ["#/entities", "Entities", ["entities", "entity"]],
  ["#/documents", "Documents", ["documents", "document"]],
];
const content = document.getElementById("content");
const places = new Map();
let address = "";

async function start() {
  try {
    const block = document.getElementById("data");
    const model = new Model(await unpacked(block.textContent));
    block.remove();
    addEventListener("hashchange", () => route(model));
    addEventListener("keydown", (event) => shortcut(event));
    route(model);
  } catch (error) {
    replace(content, el("p", { class: "empty", role: "alert" }, `The report cannot be shown: ${error.message}`));
    throw error;
  }
}

function route(model) {
  if (location.hash === "#content") return;
  hideTip();
  places.set(address, scrollY);
  const isFirst = address === "";
  address = location.hash || "#/";
  const [, name = "", ...numbers] = address.split("/");
  const view = viewOf(model, name, numbers.map(Number)) ?? nowhere();
  replace(content, view);
  replace(
    document.getElementById("tabs"),
    TABS.map((tab) => tabLink(tab, name)),
  );
  document.title = [content.querySelector("h1")?.textContent, model.data.title].filter(Boolean).join(" · ");
  if (!isFirst) content.focus({ preventScroll: true });
  scrollTo(0, ["entities", "documents"].includes(name) ? (places.get(address) ?? 0) : 0);
  view.afterwards?.();
  content.dataset.ready = address;
}

function viewOf(model, name, [number, asked]) {
  const isOf = (n) => Number.isInteger(number) && number >= 0 && number < n;
  if (name === "") return overview(model);
  if (name === "entities") return entityList(model);
  if (name === "documents") return documentList(model);
  if (name === "entity" && isOf(model.nClusters)) return entityView(model, number, asked);
  if (name === "document" && isOf(model.nDocuments)) return documentView(model, number, asked);
  return null;
}

function nowhere() {
  return el(
    "div",
    {},
    el("h1", {}, "Nothing here"),
    el("p", { class: "empty" }, "The report has no such page. ", el("a", { href: "#/" }, "To the overview")),
  );
}

function tabLink([href, words, names], name) {
  return el("a", { href, "aria-current": names.includes(name) ? "page" : null }, words);
}

/** "/" goes to the search box, n and p to the next and the previous document or entity. */
function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea")) return;
  const found = {
    "/": () => content.querySelector("input[type=search]"),
    n: () => content.querySelector("a[rel=next]"),
    p: () => content.querySelector("a[rel=prev]"),
  }[event.key]?.();
  if (!found) return;
  event.preventDefault();
  if (event.key === "/") found.focus();
  else found.click();
}

start();
