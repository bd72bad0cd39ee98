/** Returns what a call answered, and whether it is refused for good. Throws Unavailable.
 * @template Data, Refusal
 * @param {Promise<{data?: Data, error?: Refusal, response: Response}>} call
 * @returns {Promise<{data?: Data, error?: Refusal, status: number}>} */
export function answered<Data, Refusal>(call: Promise<{
    data?: Data;
    error?: Refusal;
    response: Response;
}>): Promise<{
    data?: Data;
    error?: Refusal;
    status: number;
}>;
/** @typedef {import("../src/schema.js").paths} paths */
/** @typedef {import("openapi-fetch").Client<paths>} Lineup */
/** A call that had no answer, or one that may change: call again later. */
export class Unavailable extends Error {
    /** @param {string} detail @param {number} retryAfterMs the time that Lineup asks to wait, or 0
     * @param {number} status that of the answer, or 0 */
    constructor(detail: string, retryAfterMs?: number, status?: number);
    retryAfterMs: number;
    status: number;
}
/** Answers that stay the same, however often a call is repeated. */
export const FINAL: Set<number>;
export function lineup(url: string, key: string, { fetch, answerMs }?: {
    fetch?: typeof globalThis.fetch;
    answerMs?: number;
}): Lineup;
export type paths = import("../src/schema.js").paths;
export type Lineup = import("openapi-fetch").Client<paths>;
