// The one door to /api: JSON in, JSON out; waits while the server is away, asks for the token where one is needed.

import { answered, untilBack, untilLess } from "./connection.js";
import { askForToken } from "./login.js";

/** What the server refused, and why. */
export class Refusal extends Error {
  constructor(status, told) {
    super(told?.message ?? `The server answered ${status}.`);
    Object.assign(this, {
      status,
      code: told?.code ?? "refused",
      changes: told?.changes ?? [],
      now: told?.now ?? null,
    });
  }

  get isConflict() {
    return this.status === 409 && this.code === "conflict";
  }

  get isGone() {
    return this.status === 404 || this.status === 410;
  }
}

/** Read something: get("/api/proposals", {search: "x"}); what is null or empty is not asked for. */
export function get(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(given).toString();
  return request(query ? `${path}?${query}` : path, {});
}

/** Change something; `what` names it in words, for the time the server is away. */
export function post(path, body, what) {
  const headers = { "Content-Type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body) }, what);
}

/** A path whose last parts are ids: at("/api/proposals", id). */
export function at(path, ...ids) {
  return [path, ...ids.map(encodeURIComponent)].join("/");
}

async function request(path, options, what) {
  for (;;) {
    const response = await fetch(path, options).catch((error) => {
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (response === null) await untilBack(what);
    else if (response.headers.has("Retry-After")) await untilLess(response, what);
    else if (response.status === 401) await askForToken();
    else return read(response);
  }
}

async function read(response) {
  answered();
  const body = response.status === 204 ? null : await response.json().catch(() => null);
  if (response.ok) return body;
  throw new Refusal(response.status, body?.error);
}
