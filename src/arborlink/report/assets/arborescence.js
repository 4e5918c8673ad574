// The arborescence of a cluster as a drawing: the entity at the root, mentions hanging from what they are nearest to.

import { affinityText, el, numbered, shortened, svg } from "./dom.js";
import { HEIGHT, grown, placed, weakestOf } from "./arborescence-layout.js";

const LONGEST = 34;
const PADDING = 12;
const LEAST_GAP = 44;
const BEND_ROOM = 34;

/**
 * Draw the tree of a cluster. Widths of edges grow with affinity; the weakest edge, the bottleneck, is marked.
 * One node is in the tab order; arrow keys go up, down, to the parent and to the first child; Enter opens.
 *
 * @param {object} tree
 * @param {{name: string, isNew: boolean}} tree.root the entity; `isNew` where it was discovered
 * @param {{text: string, parent: number|null, affinity: number|null, class?: string}[]} tree.nodes the mentions;
 *   `parent` is a number into `nodes`, or null below the entity
 * @param {object} [options]
 * @param {(numbers: number[], element: Element) => void} [options.onShow] a node is pointed at or focused; the numbers
 *   of the mentions it stands for, none for the root
 * @param {() => void} [options.onHide] it is so no longer
 * @param {(number: number) => void} [options.onOpen] a mention is chosen
 * @param {[number, number]} [options.domain] affinities of the thinnest and the thickest edge
 * @param {number} [options.maxRows] rows to draw, at most
 * @param {number} [options.maxDepth] steps from the entity to draw, at most
 * @param {number} [options.start] the mention that is in the tab order first
 * @returns {HTMLElement & {nLeftOut: number}} mentions that the rows had no room for
 */
export function drawArborescence(tree, options = {}) {
  const frame = el("div", { class: "arborescence" });
  const opened = new Set();
  const redraw = () => {
    const drawing = new Drawing(tree, options, opened, redraw);
    frame.replaceChildren(drawing.picture);
    frame.nLeftOut = drawing.layout.nLeftOut;
    return drawing;
  };
  redraw();
  return frame;
}

class Drawing {
  constructor(tree, options, opened, redraw) {
    Object.assign(this, { tree, options, opened, redraw });
    this.weakest = weakestOf(tree.nodes);
    this.layout = placed(
      grown(tree, opened),
      (node) => textWidth(this.label(node), 13) + 2 * PADDING,
      (node) => Math.max(LEAST_GAP, textWidth(this.edgeLabel(node), 11) + BEND_ROOM),
      options.maxRows ?? 200,
      options.maxDepth ?? 30,
    );
    this.domain = options.domain ?? domainOf(tree.nodes);
    this.elements = new Map();
    this.edges = new Map();
    this.picture = this.draw();
  }

  draw() {
    const { nodes, width, height } = this.layout;
    const hung = nodes.filter((node) => node.parent);
    const lines = hung.map((node) => this.line(node));
    const labels = hung.map((node) => this.affinityLabel(node));
    const drawn = nodes.map((node) => this.node(node));
    const name = `Arborescence of ${this.tree.root.name}, ${numbered(this.tree.nodes.length, "mention")}`;
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    const picture = svg("svg", { ...size, role: "tree", "aria-label": name }, lines, labels, drawn);
    const start = nodes.find((node) => node.members.includes(this.options.start)) ?? nodes[0];
    this.elements.get(start).setAttribute("tabindex", "0");
    if (start !== nodes[0]) this.elements.get(start).classList.add("asked");
    return picture;
  }

  label(node) {
    const text = shortened(node.text, LONGEST);
    return node.members.length > 1 ? `${text} × ${node.members.length}` : text;
  }

  isWeakest(node) {
    return this.weakest >= 0 && node.members[0] === this.weakest;
  }

  line(node) {
    const { parent } = node;
    const [x0, y0, x1, y1] = [parent.x + parent.width, parent.y, node.x, node.y];
    const bend = x0 + (x1 - x0) * 0.45;
    const line = svg("path", {
      class: this.edgeClass(node),
      d: `M${x0} ${y0}C${bend} ${y0} ${bend} ${y1} ${x1} ${y1}`,
      "stroke-width": this.strokeWidth(node.affinity),
    });
    this.edges.set(node, [line]);
    return line;
  }

  edgeClass(node) {
    return `edge${this.isWeakest(node) ? " bottleneck" : ""}${node.affinity === null ? " unmeasured" : ""}`;
  }

  /** The affinity at the end of an edge, on the side that the edge does not come from; above all lines. */
  affinityLabel(node) {
    if (node.affinity === null) return null;
    const isFromAbove = node.parent.y < node.y;
    const y = node.y + (isFromAbove ? 16 : -8);
    const place = { x: node.x - 8, y, "text-anchor": "end" };
    const label = svg("text", { ...place, class: this.edgeClass(node), "aria-hidden": "true" }, this.edgeLabel(node));
    this.edges.get(node).push(label);
    return label;
  }

