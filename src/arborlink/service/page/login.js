// The token of a server that asks for one: typed once, or brought by the address as #token=…

import { el } from "/assets/dom.js";
import { openDialog } from "./dialog.js";

let asking = null;

/** Resolves when the server has taken a token; what was on the page stays as it is meanwhile. */
export function askForToken() {
  asking ??= ask().finally(() => (asking = null));
  return asking;
}

/** Take the token out of the address, where a link brought one. */
export async function takeTokenFromAddress() {
  const brought = new URLSearchParams(location.hash.slice(1)).get("token");
  if (brought === null) return;
  history.replaceState(null, "", `${location.pathname}#/`);
  await login(brought);
}

async function login(token) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch("/api/login", { method: "POST", headers, body: JSON.stringify({ token }) }).catch(
    () => null,
  );
  if (response?.ok) return null;
  if (response === null) return "The server does not answer; try again.";
  return response.status === 401 ? "This is not the token." : `The server answered ${response.status}.`;
}

function ask() {
  return new Promise((resolve) => {
    const problem = el("p", { class: "problem", role: "alert" });
    const token = el("input", {
      type: "password",
      id: "token",
      autocomplete: "current-password",
      required: true,
      autofocus: true,
    });
    const form = el(
      "form",
      { method: "dialog" },
      el("p", {}, "This workspace is open to those who know its token. Whoever started the server can tell you."),
      el("label", { for: "token" }, "Token"),
      token,
      problem,
      el("p", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Log in ", el("kbd", {}, "Enter"))),
    );
    const dialog = openDialog("Log in", form, { stays: true });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.textContent = (await login(token.value)) ?? "";
      if (problem.textContent) return token.select();
      dialog.close();
      resolve();
    });
  });
}
