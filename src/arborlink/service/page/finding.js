// The two searches of the review: another discovery, a known entity.

import { el, numbered, shortened } from "/assets/dom.js";
import { get } from "./api.js";
import { openFinder } from "./finder.js";
import { typesOf } from "./nearest.js";

/** Find a discovery to merge with. @param {(other: object) => Promise<any>} onTake */
export function mergeFinder(proposal, onTake) {
  return openFinder({
    title: `Merge “${proposal.name}” with …`,
    label: "Search discoveries by name",
    nothing: "No other discovery has such a name.",
    find: async (search) => {
      const { items } = await get("/api/proposals", { state: "all", search: search || guess(proposal), per_page: 20 });
      const others = items.filter(({ id }) => id !== proposal.id);
      if (others.length || search) return others;
      const all = await get("/api/proposals", { state: "all", per_page: 20 });
      return all.items.filter(({ id }) => id !== proposal.id);
    },
    row: ({ name, n_mentions, n_documents, state }) => [
      el("strong", {}, shortened(name, 80)),
      el(
        "span",
        { class: "quiet" },
        `${numbered(n_mentions, "mention")} in ${numbered(n_documents, "document")}${state === "open" ? "" : ` · ${state}`}`,
      ),
    ],
    onTake,
  });
}

/** The longest word of the name: what is like it is what one looks for first. */
function guess({ name }) {
  return name.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), "");
}

/** Find the known entity that a proposal is. @param {(entity: object) => Promise<any>} onTake */
export function linkFinder(proposal, onTake) {
  return openFinder({
    title: `“${proposal.name}” is …`,
    label: "Search the knowledge base by name",
    nothing: "No entity of the knowledge base has such a name.",
    find: async (search) => (await get("/api/entities", { search: search || guess(proposal), limit: 20 })).items,
    // two entities may have one name: the id tells them apart
    row: (entity) => [
      el("strong", {}, shortened(entity.name, 80)),
      entity.matched &&
        entity.matched !== entity.name &&
        el("span", { class: "quiet" }, `also “${shortened(entity.matched, 60)}”`),
      el(
        "span",
        { class: "quiet" },
        entity.is_promoted ? "promoted · " : "",
        `${numbered(entity.n_mentions, "mention")} · ${entity.id}`,
      ),
      typesOf(entity),
      entity.description && el("span", { class: "about" }, shortened(entity.description, 140)),
    ],
    onTake,
  });
}
