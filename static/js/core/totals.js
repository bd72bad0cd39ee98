// The number of threads in each list of the left column.

import { wireOf } from "./places.js";

export class Totals {
  #byFilter = {}; // filter → {arrival, not_respond, history}
  #others = new Map(); // view → total, of saved views and of those that the server keeps as queries

  // current(): the view of the list that is shown, and the number of its threads if it is known. The list's
  // own number comes with its rows; messages with totals come before or after.
  /** @param {{current?: () => {view: string, total: number | undefined} | null}} options */
  constructor({ current = () => null } = {}) {
    this.current = current;
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
    const shown = this.current();
    if (shown?.view === name && shown.total !== undefined) return shown.total;
    const { view, filter } = wireOf(name);
    return this.#byFilter[filter]?.[view] ?? (filter === "all" ? this.#others.get(view) : undefined);
  }
}

// The text on the icon: "", the count, or "99+".
/** @param {number} count */
export const badge = (count) => (count > 99 ? "99+" : count > 0 ? String(count) : "");
