// What is painted of a list: its order itself while live, a snapshot of it while held.

import { lowerBound } from "./order.js";

export class View {
  #order;
  #ids = null;
  #scores = null;
  #length = 0;
  #total = 0;
  #changed = new Map(); // id → {score: where it stands here | undefined, now, left}

  constructor(order) {
    this.#order = order;
  }

  get held() { return this.#ids !== null; }
  get length() { return this.held ? this.#length : this.#order.length; }
  get total() { return this.held ? Math.max(this.#total, this.#length) : this.#order.total; }
  /** @param {number} index */
  idAt(index) { return this.held ? this.#ids[index] : this.#order.idAt(index); }
  /** @param {number} index */
  scoreAt(index) { return this.held ? this.#scores[index] : this.#order.scoreAt(index); }

  // The rows of a range of indexes, as far as they are loaded.
  /** @param {{first: number, end: number}} range */
  entries({ first, end }) {
    const length = Math.max(0, Math.min(end, this.length) - first);
    return Array.from({ length }, (_, at) => ({ id: this.idAt(first + at), index: first + at }));
  }

  // The index on screen, or -1.
  /** @param {number} id */
  indexOf(id) {
    if (!this.held) return this.#order.indexOf(id);
    const score = this.#scoreHere(id);
    if (score === undefined) return -1;
    return lowerBound(this.#scores, this.#ids, this.#length, score, id);
  }

  // Before a frame is applied: keeps what is painted now.
  hold() {
    if (this.held) return;
    this.#ids = this.#order.ids();
    this.#scores = this.#order.scores();
    this.#length = this.#ids.length;
    this.#total = this.#order.total;
    this.#changed = new Map();
  }

  // After a frame was applied while held.
  note(changes) {
    if (!this.held) return;
    for (const { id, was, now, left } of changes) {
      const known = this.#changed.get(id);
      this.#changed.set(id, { score: known ? known.score : was, now, left });
    }
  }

  // After the head grew at its tail: what was loaded is painted too, held or not.
  extend() {
    if (!this.held) return;
    const ids = [];
    const scores = [];
    for (let index = this.#tailStart(); index < this.#order.length; index += 1) {
      const id = this.#order.idAt(index);
      const change = this.#changed.get(id);
      if (change && change.score !== undefined) continue; // painted already, further up
      if (change) change.score = this.#order.scoreAt(index);
      ids.push(id);
      scores.push(this.#order.scoreAt(index));
    }
    this.#grow(ids, scores);
  }

  commit() {
    this.#ids = null;
    this.#scores = null;
    this.#changed = new Map();
  }

  // "", "up" (its true place is above), "down" or "left" (it is no longer on the list).
  /** @param {number} id */
  markOf(id) {
    const change = this.held ? this.#changed.get(id) : undefined;
    if (!change || change.score === undefined) return "";
    if (change.left) return "left";
    if (change.now === change.score) return "";
    return change.now === undefined || change.now > change.score ? "down" : "up";
  }

  #scoreHere(id) {
    const change = this.#changed.get(id);
    return change ? change.score : this.#order.scoreOf(id);
  }

  // The first index of the order behind the last row painted.
  #tailStart() {
    if (this.#length === 0) return 0;
    const last = this.#length - 1;
    const rank = this.#order.rank(this.#scores[last], this.#ids[last]);
    return this.#order.idAt(rank) === this.#ids[last] ? rank + 1 : rank;
  }

  #grow(ids, scores) {
    const joined = (old, more) => {
      const array = new Float64Array(this.#length + more.length);
      array.set(old.subarray(0, this.#length));
      array.set(more, this.#length);
      return array;
    };
    this.#ids = joined(this.#ids, ids);
    this.#scores = joined(this.#scores, scores);
    this.#length += ids.length;
  }
}
