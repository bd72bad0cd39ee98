// The rows that were shown lately, by thread id: the newest revision wins.

export class Rows {
  #rows = new Map(); // id → row, latest used last
  #stale = new Map(); // id → tick at which the row here was overtaken
  #tick = 0;

  constructor(limit = 4000) {
    this.limit = limit;
  }

  // Grows with each mark; a fetch records it, so that an answer older than a mark clears no mark.
  get tick() { return this.#tick; }
  get size() { return this.#rows.size; }
  get(id) { return this.#rows.get(id); }
  /** @param {number} id */
  wanted(id) { return !this.#rows.has(id) || this.#stale.has(id); }

  // Returns whether something changed.
  /** @param {Row} row @param {number} asOf */
  put(row, asOf = Infinity) {
    const known = this.#rows.get(row.id);
    if (known && known.rev > row.rev) return false;
    if (this.#stale.get(row.id) <= asOf) this.#stale.delete(row.id);
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
    return !known || known.rev !== row.rev;
  }

  // The thread is not to be seen any more.
  /** @param {number} id */
  drop(id) {
    this.#rows.delete(id);
    this.#stale.delete(id);
  }

  // The thread changed, and its row did not come with the frame.
  /** @param {number} id */
  mark(id) {
    this.#tick += 1;
    if (this.#rows.has(id)) this.#stale.set(id, this.#tick);
  }

  markAll() {
    for (const id of this.#rows.keys()) this.mark(id);
  }

  // Drops the least recently used rows above the limit, but none on screen.
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
