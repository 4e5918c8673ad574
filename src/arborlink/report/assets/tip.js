// One small window beside what the pointer or the keyboard is on.

import { el, replace } from "./dom.js";

const TIP_GAP = 8;
let shown = null;

function box() {
  let found = document.getElementById("tip");
  if (!found) {
    found = el("div", { id: "tip", class: "tip", role: "tooltip", hidden: true });
    document.body.append(found);
    // focus scrolls what it goes to into sight: the tip goes along
    addEventListener("scroll", () => shown && placeTip(found, shown), { passive: true, capture: true });
    addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
  }
  return found;
}

/** Show nodes beside an element, inside the window. */
export function showTip(anchor, ...content) {
  const tip = replace(box(), ...content);
  tip.hidden = false;
  placeTip(tip, anchor);
  shown?.removeAttribute("aria-describedby");
  shown = anchor;
  anchor.setAttribute("aria-describedby", "tip");
}

function placeTip(tip, anchor) {
  const place = anchor.getBoundingClientRect();
  const below = place.bottom + TIP_GAP + tip.offsetHeight <= innerHeight || place.top < tip.offsetHeight + TIP_GAP;
  const top = below ? place.bottom + TIP_GAP : place.top - TIP_GAP - tip.offsetHeight;
  const left = Math.min(place.left, innerWidth - tip.offsetWidth - TIP_GAP);
  tip.style.setProperty("left", `${Math.max(TIP_GAP, left)}px`);
  tip.style.setProperty("top", `${Math.max(TIP_GAP, Math.min(top, innerHeight - tip.offsetHeight - TIP_GAP))}px`);
}

/** Take it away. */
export function hideTip() {
  const tip = document.getElementById("tip");
  if (tip) tip.hidden = true;
  shown?.removeAttribute("aria-describedby");
  shown = null;
}

/** Give an element a tip, made when it is pointed at or focused. */
export function withTip(element, content) {
  const show = () => showTip(element, ...content());
  element.addEventListener("pointerenter", show);
  element.addEventListener("focus", show);
  element.addEventListener("pointerleave", hideTip);
  element.addEventListener("blur", hideTip);
  return element;
}
