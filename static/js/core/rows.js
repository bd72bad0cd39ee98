// The rows that were seen lately, by thread id: the newest revision wins.

export class Rows {
  #rows = new Map(); // id → row, latest used last
  #stale = new Map(); // id → tick at which the row here was overtaken
  #tick = 0;

  constructor(limit = 4000) {
    this.limit = limit;
  }

  // Moves with every mark: a fetch notes it, so that an answer older than a mark clears nothing.
  get tick() { return this.#tick; }
  get size() { return this.#rows.size; }
  get(id) { return this.#rows.get(id); }
  wanted(id) { return !this.#rows.has(id) || this.#stale.has(id); }

  // Returns whether something changed.
  put(row, asOf = Infinity) {
    const known = this.#rows.get(row.id);
    if (known && known.rev > row.rev) return false;
    if (this.#stale.get(row.id) <= asOf) this.#stale.delete(row.id);
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
    return !known || known.rev !== row.rev;
  }

  // The thread changed and its row did not come along.
  mark(id) {
    this.#tick += 1;
    if (this.#rows.has(id)) this.#stale.set(id, this.#tick);
  }

  markAll() {
    for (const id of this.#rows.keys()) this.mark(id);
  }

  // Forgets the longest unused, but for those on screen.
  trim(onScreen) {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= this.limit) return;
      if (onScreen.has(id)) continue;
      this.#rows.delete(id);
      this.#stale.delete(id);
    }
  }
}
