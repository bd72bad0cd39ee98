// Fetches the missing rows that are in view: collected for a moment, in batches, with retries.

import { delayMs } from "../backoff.js";

const GATHER_MS = 16;
// While the list moves all the time, new rows in view are collected this long for one request.
const SEND_GAP_MS = 100;

export class Fetcher {
  #wanted = new Set();
  #flying = new Set();
  #missing = new Set();
  #timer = null;
  #failures = 0;
  #sentAt = -Infinity;

  /** @param {FetcherParts} parts */
  constructor({ load, take, mark, batchMax, now = Date.now, timers = globalThis, random = Math.random }) {
    this.load = load;
    this.take = take;
    this.mark = mark;
    this.batchMax = batchMax;
    this.now = now;
    this.timers = timers;
    this.random = random;
  }

  // The rows needed now; those asked for earlier and no longer in view are not fetched.
  /** @param {number[]} ids */
  want(ids) {
    this.#wanted = new Set(ids.filter((id) => !this.#flying.has(id) && !this.#missing.has(id)));
    if (this.#wanted.size) this.#schedule(this.#failures ? this.#pause() : this.#gather());
  }

  // The thread may exist after all: a frame named it.
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
