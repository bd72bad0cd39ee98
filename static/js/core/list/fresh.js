// Threads that a frame brought: marked new until they were in view for a while, or opened.

export const SEEN_AFTER_MS = 2000;
const MARKS_MAX = 1000;

export class Fresh {
  #since = new Map(); // id → when it came into view | null

  /** @param {number} id */
  has(id) { return this.#since.has(id); }
  get size() { return this.#since.size; }

  /** @param {number} id */
  add(id) {
    if (!this.#since.has(id)) this.#since.set(id, null);
    if (this.#since.size > MARKS_MAX) this.drop(this.#since.keys().next().value);
  }

  /** @param {number} id */
  drop(id) { this.#since.delete(id); }

  // Takes the threads in view now. Returns whether a mark was removed.
  /** @param {number} now */
  seen(visible, now) {
    let changed = false;
    for (const [id, since] of this.#since) {
      if (!visible.has(id)) this.#since.set(id, null);
      else if (since === null) this.#since.set(id, now);
      else if (now - since >= SEEN_AFTER_MS) changed = this.#since.delete(id);
    }
    return changed;
  }

  // Milliseconds until the next mark is removed if its row stays in view, or null.
  /** @param {number} now */
  wait(now) {
    let soonest = null;
    for (const since of this.#since.values()) {
      if (since === null) continue;
      const left = Math.max(0, since + SEEN_AFTER_MS - now);
      soonest = soonest === null ? left : Math.min(soonest, left);
    }
    return soonest;
  }
}
