// The bot API, with types of its OpenAPI document.

import createClient from "openapi-fetch";

/** @typedef {import("./schema.js").paths} paths */
/** @typedef {import("openapi-fetch").Client<paths>} Lineup */

/** A call that had no answer, or one that may change: call again later. */
export class Unavailable extends Error {
  /** @param {string} detail @param {number} retryAfterMs the time that Lineup asks to wait, or 0
   * @param {number} status that of the answer, or 0 */
  constructor(detail, retryAfterMs = 0, status = 0) {
    super(detail);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** Answers that stay the same, however often a call is repeated. */
export const FINAL = new Set([400, 404, 405, 409, 410, 413, 415, 422]);

// A call without an answer for so long is tried again; by itself Node would wait for 5 minutes.
const ANSWER_MS = 20_000;

/** Returns a client of the bot API: `lineup(…).GET("/threads/{thread}", …)` gives `{data, error, response}`.
 * @param {string} url @param {string} key @param {{fetch?: typeof globalThis.fetch, answerMs?: number}} given @returns {Lineup} */
export const lineup = (url, key, { fetch = globalThis.fetch, answerMs = ANSWER_MS } = {}) => createClient({
  baseUrl: `${url.replace(/\/+$/, "")}/api/v1`, headers: { Authorization: `Bearer ${key}` },
  // The request has the caller's signal, if one was given.
  fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(answerMs)]) }),
});

/** Returns what a call answered, and whether it is refused for good. Throws Unavailable.
 * @template Data, Refusal
 * @param {Promise<{data?: Data, error?: Refusal, response: Response}>} call
 * @returns {Promise<{data?: Data, error?: Refusal, status: number}>} */
export async function answered(call) {
  const { data, error, response } = await call.catch((/** @type {unknown} */ reason) => { throw new Unavailable(String(reason)); });
  // Refusals that are not Lineup's but those of a proxy may change, except for what is too large.
  const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
  const isOfLineup = isProblem || /** @type {{results?: unknown} | undefined} */ (error)?.results || response.status === 413;
  if (!response.ok && !(isOfLineup && FINAL.has(response.status))) {
    const waitMs = 1000 * (Number(response.headers.get("Retry-After")) || 0);
    throw new Unavailable(`${response.url}: ${response.status}`, waitMs, response.status);
  }
  return { data, error, status: response.status };
}
