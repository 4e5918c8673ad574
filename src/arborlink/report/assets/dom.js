// Making elements. Text only ever becomes text nodes and attribute values; nothing here parses markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An HTML element: el("a", {href: "#/", class: "x", onclick: go}, "text", node, [more]). */
export function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** An SVG element, likewise. */
export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

/** Put children in place of what an element held. */
export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return parent;
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, String(value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(
    ...children
      .flat(Infinity)
      .filter((child) => child != null && child !== false)
      .map(asNode),
  );
  return node;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** 12345 as 12,345. */
export function counted(n) {
  return n.toLocaleString("en-GB");
}

/** counted(1, "mention") is "1 mention", counted(2, "entity", "entities") "2 entities". */
export function numbered(n, one, many = `${one}s`) {
  return `${counted(n)} ${n === 1 ? one : many}`;
}

/** An affinity in three digits, a dash where there is none. */
export function affinityText(value) {
  return value == null ? "–" : value.toFixed(3);
}

/** A text on one line, not longer than some number of characters, cut between words where that loses little. */
export function shortened(text, longest) {
  const line = text.replace(/\s+/g, " ").trim();
  const signs = [...line];
  if (signs.length <= longest) return line;
  const cut = signs.slice(0, longest - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${(space > 0.7 * cut.length ? cut.slice(0, space) : cut).trimEnd()}…`;
}
