// Checks a query without words while it is typed: the server counts its threads or names the mistake;
// then its live list is opened. Outdated answers are dropped.

import { mistakeOf } from "./text.js";

const WAIT_MS = 400;

export class QueryCheck {
  state = "none"; // none, asking, done, wrong, failed
  total = null; // also null if counting takes too long
  /** @type {QueryMistake | null} */
  mistake = null;
  error = null;
  #run = 0;
  #timer = null;

  // ask(text) → {total}; right(text, isTyped) is called for a query without mistakes.
  /** @param {QueryCheckOptions} options */
  constructor({ ask, right, changed, timers = globalThis }) {
    this.ask = ask;
    this.right = right;
    this.changed = changed;
    this.timers = timers;
  }

  /** @param {string} text */
  type(text) {
    this.#begin();
    this.#timer = this.timers.setTimeout(() => this.#look(text, true), WAIT_MS);
  }

  // Checks at once. Resolves to whether the query is right.
  /** @param {string} text @param {boolean} isTyped */
  look(text, isTyped = false) {
    this.#begin();
    return this.#look(text, isTyped);
  }

  stop() {
    this.#begin();
    this.state = "none";
    this.mistake = null;
  }

  // A shown mistake stays until the next answer, unless it is already gone.
  #begin() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
    this.state = "asking";
    this.mistake = null;
    this.changed();
  }

  async #look(text, isTyped) {
    const run = this.#run;
    let answer = null;
    let problem = null;
    try {
      answer = await this.ask(text);
    } catch (error) {
      problem = error;
    }
    if (run !== this.#run) return false;
    this.error = problem;
    this.mistake = mistakeOf(problem?.body, text);
    this.total = answer?.total ?? null;
    this.state = "done";
    if (problem) this.state = this.mistake ? "wrong" : "failed";
    this.changed();
    if (answer) this.right(text, isTyped);
    return answer !== null;
  }
}
