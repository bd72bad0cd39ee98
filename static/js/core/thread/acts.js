// What was done to one thread, by (at, id).

const after = (a, b) => a.at - b.at || a.id - b.id;

export class Acts {
  list = [];
  #ids = new Set();

  // Returns whether it is new: an act may be both loaded and pushed.
  /** @param {Act} act */
  add(act) {
    if (this.#ids.has(act.id)) return false;
    this.#ids.add(act.id);
    this.list = [...this.list, act].sort(after);
    return true;
  }

  /** @param {Act[]} acts */
  put(acts) { acts.forEach((act) => this.add(act)); }

  clear() {
    this.list = [];
    this.#ids.clear();
  }

  // Those from a time on and before another one, in ms; null: without that limit.
  between(since, until) {
    return this.list.filter(({ at }) => (since === null || at >= since)
      && (until === null || at < until));
  }
}
