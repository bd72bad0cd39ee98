// Fetches the rows that are in view and missing: gathered, in batches, tried again.

import { delayMs } from "./backoff.js";

export const BATCH_MAX = 200;
const GATHER_MS = 16;
// Under steady movement new rows come into view all the time: one request for all of them.
const SEND_GAP_MS = 100;

export class Fetcher {
  #wanted = new Set();
  #flying = new Set();
  #missing = new Set();
  #timer = null;
  #failures = 0;
  #sentAt = -Infinity;

  // load(ids) → {rows, missing}; take(rows, asOf) puts them to use; mark() is Rows' tick.
  constructor({ load, take, mark, now = Date.now, timers = globalThis, random = Math.random }) {
    Object.assign(this, { load, take, mark, now, timers, random });
  }

  // What is needed now; what was wanted before and is not in view any more is let go.
  want(ids) {
    this.#wanted = new Set(ids.filter((id) => !this.#flying.has(id) && !this.#missing.has(id)));
    if (this.#wanted.size) this.#schedule(this.#failures ? this.#pause() : this.#gather());
  }

  // The thread may exist again, as after a frame that names it.
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
    for (let start = 0; start < ids.length; start += BATCH_MAX) {
      this.#fetch(ids.slice(start, start + BATCH_MAX));
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
