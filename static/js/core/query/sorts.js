// All sorts: the built-in ones, and those saved by supervisors.

import { wireOf } from "../places.js";
import { delayMs } from "../time.js";

// Menus show only so many saved sorts, and the current one; the choice among all shows the others.
const SHOWN_MAX = 4;

const SOONEST = "soonest"; // by the end of snoozes
export const AWAKE = new Set(["arrival", "not_respond", "history"]); // views without snoozed threads

// Returns the sorts that are useful for a view.
/** @param {string} view @param {string[]} names */
export const sortsOf = (view, names) => (
  AWAKE.has(wireOf(view).view) ? names.filter((name) => name !== SOONEST) : names);

export class Sorts {
  /** @type {SavedSort[]} */
  saved = [];
  #wanted = false;
  #loading = false;
  #failures = 0;

  // builtIn: names; ask() → {sorts}; named(name, title) is called for each saved sort; changed({was, now})
  // for each that was added, edited or deleted; choose() opens the choice among all.
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

  // Returns the sorts of a menu on a list in the sort `current`.
  /** @param {string[]} names @param {string} current */
  inMenu(names, current) {
    return this.isMany ? names.filter((name) => this.builtIn.includes(name) || name === current) : names;
  }

  // Reads the sorts from the server; calls during a reading cause one more.
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

  // Takes the server's sorts; leaves out the built-in ones.
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
