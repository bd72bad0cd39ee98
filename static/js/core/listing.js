// One list as a person sees it: the true order, what is painted of it, what is new above.

import { Fresh } from "./fresh.js";
import { before } from "./order.js";
import { View } from "./view.js";

export class Listing {
  view = null;
  fresh = new Fresh();
  news = new Set(); // threads that came to stand above what is seen
  moved = new Set(); // since the last painting
  moves = 0; // counts for ever; the speed of moves is read from it
  top = 0; // in rows, kept while another list is shown
  activeId = null; // where the keyboard is
  #edge = null; // the row above which a thread counts as news: {score, id}

  // mayMove(): whether the order on screen may change now.
  constructor({ list, rows, mayMove, forgetMissing = () => {} }) {
    Object.assign(this, { list, rows, mayMove, forgetMissing });
  }

  get ready() { return this.view !== null; }

  // sync.js tells: something is about to change.
  before() {
    if (this.view && !this.mayMove()) this.view.hold();
  }

  reset(order, answer) {
    this.view = new View(order);
    this.news.clear();
    this.moved.clear();
    this.rows.markAll();
    for (const row of answer.rows) this.rows.put(row);
  }

  applied(frame, changes) {
    this.view.note(changes);
    for (const { id } of changes) this.#takeRow(id, frame.rows);
    for (const change of changes) this.#count(change);
  }

  extended() { this.view.extend(); }

  commit() {
    this.view.commit();
  }

  // What the screen shows: the row above which news are counted, null at the top while live.
  looksAt(edgeIndex) {
    this.#edge = edgeIndex === null || edgeIndex >= this.view.length ? null
      : { score: this.view.scoreAt(edgeIndex), id: this.view.idAt(edgeIndex) };
    if (edgeIndex === null) this.news.clear();
  }

  #takeRow(id, rows) {
    const row = rows[id];
    if (row) this.rows.put(row);
    else this.rows.mark(id);
    this.forgetMissing(id);
  }

  #count({ id, was, now, left }) {
    if (was === now) return;
    this.moves += 1;
    this.moved.add(id);
    if (left) this.fresh.drop(id);
    else if (was === undefined && now !== undefined) this.fresh.add(id);
    const above = now !== undefined && this.#edge !== null
      && before(now, id, this.#edge.score, this.#edge.id);
    if (above && (was === undefined || now < was)) this.news.add(id);
    else if (!above) this.news.delete(id);
  }
}

// The row to keep at its pixel when the order changes: the first candidate that stays on the list
// and did not itself move. Returns {id, from} or null.
export function anchorOf(candidates, moved, indexOf) {
  for (const { id, index } of candidates) {
    if (id !== undefined && !moved.has(id) && indexOf(id) >= 0) return { id, from: index };
  }
  return null;
}
