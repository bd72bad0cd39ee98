// Moves and resizes a block of a week, by the pointer and by keys, in steps of a quarter of an hour.

import {
  block, blocksOf, copied, DAY, endAfter, endOf, free, minutesOf, ofDay, replaced, settled,
  snapped, STEP, stepped, weekOf, without,
} from "./week.js";

const LAST_START = DAY - STEP;
const WEEK = 7 * DAY;

const within = (value, least, most) => Math.min(Math.max(value, least), most);

// The position of a pointer in the picture: a day (below 0 or above 6 outside of the rows) and minutes.
/** @typedef {{day: number, minute: number}} Place */

// Returns the minutes of the week from the first place to the second; negative if the shorter way goes
// back.
/** @param {Place} from @param {Place} to */
function behind(from, to) {
  const minutes = (to.day - from.day) * DAY + to.minute - from.minute;
  const round = ((minutes % WEEK) + WEEK) % WEEK;
  return round > WEEK / 2 ? round - WEEK : round;
}

// Returns the block while it is dragged: "move" moves it, also to other days; "start" and "end" move an
// edge, and the end may cross midnight into the next row.
/** @param {Block} one @param {"move" | "start" | "end"} kind @param {Place} from @param {Place} to */
export function dragged(one, kind, from, to) {
  if (kind === "start") return withStart(one, snapped(to.minute));
  if (kind === "end") {
    const end = one.start + behind({ day: one.day, minute: one.start }, to);
    return { ...one, length: within(snapped(end) - one.start, STEP, DAY) };
  }
  const moved = to.minute - from.minute;
  return {
    ...one, day: within(one.day + Math.round(to.day - from.day), 0, 6),
    start: Math.abs(moved) < STEP / 2 ? one.start : within(snapped(one.start + moved), 0, LAST_START),
  };
}

// Returns a new block between two places; from the earlier one, possibly over midnight into the next row.
/** @param {Place} from @param {Place} to @param {Block | null} as a block that keeps its key */
export function drawn(from, to, as = null) {
  const one = as ?? block(from.day, 0, STEP);
  const anchor = within(snapped(from.minute), 0, LAST_START);
  if (to.day === from.day && to.minute < from.minute) {
    const start = within(snapped(to.minute), 0, anchor);
    return { ...one, day: from.day, start, length: Math.max(STEP, anchor - start) };
  }
  const length = snapped(behind({ day: from.day, minute: anchor }, to));
  return { ...one, day: from.day, start: anchor, length: within(length, STEP, DAY) };
}

/** @param {Block} one @param {number} start */
function withStart(one, start) {
  const end = endOf(one);
  const least = Math.max(0, end - DAY);
  const from = within(start, least, Math.min(LAST_START, end - STEP));
  return { ...one, start: from, length: end - from };
}

// Returns a block after a key was pressed; null if there is no room. It stops at the blocks beside it.
/** @param {Block[]} blocks @param {Block} one @param {"move" | "start" | "end" | "day"} kind
 * @param {number} direction 1 or -1 @returns {Block | null} */
export function keyed(blocks, one, kind, direction) {
  if (kind === "day") return onDay(blocks, one, one.day + direction);
  const { before, after } = room(blocks, one);
  const changed = {
    move: () => {
      const most = Math.min(LAST_START, after === null ? LAST_START : after - one.length);
      return { ...one, start: within(stepped(one.start, direction), before, Math.max(before, most)) };
    },
    start: () => withStart(one, Math.max(before, stepped(one.start, direction))),
    end: () => {
      const end = Math.min(stepped(endOf(one), direction), after ?? Infinity);
      return { ...one, length: within(end - one.start, STEP, DAY) };
    },
  }[kind]();
  return changed.start === one.start && changed.length === one.length ? null : changed;
}

// Returns the minutes of its day between which a block may lie; after: null if no block follows.
function room(blocks, one) {
  const others = ofDay(blocks, one.day).filter(({ key }) => key !== one.key);
  const earlier = others.filter(({ start }) => start < one.start).map(endOf);
  const later = others.filter(({ start }) => start >= one.start).map(({ start }) => start);
  return {
    before: Math.max(0, ...earlier.filter((end) => end <= one.start)),
    after: later.length ? Math.min(...later) : null,
  };
}

function onDay(blocks, one, day) {
  if (day < 0 || day > 6) return null;
  const isFree = ofDay(blocks, day).every((other) => (
    endOf(other) <= one.start || other.start >= endOf(one)
  ));
  return isFree ? { ...one, day } : null;
}

// A week while it is edited: its blocks, the chosen day and block, and the changes that can be undone.
const UNDO_MAX = 100;

export class WeekDraft {
  /** @type {Block[]} */
  blocks;
  day = 0;
  /** @type {number | null} of the chosen block */
  key = null;
  /** @type {{key: number, edge: string, text: string} | null} a time that cannot be read */
  wrong = null;
  #before = []; // {what, blocks}

  // changed(): called when the open time has changed; chosen(): when the choice has changed.
  /** @param {WeekDraftOptions} options */
  constructor({ week, changed, chosen = () => {} }) {
    this.blocks = blocksOf(week);
    this.changed = changed;
    this.chosen = chosen;
  }

  get week() { return weekOf(this.blocks); }
  get canUndo() { return this.#before.length > 0; }

  /** @param {number} key */
  of(key) { return this.blocks.find((one) => one.key === key); }

  /** @param {number} day @param {number | null} key */
  choose(day, key) {
    this.day = day;
    this.key = key;
    this.chosen();
  }

  // Call it before a change. Successive changes with the same `what` are undone together.
  begin(what = "") {
    if (what && this.#before.at(-1)?.what === what) return;
    this.#before = [...this.#before, { what, blocks: this.blocks }].slice(-UNDO_MAX);
  }

  /** @param {Block[]} blocks */
  set(blocks) {
    this.blocks = blocks;
    this.changed();
  }

  // Merges the block with the blocks that it overlaps or touches.
  /** @param {number} key */
  settle(key) {
    this.set(settled(this.blocks, key));
    return this.of(key);
  }

  undo() {
    const last = this.#before.pop();
    if (!last) return false;
    this.wrong = null;
    if (!last.blocks.some(({ key }) => key === this.key)) this.key = null;
    this.set(last.blocks);
    return true;
  }

  // Takes the text of a time field. Returns the block, or null if the text is no time.
  /** @param {Block} one @param {"from" | "to"} edge @param {string} text */
  write(one, edge, text) {
    const minutes = minutesOf(text);
    if (minutes === null || (edge === "from" && minutes === DAY)) {
      this.wrong = { key: one.key, edge, text };
      this.choose(one.day, one.key);
      return null;
    }
    this.wrong = null;
    const [start, end] = edge === "from" ? [minutes, endOf(one) % DAY || DAY] : [one.start, minutes];
    this.begin();
    this.blocks = replaced(this.blocks, { ...one, start, length: endAfter(start, end) - start });
    this.choose(one.day, one.key);
    return this.settle(one.key);
  }

  /** @param {Block} one */
  remove(one) {
    if (this.wrong?.key === one.key) this.wrong = null;
    this.begin();
    this.choose(one.day, null);
    this.set(without(this.blocks, one.key));
  }

  // Adds a block on the chosen day and returns it; null if there is no room.
  add() {
    const one = free(this.blocks, this.day);
    if (!one) return null;
    this.begin();
    this.set([...this.blocks, one]);
    this.choose(one.day, one.key);
    return one;
  }

  /** @param {boolean} all days, else the weekdays */
  copy(all) {
    this.begin();
    this.set(copied(this.blocks, this.day, all));
  }
}
