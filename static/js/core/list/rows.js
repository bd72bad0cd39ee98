// The recently shown rows by thread id; the newest revision wins.

import { delayMs } from "../time.js";

export class Rows {
  #rows = new Map(); // id → row, most recently used last
  #stale = new Map(); // id → tick at which the row became outdated
  #tick = 0;

  constructor(limit = 4000) {
    this.limit = limit;
  }

  // Grows with each mark. A fetch records it, so that its answer clears no later mark.
  get tick() { return this.#tick; }
  get size() { return this.#rows.size; }
  get(id) { return this.#rows.get(id); }
  /** @param {number} id */
  wanted(id) { return !this.#rows.has(id) || this.#stale.has(id); }

  // Returns whether the row changed.
  /** @param {Row} row @param {number} asOf */
  put(row, asOf = Infinity) {
    const known = this.#rows.get(row.id);
    if (known && known.rev > row.rev) return false;
    if (this.#stale.get(row.id) <= asOf) this.#stale.delete(row.id);
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
    return !known || known.rev !== row.rev;
  }

  // Forgets a thread that the admin may no longer see.
  /** @param {number} id */
  drop(id) {
    this.#rows.delete(id);
    this.#stale.delete(id);
  }

  // Marks a thread that changed while its row did not come with the frame.
  /** @param {number} id */
  mark(id) {
    this.#tick += 1;
    if (this.#rows.has(id)) this.#stale.set(id, this.#tick);
  }

  markAll() {
    for (const id of this.#rows.keys()) this.mark(id);
  }

  // Drops the least recently used rows above the limit, except those on screen.
  /** @param {Set<number>} onScreen */
  trim(onScreen) {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= this.limit) return;
      if (onScreen.has(id)) continue;
      this.#rows.delete(id);
      this.#stale.delete(id);
    }
  }
}

// Fetches missing rows in view: gathered for a moment, in batches, with retries.
const GATHER_MS = 16;
// While the list moves all the time, new rows in view are gathered this long for one request.
const SEND_GAP_MS = 100;

export class Fetcher {
  #wanted = new Set();
  #flying = new Set();
  #missing = new Set();
  #timer = null;
  #failures = 0;
  #sentAt = -Infinity;

  /** @param {FetcherOptions} options */
  constructor({ load, take, mark, batchMax, now = Date.now, timers = globalThis, random = Math.random }) {
    this.load = load;
    this.take = take;
    this.mark = mark;
    this.batchMax = batchMax;
    this.now = now;
    this.timers = timers;
    this.random = random;
  }

  // Sets the rows needed now; earlier ones that are no longer in view are not fetched.
  /** @param {number[]} ids */
  want(ids) {
    this.#wanted = new Set(ids.filter((id) => !this.#flying.has(id) && !this.#missing.has(id)));
    if (this.#wanted.size) this.#schedule(this.#failures ? this.#pause() : this.#gather());
  }

  // A frame named the thread, so it may exist after all.
  /** @param {number} id */
  forgetMissing(id) { this.#missing.delete(id); }

  #gather() { return Math.max(GATHER_MS, this.#sentAt + SEND_GAP_MS - this.now()); }
  #pause() { return delayMs(this.#failures - 1, { random: this.random }); }

  #schedule(ms) {
    if (this.#timer !== null) return;
    this.#timer = this.timers.setTimeout(() => {
      this.#timer = null;
      this.#send();
    }, ms);
  }

  #send() {
    const ids = [...this.#wanted];
    this.#wanted.clear();
    this.#sentAt = this.now();
    for (let start = 0; start < ids.length; start += this.batchMax) {
      this.#fetch(ids.slice(start, start + this.batchMax));
    }
  }

  async #fetch(ids) {
    const asOf = this.mark();
    for (const id of ids) this.#flying.add(id);
    try {
      const { rows, missing } = await this.load(ids);
      this.#failures = 0;
      for (const id of missing) this.#missing.add(id);
      this.#land(ids);
      this.take(rows, asOf);
    } catch {
      this.#failures += 1;
      this.#land(ids);
      for (const id of ids) this.#wanted.add(id);
      this.#schedule(this.#pause());
    }
  }

  #land(ids) {
    for (const id of ids) this.#flying.delete(id);
  }
}
