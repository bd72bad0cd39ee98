// The number of threads in each view, as last sent by the server.

export class Totals {
  #byFilter = {}; // filter → {arrival, not_respond, history}
  #saved = new Map(); // id of a saved view → total
  #open = null; // {list, totals by filter} of the open list, if it is not built-in

  /** @param {ViewTotals} totals */
  take(totals) { this.#byFilter[totals.filter] = totals; }

  // Takes changed totals of saved views; null while a view's list is being built.
  /** @param {Record<string, number | null>} totals */
  takeSaved(totals) {
    for (const [view, total] of Object.entries(totals)) this.#saved.set(view, total ?? undefined);
  }

  // Takes the totals of one list by filter; null: of none.
  /** @param {FilteredTotals | null} data */
  takeFiltered(data) { this.#open = data && { list: nameOf(data), totals: data.totals }; }

  // Returns the total of the current list with a filter.
  /** @param {ListName} list @param {string} filter */
  here(list, filter) {
    const total = this.of(list.view, filter);
    return total ?? (this.#open?.list === nameOf(list) ? this.#open.totals[filter] : undefined);
  }

  // Returns undefined before the server has sent it.
  /** @param {string} view @param {string} filter */
  of(view, filter) {
    return this.#byFilter[filter]?.[view] ?? (filter === "all" ? this.#saved.get(view) : undefined);
  }
}

/** @param {Partial<ListName>} list */
const nameOf = ({ view, query }) => (query ? `? ${query}` : view);

const ASKED_AFTER_MS = 500; // so that moving quickly through lists does not ask for the totals of each

// Asks for the totals of the current list if they do not come by themselves.
export class FilterTotals {
  #asked = ""; // the key of the list
  #timer = null;

  /** @param {FilterTotalsOptions} options */
  constructor({ lists, call, totals, timers = globalThis }) {
    this.lists = lists;
    this.call = call;
    this.totals = totals;
    this.timers = timers;
  }

  // After a reconnection the server does not know what was asked before.
  connected() { this.#asked = ""; }

  // The list was painted: another one may be shown, or it may have become live.
  look() {
    const { key, sync } = this.lists.current;
    if (this.#asked && this.#asked !== key) {
      this.#asked = "";
      this.totals.takeFiltered(null);
    }
    if (this.#asked || sync.state !== "live" || sync.late) return;
    this.#asked = key;
    this.timers.clearTimeout(this.#timer);
    if (this.totals.of(this.lists.list.view, "mine") !== undefined) return;
    this.#timer = this.timers.setTimeout(() => this.#ask(key, sync), ASKED_AFTER_MS);
  }

  #ask(key, sync) {
    if (this.#asked !== key || this.lists.current.key !== key) return;
    // Without an answer there are no totals; the next connection asks again.
    this.call("list:totals", sync.asked).catch(() => {});
  }
}

// The text on the icon: "", the count, or "99+".
/** @param {number} count */
export const badge = (count) => (count > 99 ? "99+" : count > 0 ? String(count) : "");