  edgeLabel(node) {
    if (node.affinity == null) return "";
    return `${this.isWeakest(node) ? "bottleneck " : ""}${rangeText(node)}`;
  }

  strokeWidth(affinity) {
    if (affinity === null) return 1.5;
    const [low, high] = this.domain;
    const share = high > low ? (affinity - low) / (high - low) : 1;
    return (1 + 6 * Math.min(1, Math.max(0, share))).toFixed(2);
  }

  node(node) {
    const isRoot = node.parent === null;
    const kind = isRoot ? `root${this.tree.root.isNew ? " new" : ""}` : "mention";
    const extra = node.members.length === 1 ? (this.tree.nodes[node.members[0]].class ?? "") : "";
    const group = node.members.length > 1 ? " group" : "";
    const [x, y] = [node.x, node.y - HEIGHT / 2];
    const element = svg(
      "g",
      {
        class: `node ${kind}${group} ${extra}`.trimEnd(),
        role: "treeitem",
        tabindex: "-1",
        "aria-level": node.depth + 1,
        "aria-label": this.spoken(node),
      },
      svg("rect", { x, y, width: node.width, height: HEIGHT, rx: isRoot ? 6 : HEIGHT / 2 }),
      svg("text", { x: x + node.width / 2, y: node.y + 4.5, "text-anchor": "middle" }, this.label(node)),
    );
    this.elements.set(node, element);
    this.listen(node, element);
    return element;
  }

  spoken(node) {
    if (!node.parent) return `${this.tree.root.isNew ? "Discovered entity" : "Entity"} ${node.text}`;
    const many = node.members.length > 1 ? `, ${node.members.length} times; Enter shows each` : "";
    const edge = node.affinity === null ? "" : `, affinity ${rangeText(node)} to ${node.parent.text}`;
    return `${node.text}${many}${edge}${this.isWeakest(node) ? ", the bottleneck" : ""}`;
  }

  listen(node, element) {
    const show = () => {
      this.light(node);
      this.options.onShow?.(node.members, element);
    };
    const hide = () => {
      this.light(null);
      this.options.onHide?.();
    };
    element.addEventListener("pointerenter", show);
    element.addEventListener("pointerleave", hide);
    element.addEventListener("focus", show);
    element.addEventListener("blur", hide);
    element.addEventListener("click", () => this.open(node));
    element.addEventListener("keydown", (event) => this.key(event, node));
  }

  open(node) {
    if (node.members.length > 1) {
      this.opened.add(node.members[0]);
      this.options.onHide?.();
      const next = this.redraw();
      const first = next.layout.nodes.find((each) => each.members[0] === node.members[0]);
      if (first) next.focus(first);
    } else if (node.members.length) this.options.onOpen?.(node.members[0]);
  }

  key(event, node) {
    const { nodes } = this.layout;
    const at = nodes.indexOf(node);
    const ways = {
      ArrowUp: nodes[at - 1],
      ArrowDown: nodes[at + 1],
      ArrowLeft: node.parent,
      ArrowRight: node.children[0],
      Home: nodes[0],
      End: nodes.at(-1),
    };
    if (event.key === "Enter" || event.key === " ") this.open(node);
    else if (ways[event.key]) this.focus(ways[event.key]);
    else return;
    event.preventDefault();
  }

  focus(node) {
    for (const element of this.elements.values()) element.setAttribute("tabindex", "-1");
    const element = this.elements.get(node);
    element.setAttribute("tabindex", "0");
    element.focus({ preventScroll: false });
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Bring out the path from the entity to a node, and the weakest edge on it. */
  light(node) {
    const path = [];
    for (let each = node; each?.parent; each = each.parent) path.push(each);
    const measured = path.filter((each) => each.affinity !== null);
    const least = measured.reduce((a, b) => (a && a.least <= b.least ? a : b), null);
    this.picture.classList.toggle("lit", path.length > 0);
    for (const [each, parts] of this.edges) {
      for (const part of parts) {
        part.classList.toggle("on", path.includes(each));
        part.classList.toggle("weakest", measured.length > 1 && each === least);
      }
    }
    for (const [each, element] of this.elements) {
      element.classList.toggle("on", path.includes(each) || (path.length > 0 && !each.parent));
    }
  }
}

function rangeText(node) {
  const [low, high] = [affinityText(node.least), affinityText(node.affinity)];
  return low === high ? high : `${low} to ${high}`;
}

function domainOf(nodes) {
  const known = nodes.map((node) => node.affinity).filter((value) => value != null);
  return known.length ? [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))] : [0, 1];
}

let measuring = null;

function textWidth(text, size) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px system-ui, sans-serif`;
  return Math.ceil(measuring.measureText(text).width);
}
