// The painted form of a list: its order itself while live, a snapshot of it while held; and after that
// a line and its archived threads, as far as they were read.

import { lowerBound } from "./order.js";

export class View {
  #order;
  #archive;
  #ids = null;
  #scores = null;
  #length = 0;
  #total = 0;
  #changed = new Map(); // id → {score: where it stands here | undefined, now, left}

  /** @param {ListOrder} order @param {ListArchive | null} archive */
  constructor(order, archive = null) {
    this.#order = order;
    this.#archive = archive;
  }

  get held() { return this.#ids !== null; }
  get #liveLength() { return this.held ? this.#length : this.#order.length; }
  get liveTotal() { return this.held ? Math.max(this.#total, this.#length) : this.#order.total; }
  get #archived() { return this.#archive?.length ?? 0; }
  // Whether the live list is loaded to its end.
  get whole() { return this.#liveLength >= this.liveTotal; }
  // The index of the line between the live list and the archive; -1 without archived threads.
  get seam() { return this.#archived ? this.liveTotal : -1; }

  get length() { return this.whole && this.#archived ? this.seam + 1 + this.#archived : this.#liveLength; }

  // If more rows may follow, the last row is empty.
  get total() {
    if (!this.#archived) return this.liveTotal;
    return this.seam + 1 + this.#archived + (this.#archive.whole ? 0 : 1);
  }

  // undefined on the line
  /** @param {number} index */
  idAt(index) {
    if (this.#archived && index >= this.seam) return this.#archive.idAt(index - this.seam - 1);
    return this.held ? this.#ids[index] : this.#order.idAt(index);
  }

  /** @param {number} index */
  scoreAt(index) {
    if (this.#archived && index >= this.seam) return this.#archive.scoreAt(index - this.seam - 1);
    return this.held ? this.#scores[index] : this.#order.scoreAt(index);
  }

  // The nearest index of a row; from the line it goes on in the direction of the step.
  /** @param {number} index @param {number} step */
  rowAt(index, step) {
    const at = Math.min(Math.max(0, index), this.length - 1);
    if (at !== this.seam) return at;
    return step < 0 && at > 0 ? at - 1 : at + 1;
  }

  // The thread of the next row below, else of the one above, else null.
  /** @param {number} id */
  nextTo(id) {
    const index = this.indexOf(id);
    if (index < 0) return null;
    const [below] = this.entries({ first: index + 1, end: index + 3 });
    const above = this.entries({ first: Math.max(0, index - 2), end: index }).at(-1);
    return (below ?? above)?.id ?? null;
  }

  get firstId() { return this.entries({ first: 0, end: 2 })[0]?.id ?? null; }

  /** @param {number} index */
  isFirstArchived(index) { return this.seam >= 0 && index === this.seam + 1; }

  // For screen readers: the place of a row, and the number of rows; -1 if more rows may follow.
  /** @param {number} index */
  placeOf(index) {
    const { seam } = this;
    if (seam < 0) return { at: index, of: this.total };
    return { at: index > seam ? index - 1 : index, of: this.#archive.whole ? this.total - 1 : -1 };
  }

  // The rows of a range of indexes, as far as they are loaded.
  /** @param {{first: number, end: number}} range */
  entries({ first, end }) {
    const length = Math.max(0, Math.min(end, this.length) - first);
    const indexes = Array.from({ length }, (_, at) => first + at);
    return indexes.filter((index) => index !== this.seam)
      .map((index) => ({ id: this.idAt(index), index }));
  }

  // The index on screen, or -1.
  /** @param {number} id */
  indexOf(id) {
    const live = this.#liveIndexOf(id);
    if (live >= 0 || !this.#archived || !this.whole) return live;
    const at = this.#archive.indexOf(id);
    return at < 0 ? -1 : this.seam + 1 + at;
  }

  // Whether it is on the live list, or painted as if it were.
  /** @param {number} id */
  isLive(id) { return this.#order.has(id) || this.#liveIndexOf(id) >= 0; }

  #liveIndexOf(id) {
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
