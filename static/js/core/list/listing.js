// One list on screen: its order, its painted rows, and new threads above the screen.

import { before } from "./order.js";
import { View } from "./view.js";

// A longer list is not copied at every frame.
const COPIED_MAX = 5000;
const BELOW_ALL = { score: Infinity, id: 0 };
// Archived threads are read when fewer rows than this are left below the screen.
const ARCHIVE_AHEAD = 20;

export class Listing {
  painted = null; // a View, once the list was read
  fresh = new Fresh();
  news = new Set(); // threads that came to stand above the visible rows
  moved = new Set(); // since the last painting
  moves = 0; // counts all moves, for their speed
  top = 0; // scroll position in rows, kept while another list is shown
  unpainted = false; // whether the view is held only until the next painting
  activeId = null; // the row of the keyboard
  #aimedId = null; // the row under the pointer while the admin works with the pointer
  #edge = null; // the row above which a thread counts as news: {score, id}

  /** @param {ListingOptions} options */
  constructor({ list, rows, mayMove, forgetMissing = (_id) => {}, archive = null }) {
    this.archive = archive;
    this.list = list;
    this.rows = rows;
    this.mayMove = mayMove;
    this.forgetMissing = forgetMissing;
  }

  get ready() { return this.painted !== null; }

  // Called before the order changes. The painted order stays until the next painting even while live, so
  // that a pointer in between meets the rows on screen. frame: the change, if it is known.
  /** @param {Frame} [frame] */
  before(frame) {
    if (!this.painted || this.painted.held) return;
    const live = this.mayMove();
    if (live && this.painted.length > COPIED_MAX && !this.#takesAimed(frame)) return;
    this.unpainted = live;
    this.painted.hold();
  }

  /** @param {ListOrder} order @param {OpenAnswer} answer */
  reset(order, answer) {
    this.painted = new View(order, this.archive);
    this.archive?.refresh();
    this.unpainted = false;
    this.news.clear();
    this.moved.clear();
    this.rows.markAll();
    for (const row of answer.rows) this.rows.put(row);
  }

  /** @param {Frame} frame */
  applied(frame, changes) {
    this.painted.note(changes);
    for (const { id } of changes) this.#takeRow(id, frame.rows);
    for (const change of changes) this.#count(change);
    this.archive?.follow(frame);
  }

  // Holds the row under a resting pointer, even if its own thread would move. Returns whether it would.
  /** @param {number | undefined} id */
  aimsAt(id) {
    this.#aimedId = id ?? null;
    return id !== undefined && this.painted.markOf(id) !== "";
  }

  extended() { this.painted.extend(); }

  commit() {
    this.unpainted = false;
    this.painted.commit();
    this.archive?.settle();
  }

  // Rows up to this index are on screen: reads archived threads near the end of the live ones.
  /** @param {number[]} ids @param {number} end */
  needs(ids, end) {
    if (!this.archive || !this.painted?.whole) return;
    if (end + ARCHIVE_AHEAD >= this.painted.total) this.archive.more();
    this.archive.look(ids);
  }

  // Sets the row above which new threads are counted; null at the top while live.
  /** @param {number | null} edgeIndex */
  looksAt(edgeIndex) {
    const { length, seam } = this.painted;
    if (edgeIndex === null || edgeIndex >= length) this.#edge = null;
    else if (seam >= 0 && edgeIndex >= seam) this.#edge = BELOW_ALL;
    else this.#edge = { score: this.painted.scoreAt(edgeIndex), id: this.painted.idAt(edgeIndex) };
    if (edgeIndex === null) this.news.clear();
  }

  #takesAimed(frame) { return frame?.set.some(([id]) => id === this.#aimedId) || frame?.del.includes(this.#aimedId); }

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

// Returns the row to keep at its pixel when the order changes, as {id, from}: the first candidate that
// stays on the list and did not itself move; or null.
export function anchorOf(candidates, moved, indexOf) {
  for (const { id, index } of candidates) {
    if (id !== undefined && !moved.has(id) && indexOf(id) >= 0) return { id, from: index };
  }
  return null;
}

// Threads that came by a frame, marked as new until they were in view for a while, or opened.
export const SEEN_AFTER_MS = 2000;
const MARKS_MAX = 1000;

export class Fresh {
  #since = new Map(); // id → when it came into view | null

  /** @param {number} id */
  has(id) { return this.#since.has(id); }
  get size() { return this.#since.size; }

  /** @param {number} id */
  add(id) {
    if (!this.#since.has(id)) this.#since.set(id, null);
    if (this.#since.size > MARKS_MAX) this.drop(this.#since.keys().next().value);
  }

  /** @param {number} id */
  drop(id) { this.#since.delete(id); }

  // Takes the threads in view now. Returns whether a mark was removed.
  /** @param {number} now */
  seen(visible, now) {
    let changed = false;
    for (const [id, since] of this.#since) {
      if (!visible.has(id)) this.#since.set(id, null);
      else if (since === null) this.#since.set(id, now);
      else if (now - since >= SEEN_AFTER_MS) changed = this.#since.delete(id);
    }
    return changed;
  }

  // Returns the ms until the next mark is removed if its row stays in view, or null.
  /** @param {number} now */
  wait(now) {
    let soonest = null;
    for (const since of this.#since.values()) {
      if (since === null) continue;
      const left = Math.max(0, since + SEEN_AFTER_MS - now);
      soonest = soonest === null ? left : Math.min(soonest, left);
    }
    return soonest;
  }
}
