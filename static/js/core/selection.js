// The threads picked for an act on many: by id, so that no move of the list changes them.

export const PICKED_MAX = 500;

export class Selection {
  anchor = null; // where a range begins
  #ids = new Set();
  #base = new Set(); // what was picked before the range

  get size() { return this.#ids.size; }
  get ids() { return [...this.#ids]; }
  has(id) { return this.#ids.has(id); }

  toggle(id) {
    if (!this.#ids.delete(id)) this.#take([...this.#ids, id]);
    this.#from(id);
  }

  // ids: from the anchor to where the range ends now.
  range(ids) { this.#take([...this.#base, ...ids]); }

  drop(id) {
    this.#ids.delete(id);
    this.#base.delete(id);
  }

  clear() {
    this.#ids.clear();
    this.#from(null);
  }

  #take(ids) { this.#ids = new Set(ids.slice(0, PICKED_MAX)); }

  #from(id) {
    this.anchor = id;
    this.#base = new Set(this.#ids);
  }
}
