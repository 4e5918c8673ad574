// The report's data: unpacked, and the few look-ups that every view needs.

export const NO_PARENT = -2;
export const ENTITY_PARENT = -1;
export const RIGHT = 1;
export const WRONG = 2;
export const MISSED = 3;

/** Unpack base64 of gzip of JSON. */
export async function unpacked(base64) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot unpack the report; one of 2023 or later can.");
  }
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(base64)
    : Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A result as the views read it: columns by number, and what is derived from them. */
export class Model {
  constructor(data) {
    this.data = data;
    this.settings = data.settings;
    this.mentions = data.mentions;
    this.clusters = data.clusters;
    this.documents = data.documents;
    this.nMentions = data.mentions.id.length;
    this.nDocuments = data.documents.id.length;
    this.nClusters = data.clusters.name.length;
    this.hasTexts = data.documents.text !== null;
    this.hasGold = data.mentions.verdict !== undefined;
    this.first = new Int32Array(this.nDocuments + 1);
    this.document = new Int32Array(this.nMentions);
    this.members = Array.from({ length: this.nClusters }, () => []);
    this.#number();
  }

  #number() {
    let mention = 0;
    for (let document = 0; document < this.nDocuments; document += 1) {
      this.first[document] = mention;
      for (let i = 0; i < this.documents.n_mentions[document]; i += 1, mention += 1) {
        this.document[mention] = document;
        this.members[this.mentions.cluster[mention]].push(mention);
      }
    }
    this.first[this.nDocuments] = mention;
  }

  isNew(cluster) {
    return this.clusters.entity[cluster] === null;
  }

  /** What a mention says. */
  text(mention) {
    if (!this.hasTexts) return this.mentions.text[mention];
    const text = this.documents.text[this.document[mention]];
    return text.slice(this.mentions.start[mention], this.mentions.end[mention]);
  }

  /** The first line of a document as its title; its id where there is no text. */
  title(document) {
    const text = this.hasTexts ? this.documents.text[document].trimStart() : "";
    return text.split("\n", 1)[0].trim() || this.documents.id[document];
  }

  mentionsOf(document) {
    const [from, to] = [this.first[document], this.first[document + 1]];
    return Array.from({ length: to - from }, (_, i) => from + i);
  }

  nDocumentsOf(cluster) {
    return new Set(this.members[cluster].map((mention) => this.document[mention])).size;
  }

  /** From the first mention below the entity to this one. */
  path(mention) {
    const path = [mention];
    while (this.mentions.parent[path[0]] >= 0) path.unshift(this.mentions.parent[path[0]]);
    return path;
  }

  /** The mention of some whose edge is the weakest; -1 where none has an edge. */
  weakest(mentions) {
    let found = -1;
    for (const mention of mentions) {
      const affinity = this.mentions.affinity[mention];
      if (affinity !== null && (found < 0 || affinity < this.mentions.affinity[found])) found = mention;
    }
    return found;
  }

  /** The nearest known entity of a cluster by any of its mentions, as {name, affinity}; null if none is known. */
  nearest(cluster) {
    let best = null;
    for (const mention of this.members[cluster]) {
      const affinity = this.mentions.near_affinity[mention];
      if (affinity !== null && (best === null || affinity > best.affinity)) {
        best = { name: this.data.near_names[this.mentions.near[mention]], affinity };
      }
    }
    return best;
  }

  /** What the mentions of a cluster say, as [text, how many], the most frequent first. */
  forms(cluster) {
    const counts = new Map();
    for (const mention of this.members[cluster]) {
      const text = this.text(mention).replace(/\s+/g, " ");
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]);
  }
}

/** Numbers from 0 whose text holds every word of a query; all of them for an empty one. */
export function matching(n, textOf, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let i = 0; i < n; i += 1) {
    if (!words.length || holds(textOf(i), words)) found.push(i);
  }
  return found;
}

function holds(text, words) {
  return words.every((word) => text.includes(word));
}
