// What an admin is told of: more threads on a page that they chose, by the totals of the pages.

const GATHER_MS = 2000;

export class Notice {
  #known = null; // page → total
  #toldAt = -Infinity;

  // Returns what to tell, {page, count}, or null; count: threads there now.
  totals(totals, pages, now) {
    const known = this.#known;
    this.#known = totals;
    if (!known) return null;
    const page = pages.find((name) => totals[name] > known[name]);
    if (page === undefined || now - this.#toldAt < GATHER_MS) return null;
    this.#toldAt = now;
    return { page, count: totals[page] };
  }

  // After a gap the difference says nothing about now.
  forget() { this.#known = null; }
}

// "", the count, or "99+": what fits on an icon.
export const badge = (count) => (count > 99 ? "99+" : count > 0 ? String(count) : "");
