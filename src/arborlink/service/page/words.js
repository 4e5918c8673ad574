// What changed, in words.

import { numbered } from "/assets/dom.js";

const KINDS = [
  ["merged", "merged into another"],
  ["split", "split off"],
  ["grown", "grown"],
  ["shrunk", "shrunk"],
  ["retired", "linked to a known entity or gone"],
  ["restored", "back again"],
  ["reopened", "proposed again"],
  ["born", "newly found"],
];

/** "5 mentions relinked, 1 discovery merged into another." */
export function changesTold({ n_relinked: relinked, counts }) {
  const parts = relinked ? [`${numbered(relinked, "mention")} relinked`] : [];
  for (const [kind, words] of KINDS) {
    const n = counts[kind];
    if (n) parts.push(`${numbered(n, "discovery", "discoveries")} ${words}`);
  }
  if (!parts.length) return "No mention moved.";
  return `${parts.join(", ")}.`;
}
