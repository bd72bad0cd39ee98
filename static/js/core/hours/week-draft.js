// A week while it is edited: its blocks, the day and the block that are chosen, and what can be undone.

import { DAY, endAfter, minutesOf } from "./clock.js";
import { blocksOf, copied, endOf, free, replaced, settled, weekOf, without } from "./week.js";

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

  // changed(): the open time is another; chosen(): the choice is.
  /** @param {WeekDraftParts} parts */
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

  // Ahead of a change. what: changes of one kind in a row are undone together.
  begin(what = "") {
    if (what && this.#before.at(-1)?.what === what) return;
    this.#before = [...this.#before, { what, blocks: this.blocks }].slice(-UNDO_MAX);
  }

  /** @param {Block[]} blocks */
  set(blocks) {
    this.blocks = blocks;
    this.changed();
  }

  // Takes in what it overlaps or touches.
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

  // A time as it was written into a field; null where it cannot be read.
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

  // A block more on the chosen day; null where it has no room.
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
