// The suggestions while a query is typed, which come from the server. Before it answers, and without a
// connection, earlier suggestions for the same field are shown.

import { FIELDS } from "./fields.js";
import { BLANKS, charactersBefore, isBlank, lower, placeOf, plainValue, typed } from "./text.js";

// A text that ends with the beginning of something.
const BEGUN = new RegExp(`[^${BLANKS}(-]$`);
const VALUE = `[^${BLANKS},()"]`;
// The last term of a text: its field, the complete values, and the begun value.
const TERM = new RegExp(
  `(?:^|[${BLANKS}(])-?(?:([A-Za-z]+):((?:(?:${VALUE}|"(?:[^"\\\\]|\\\\.)*")*,)*))?("(?:[^"\\\\]|\\\\.)*"?|${VALUE}*)$`,
);
const REST = new RegExp(`^${VALUE}*`);
const WAIT_MS = 120;
const REMEMBERED_MAX = 200; // suggestions of a field

export class Completion {
  /** @type {Suggestion[]} */
  suggestions = [];
  active = -1; // -1: none is active, and Enter works as without suggestions
  isAwaited = false; // an answer is awaited, and nothing is shown yet
  ahead = 0; // steps taken while the answer is awaited
  /** @type {(() => void) | null} */
  #then = null;
  /** @type {Map<string, Map<string, Suggestion>>} field, or "" for the fields → text → suggestion */
  #known = new Map();
  #run = 0;
  #timer = null;

  // ask(text, at) asks the server; at: characters before the cursor.
  /** @param {CompletionOptions} options */
  constructor({ ask, changed, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.timers = timers;
  }

  get shown() { return this.suggestions.length > 0; }

  // The text or the cursor has changed. all: suggest also where nothing is begun.
  /** @param {string} text @param {number} at */
  look(text, at, { all = false } = {}) {
    this.#stop();
    const isBegun = all || BEGUN.test(text.slice(0, at));
    this.#show(isBegun ? fresh(text, this.#before(text, at)) : []);
    this.isAwaited = isBegun && !this.shown;
    if (isBegun) this.#timer = this.timers.setTimeout(() => this.#fetch(text, at), all ? 0 : WAIT_MS);
  }

  close() {
    this.#stop();
    this.#show([]);
  }

  // Steps through the suggestions: after the last one comes none, then the first. While an answer is
  // awaited, steps are taken when it has come.
  /** @param {number} step */
  step(step) {
    if (this.isAwaited) this.ahead += step;
    const places = this.suggestions.length + 1;
    this.active = ((this.active + 1 + step + places) % places) - 1;
    this.changed();
  }

  // Calls run() after the answer, unless something else is typed before.
  /** @param {() => void} run */
  afterAnswer(run) { this.#then = run; }

  // Returns the text with a suggestion inserted, and the new place of the cursor.
  /** @param {string} text @param {number} index @returns {{text: string, at: number}} */
  taken(text, index) {
    const { text: taken, from, to } = this.suggestions[index];
    const behind = taken === "or" && !isBlank(text.charAt(to)) ? " " : "";
    const before = text.slice(0, from) + taken + behind;
    return { text: before + text.slice(to), at: before.length };
  }

  // Resolves to values of a field: from the server, or the known ones if it is out of reach.
  /** @param {string} field @returns {Promise<string[]>} */
  async valuesOf(field) {
    const text = `${field}:`;
    const found = await this.#answer(text, text.length) ?? this.#before(text, text.length);
    return found.filter(({ kind }) => kind === "value").map(({ text: value }) => value);
  }

  #stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
    Object.assign(this, { isAwaited: false, ahead: 0 });
    this.#then = null;
  }

  #show(suggestions) {
    this.suggestions = suggestions;
    this.active = -1;
    this.changed();
  }

  async #fetch(text, at) {
    const run = this.#run;
    const found = await this.#answer(text, at);
    if (run !== this.#run) return;
    this.isAwaited = false;
    if (found) {
      const chosen = this.suggestions[this.active]?.text;
      this.suggestions = fresh(text, found);
      this.active = this.suggestions.findIndex((one) => one.text === chosen);
      this.step(this.ahead);
    }
    this.#then?.();
  }

  // Resolves to null without an answer.
  async #answer(text, at) {
    try {
      const { suggestions } = await this.ask(text, charactersBefore(text, at));
      const found = suggestions.map((one) => ({
        ...one, from: placeOf(text, one.from), to: placeOf(text, one.to),
      }));
      for (const one of found) this.#remember(fieldAt(text, one.from), one);
      return found;
    } catch {
      return null;
    }
  }

  /** @param {string} field @param {Suggestion} suggestion */
  #remember(field, suggestion) {
    if (!field && suggestion.kind !== "field") return;
    const known = this.#known.get(field) ?? new Map();
    if (known.size < REMEMBERED_MAX) known.set(suggestion.text, suggestion);
    this.#known.set(field, known);
  }

  // Returns earlier suggestions that continue the begun text.
  #before(text, at) {
    const plain = typed(text);
    const [, name = "", others = "", begun] = TERM.exec(plain.slice(0, at)) ?? [];
    const known = this.#known.get(lower(name));
    if (begun === undefined || !known) return [];
    const wanted = lower(plainValue(begun));
    const written = new Set(others.split(",").map(lower));
    const place = { from: at - begun.length, to: at + REST.exec(plain.slice(at))[0].length };
    return [...known.values()].filter((one) => !written.has(lower(one.text))
      && lower(plainValue(one.text)).startsWith(wanted)).map((one) => ({ ...one, ...place }));
  }
}

// Returns the field of the value at a place; "" if there is none.
/** @param {string} text @param {number} at */
export function fieldAt(text, at) {
  const name = lower(TERM.exec(typed(text).slice(0, at))?.[1] ?? "");
  return Object.hasOwn(FIELDS, name) ? name : "";
}

// Returns the suggestions that would change the text.
/** @param {string} text @param {Suggestion[]} suggestions */
const fresh = (text, suggestions) => suggestions.filter(
  (one) => lower(text.slice(one.from, one.to)) !== lower(one.text),
);
