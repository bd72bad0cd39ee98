// A search: sent a moment after the last key; outdated answers are dropped; scrolling loads more.

const WAIT_MS = 180;

export class Search {
  query = "";
  results = []; // [{row, message}], in the server's order
  total = 0;
  whole = true; // false: only the newest matches were searched
  state = "none"; // none, asking, done, failed
  active = 0;
  error = null; // the reason of a failure
  #next = null;
  #run = 0;
  #timer = null;

  /** @param {SearchOptions} options */
  constructor({ ask, changed, limit = 50, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.limit = limit;
    this.timers = timers;
  }

  get more() { return this.#next !== null; }
  get chosen() { return this.results[this.active] ?? null; }

  /** @param {string} query */
  type(query) {
    this.query = query;
    this.error = null;
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
    if (query.trim()) {
      this.state = "asking";
      this.#timer = this.timers.setTimeout(() => this.#start(), WAIT_MS);
    } else this.#take([], null, 0, "none");
    this.changed();
  }

  again() { this.type(this.query); }

  step(by) {
    this.active = Math.min(Math.max(0, this.active + by), Math.max(0, this.results.length - 1));
    if (this.active > this.results.length - 10) this.loadMore();
    this.changed();
  }

  async loadMore() {
    if (this.#next === null || this.state !== "done") return;
    const cursor = this.#next;
    this.#next = null;
    await this.#fetch(cursor);
  }

  async #start() {
    this.active = 0;
    await this.#fetch(null);
  }

  async #fetch(cursor) {
    const run = this.#run;
    try {
      const { results, next, total, whole } = await this.ask(
        this.query.trimEnd(), this.limit, cursor,
      );
      if (run !== this.#run) return;
      this.whole = whole;
      this.#take(cursor ? [...this.results, ...results] : results, next ?? null, total, "done");
    } catch (error) {
      if (run !== this.#run) return;
      if (cursor === null) this.#take([], null, 0, "failed", error);
      else this.#take(this.results, cursor, this.total, "failed", error);
    }
    this.changed();
  }

  #take(results, next, total, state, error = null) {
    this.error = error;
    this.results = results;
    this.total = total;
    this.state = state;
    this.#next = next;
  }
}
