// Where the nodes of an arborescence stand: the root on the left, every node to the right of its parent.

export const ROW = 36;
export const HEIGHT = 26;
const MARGIN = 14;
const LOWEST = 2.5;
const LEAST_GROUP = 3;

/**
 * The nodes of a tree as they are drawn: children of each, like siblings put together, the strongest first.
 *
 * Leaves of one parent that say the same become one node, if there are three or more of them; the weakest edge of the
 * tree keeps a node of its own. A node is {members, parent, children, depth, affinity, least, text}; `members` are
 * numbers into `tree.nodes`, empty for the root.
 * @param {{root: object, nodes: object[]}} tree
 * @param {Set<number>} opened first members of groups that are to be drawn one by one
 */
export function grown(tree, opened) {
  const below = new Map();
  tree.nodes.forEach((node, number) => {
    const parent = node.parent ?? -1;
    if (!below.has(parent)) below.set(parent, []);
    below.get(parent).push(number);
  });
  const weakest = weakestOf(tree.nodes);
  const root = { members: [], parent: null, children: [], depth: 0, text: tree.root.name };
  const waiting = [[root, below.get(-1) ?? []]];
  while (waiting.length) {
    const [parent, numbers] = waiting.pop();
    for (const members of grouped(tree.nodes, numbers, below, weakest, opened)) {
      const node = drawnNode(tree.nodes, members, parent);
      parent.children.push(node);
      if (members.length === 1) waiting.push([node, below.get(members[0]) ?? []]);
    }
    parent.children.sort((a, b) => (b.affinity ?? 2) - (a.affinity ?? 2) || a.members[0] - b.members[0]);
  }
  return root;
}

/** The number of the node whose edge is the weakest, -1 in a tree with fewer than two edges. */
export function weakestOf(nodes) {
  let found = -1;
  let nEdges = 0;
  nodes.forEach((node, number) => {
    if (node.affinity == null) return;
    nEdges += 1;
    if (found < 0 || node.affinity < nodes[found].affinity) found = number;
  });
  return nEdges > 1 ? found : -1;
}

function grouped(nodes, numbers, below, weakest, opened) {
  const alike = new Map();
  for (const number of numbers) {
    const isAlone = below.has(number) || number === weakest;
    const key = isAlone ? number : nodes[number].text.toLowerCase();
    if (!alike.has(key)) alike.set(key, []);
    alike.get(key).push(number);
  }
  return [...alike.values()].flatMap((members) =>
    members.length < LEAST_GROUP || opened.has(members[0]) ? members.map((member) => [member]) : [members],
  );
}

function drawnNode(nodes, members, parent) {
  const affinities = members.map((member) => nodes[member].affinity).filter((value) => value != null);
  const affinity = affinities.length ? Math.max(...affinities) : null;
  const least = affinities.length ? Math.min(...affinities) : null;
  return { members, parent, children: [], depth: parent.depth + 1, text: nodes[members[0]].text, affinity, least };
}

/**
 * Give every node its place: x, y (its middle), width; rows past `maxRows` and nodes deeper than `maxDepth` are left out.
 * @param {object} root of `grown`
 * @param {(node: object) => number} widthOf how wide a node is
 * @param {(node: object) => number} gapOf how long the edge to it is, from left to right
 * @returns {{nodes: object[], width: number, height: number, nLeftOut: number}} nodes from top to bottom
 */
export function placed(root, widthOf, gapOf, maxRows, maxDepth) {
  const state = { nodes: [], rows: 0, maxRows, maxDepth, nLeftOut: 0 };
  place(root, state);
  for (const node of state.nodes) {
    const { parent } = node;
    node.width = widthOf(node);
    // parents stand before their children among the nodes, so theirs is known
    node.x = parent ? parent.x + parent.width + gapOf(node) : MARGIN;
  }
  const width = Math.max(...state.nodes.map((node) => node.x + node.width)) + MARGIN;
  return { nodes: state.nodes, width, height: state.rows * ROW + 2 * MARGIN, nLeftOut: state.nLeftOut };
}

/** Depth first, without recursion: a chain of a thousand mentions is as deep. */
function place(root, state) {
  const open = [{ node: root, next: 0, top: 0 }];
  state.nodes.push(root);
  while (open.length) {
    const last = open.at(-1);
    const { node } = last;
    if (last.next < node.children.length) {
      const child = node.children[last.next];
      last.next += 1;
      if (state.rows >= state.maxRows || child.depth > state.maxDepth) {
        state.nLeftOut += size(child);
        continue;
      }
      state.nodes.push(child);
      open.push({ node: child, next: 0, top: state.rows });
      continue;
    }
    settle(node, state);
    open.pop();
  }
}

function settle(node, state) {
  node.children = node.children.filter((child) => child.y !== undefined);
  if (!node.children.length) {
    node.y = MARGIN + (state.rows + 0.5) * ROW;
    state.rows += 1;
    return;
  }
  const [first, last] = [node.children[0].y, node.children.at(-1).y];
  // beside the middle of its children, but not so low that it is out of sight
  node.y = Math.min((first + last) / 2, first + LOWEST * ROW);
}

function size(top) {
  let n = 0;
  const waiting = [top];
  while (waiting.length) {
    const node = waiting.pop();
    n += node.members.length;
    waiting.push(...node.children);
  }
  return n;
}
