// One list as a person sees it: the true order, what is painted of it, what is new above.

import { Fresh } from "./fresh.js";
import { before } from "./order.js";
import { View } from "./view.js";

// A longer view is not copied at each frame.
const COPIED_MAX = 5000;

export class Listing {
  view = null;
  fresh = new Fresh();
  news = new Set(); // threads that came to stand above what is seen
  moved = new Set(); // since the last painting
  moves = 0; // counts for ever; the speed of moves is read from it
  top = 0; // in rows, kept while another list is shown
  unpainted = false; // the view is held by nobody, but for the next painting
  activeId = null; // where the keyboard is
  #edge = null; // the row above which a thread counts as news: {score, id}

  // mayMove(): whether the order on screen may change now.
  constructor({ list, rows, mayMove, forgetMissing = () => {} }) {
    Object.assign(this, { list, rows, mayMove, forgetMissing });
  }

  get ready() { return this.view !== null; }

  // sync.js tells: something is about to change. What is painted stays the view until the next
  // painting even while live, for a pointer that comes in between aims at what it sees.
  before() {
    if (!this.view || this.view.held) return;
    const live = this.mayMove();
    if (live && this.view.length > COPIED_MAX) return;
    this.unpainted = live;
    this.view.hold();
  }

  reset(order, answer) {
    this.view = new View(order);
    this.unpainted = false;
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
    this.unpainted = false;
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
