// The sorts that there are: the built-in ones, and those that supervisors have saved.

import { delayMs } from "../time.js";

// Saved sorts beyond these are in the choice among all alone, but for the one that a list is in.
const SHOWN_MAX = 4;

const SOONEST = "soonest"; // by the end of snoozes
export const AWAKE = new Set(["arrival", "not_respond", "history"]); // views without snoozed threads

// The sorts that say something about the threads of a view.
/** @param {string} view @param {string[]} names */
export const sortsOf = (view, names) => (
  AWAKE.has(view) ? names.filter((name) => name !== SOONEST) : names);

export class Sorts {
  /** @type {SavedSort[]} */
  saved = [];
  #wanted = false;
  #loading = false;
  #failures = 0;

  // builtIn: names; ask() → {sorts}; named(name, title) is called for each saved one; changed({was, now})
  // for each that was added, edited or deleted; choose() lets the admin choose among all.
  /** @param {SortsOptions} options */
  constructor({ builtIn, ask, named, changed, choose, timers = globalThis }) {
    this.builtIn = builtIn;
    this.ask = ask;
    this.named = named;
    this.changed = changed;
    this.choose = choose;
    this.timers = timers;
  }

  get names() { return [...this.builtIn, ...this.saved.map(({ name }) => name)]; }

  get isMany() { return this.saved.length > SHOWN_MAX; }

  // Those of a menu, on a list in the sort `current`.
  /** @param {string[]} names @param {string} current */
  inMenu(names, current) {
    return this.isMany ? names.filter((name) => this.builtIn.includes(name) || name === current) : names;
  }

  // Reads them from the server; calls that come meanwhile are one more reading.
  async load() {
    this.#wanted = true;
    if (this.#loading) return;
    this.#loading = true;
    while (this.#wanted) {
      this.#wanted = false;
      await this.#read();
    }
    this.#loading = false;
  }

  async #read() {
    try {
      this.take((await this.ask()).sorts);
      this.#failures = 0;
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 429) return;
      this.timers.setTimeout(() => this.load(), delayMs(this.#failures));
      this.#failures += 1;
    }
  }

  // As the server sent them; the built-in ones among them are left out.
  /** @param {SavedSort[]} sorts */
  take(sorts) {
    const before = new Map(this.saved.map((sort) => [sort.name, sort]));
    this.saved = sorts.filter(({ name }) => !this.builtIn.includes(name));
    const changes = [];
    for (const now of this.saved) {
      const was = before.get(now.name);
      before.delete(now.name);
      this.named(now.name, now.title);
      if (!was || !isEqual(was, now)) changes.push({ was, now });
    }
    for (const was of before.values()) changes.push({ was, now: undefined });
    if (changes.length) this.changed(changes);
  }
}

const isEqual = (a, b) => a.title === b.title && a.changed_at === b.changed_at;

/** @param {SavedSort} a @param {SavedSort} b */
export const hasSameRules = (a, b) => JSON.stringify(a.rules) === JSON.stringify(b.rules);
