// The number of threads in each list of the left column.

import { wireOf } from "./places.js";

export class Totals {
  #byFilter = {}; // filter → {arrival, not_respond, history}
  #others = new Map(); // view → total, of saved views and of those that the server keeps as queries

  // counted(): the number of threads on the list that is shown, or null. It comes with the frames of the list,
  // and the server's other messages with the same number come before or after them.
  /** @param {{counted?: () => CountedList | null}} options */
  constructor({ counted = () => null } = {}) {
    this.counted = counted;
  }

  /** @param {ViewTotals} totals */
  take(totals) { this.#byFilter[totals.filter] = totals; }

  // Takes changed totals of other views; null while a view's list is being built.
  /** @param {Record<string, number | null>} totals */
  takeOthers(totals) {
    for (const [view, total] of Object.entries(totals)) this.#others.set(view, total ?? undefined);
  }

  // Returns the total of a place or a saved view, the same for every part of the page; undefined before it
  // is known.
  /** @param {string} name @returns {number | undefined} */
  of(name) {
    const list = this.counted();
    const own = list?.view === name ? list.total : undefined;
    if (list?.isCurrent && own !== undefined) return own;
    const { view, filter } = wireOf(name);
    const told = this.#byFilter[filter]?.[view] ?? (filter === "all" ? this.#others.get(view) : undefined);
    return told ?? own;
  }
}

// The text on the icon: "", the count, or "99+".
/** @param {number} count */
export const badge = (count) => (count > 99 ? "99+" : count > 0 ? String(count) : "");
