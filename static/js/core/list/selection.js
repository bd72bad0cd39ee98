// The selected threads, by id: moves in the list do not change the selection.

export class Selection {
  anchor = null; // where a range begins
  #ids = new Set();
  #base = new Set(); // what was picked before the range

  get size() { return this.#ids.size; }
  get ids() { return [...this.#ids]; }
  /** @param {number} id */
  has(id) { return this.#ids.has(id); }

  /** @param {number} id */
  toggle(id) {
    if (!this.#ids.delete(id)) this.#ids.add(id);
    this.#from(id);
  }

  // ids: from the anchor to where the range ends now.
  /** @param {number[]} ids */
  range(ids) { this.#ids = new Set([...this.#base, ...ids]); }

  /** @param {number[]} ids */
  drop(ids) {
    for (const id of ids) {
      this.#ids.delete(id);
      this.#base.delete(id);
    }
  }

  clear() {
    this.#ids.clear();
    this.#from(null);
  }

  #from(id) {
    this.anchor = id;
    this.#base = new Set(this.#ids);
  }
}
