// What is proposed while a query is typed: at once from what the page knows, then from the server.
// Values that the server proposed are remembered, so that completion goes on without a connection.

import { suggest } from "./suggest.js";
import {
  BLANKS, charactersBefore, FIELDS, isBlank, lower, placeOf, plainValue, typed,
} from "./text.js";

// A text whose last character begins something.
const BEGUN = new RegExp(`[^${BLANKS}(-]$`);
const WAIT_MS = 120;
const REMEMBERED_MAX = 200; // values of a field

export class Completion {
  /** @type {Suggestion[]} */
  suggestions = [];
  active = -1; // none: Enter does what it does without suggestions
  /** @type {Record<string, string[]>} */
  #known = {};
  #run = 0;
  #timer = null;

  /** @param {CompletionOptions} options */
  constructor({ ask, changed, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.timers = timers;
  }

  get shown() { return this.suggestions.length > 0; }

  // A text was typed, or the cursor moved. all: also where nothing is begun.
  /** @param {string} text @param {number} at */
  look(text, at, { all = false } = {}) {
    this.#stop();
    const isBegun = all || BEGUN.test(text.slice(0, at));
    this.#show(isBegun ? fresh(text, suggest(text, at, this.#known)) : []);
    if (isBegun) this.#timer = this.timers.setTimeout(() => this.#fetch(text, at), WAIT_MS);
  }

  close() {
    this.#stop();
    this.#show([]);
  }

  // After the last comes the first, and between them none.
  /** @param {number} step */
  step(step) {
    const places = this.suggestions.length + 1;
    this.active = ((this.active + 1 + step + places) % places) - 1;
    this.changed();
  }

  // The text with a suggestion in its place, and where the cursor goes on.
  /** @param {string} text @param {number} index @returns {{text: string, at: number}} */
  taken(text, index) {
    const { text: taken, from, to, kind } = this.suggestions[index];
    this.#remember(text.slice(0, from), { text: taken, kind });
    const behind = taken === "or" && !isBlank(text.charAt(to)) ? " " : "";
    const before = text.slice(0, from) + taken + behind;
    return { text: before + text.slice(to), at: before.length };
  }

  // Values of a field that occur: from the server, or those that are known where it cannot be reached.
  /** @param {string} field @returns {Promise<string[]>} */
  async valuesOf(field) {
    const text = `${field}:`;
    const answer = await this.#answer(text, text.length);
    const found = answer ?? suggest(text, text.length, this.#known);
    return found.filter(({ kind }) => kind === "value").map(({ text: value }) => value);
  }

  #stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
  }

  #show(suggestions) {
    this.suggestions = suggestions;
    this.active = -1;
    this.changed();
  }

  async #fetch(text, at) {
    const run = this.#run;
    const found = await this.#answer(text, at);
    if (run !== this.#run || !found) return;
    const chosen = this.suggestions[this.active]?.text;
    this.suggestions = fresh(text, found);
    this.active = this.suggestions.findIndex((one) => one.text === chosen);
    this.changed();
  }

  // null where there is no answer
  async #answer(text, at) {
    try {
      const { suggestions } = await this.ask(text, charactersBefore(text, at));
      const found = suggestions.map((one) => ({
        ...one, from: placeOf(text, one.from), to: placeOf(text, one.to),
      }));
      for (const one of found) this.#remember(text.slice(0, one.from), one);
      return found;
    } catch {
      return null;
    }
  }

  // before: the text up to the value, which ends with the field's name
  #remember(before, { text, kind }) {
    const name = lower(/([A-Za-z]+):[^:]*$/.exec(typed(before))?.[1] ?? "");
    const field = FIELDS[name];
    const value = plainValue(text);
    if (kind !== "value" || !["admin", "name", "tag", "language"].includes(field?.kind)) return;
    if (field.words.includes(value)) return;
    const known = (this.#known[name] ?? []).filter((one) => one !== value);
    this.#known[name] = [...known, value].slice(-REMEMBERED_MAX);
  }
}

// Those that would change something.
/** @param {string} text @param {Suggestion[]} suggestions */
const fresh = (text, suggestions) => suggestions.filter(
  (one) => lower(text.slice(one.from, one.to)) !== lower(one.text),
);
