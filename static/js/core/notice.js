// What is worth telling an admin who looks elsewhere, and how often.

const GATHER_MS = 2000; // what comes this soon after a telling belongs to it
const LEAST_MS = 4000; // between two tellings
const MOST_MS = 30_000; // between two, where there is always something to tell
const HEARD_MAX = 1000; // notices that are remembered
const QUIET_MS = 60_000; // after it the next telling comes at once again

// Finds growth of the views that an admin chose to be notified of, by their totals.
export class Growth {
  #known = null; // view → total

  // The views that have more threads than before: [view, how many more].
  /** @param {ViewTotals} totals @param {string[]} views @returns {[string, number][]} */
  of(totals, views) {
    const known = this.#known;
    this.#known = totals;
    return known ? views
      .map((name) => /** @type {[string, number]} */ ([name, Number(totals[name]) - Number(known[name])]))
      .filter(([, count]) => count > 0) : [];
  }

  // After a reconnection, a difference to earlier totals is no news.
  forget() { this.#known = null; }
}

// Spaces what is told: at once after a quiet time, then more and more seldom.
export class Pace {
  #toldAt = -Infinity;
  #gapMs = LEAST_MS;

  // "now", "along" (it belongs to what was just told), or the ms until it is to be told.
  /** @param {number} now @returns {"now" | "along" | number} */
  of(now) {
    const passed = now - this.#toldAt;
    if (passed < GATHER_MS) return "along";
    return passed >= this.#gapMs ? "now" : this.#gapMs - passed;
  }

  /** @param {number} now */
  told(now) {
    const isAgain = now - this.#toldAt < QUIET_MS;
    this.#gapMs = isAgain ? Math.min(MOST_MS, this.#gapMs * 2) : LEAST_MS;
    this.#toldAt = now;
  }
}

// Which notices came already: those of a reconnection may have come before.
export class Heard {
  #keys = new Set();

  /** @param {Notice} notice */
  isNew({ kind, id }) {
    const key = `${kind} ${id}`;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > HEARD_MAX) this.#keys.delete(this.#keys.values().next().value);
    return true;
  }
}
