// What is worth telling an admin who looks elsewhere, and how often.

const GATHER_MS = 2000; // what comes this soon after a telling belongs to it
const LEAST_MS = 4000; // between two tellings
const MOST_MS = 30_000; // between two, where there is always something to tell
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

// Finds new messages of customers in an admin's own threads, by the rows of these.
export class OwnMessages {
  #known = new Map(); // thread → what `said` gave when it was last looked at

  // What stands there already is no news.
  /** @param {Row[]} rows */
  begin(rows) {
    this.#known.clear();
    for (const row of rows) this.#known.set(row.id, said(row));
  }

  // Those of the rows that have a new message of the customer. lately: from when on a message counts
  // as new in a thread that was not known, as one that was closed.
  /** @param {Row[]} rows @param {number} lately */
  news(rows, lately) {
    return rows.filter((row) => {
      const known = this.#known.get(row.id);
      const newest = said(row);
      this.#known.set(row.id, newest);
      if (row.preview?.role !== "client" || !row.unanswered) return false;
      if (known === undefined) return row.preview.at >= lately;
      // The row shows the customer's message after one of the chatbot, too. One that came late is
      // no newer than what the row shows, but is counted.
      return newest.id > known.id && (newest.at > known.at || newest.unanswered > known.unanswered);
    });
  }
}

// The newest message of anybody; when the one that the row shows was written; those unanswered.
/** @param {Row} row */
const said = ({ last_message_id, preview, unanswered }) => ({
  id: last_message_id ?? 0, at: preview?.at ?? 0, unanswered,
});
