// The row elements: each stays with its thread while it is in view and is reused afterwards.

import { RowElement } from "./row.js";

const SPARE_MAX = 20;

export class RowPool {
  #used = new Map(); // key → RowElement
  #spare = [];

  constructor(parent) {
    this.parent = parent;
  }

  get(key) { return this.#used.get(key); }

  // keys in order from top to bottom; bind(key, row) fills each.
  show(keys, bind) {
    const wanted = new Set(keys);
    for (const [key, row] of this.#used) {
      if (wanted.has(key)) continue;
      this.#used.delete(key);
      this.#spare.push(row);
    }
    const rows = keys.map((key) => this.#take(key));
    keys.forEach((key, place) => bind(key, rows[place]));
    this.#arrange(rows);
    this.#thin();
  }

  // Rows without a thread, before a list is loaded.
  /** @param {number} count @param {number} px @param {string} text */
  showEmpty(count, px, text) {
    const keys = Array.from({ length: count }, (_, index) => `empty-${index}`);
    this.show(keys, (key, row) => {
      const index = keys.indexOf(key);
      row.bindEmpty(text);
      row.place(index * px, { at: index, of: -1 });
    });
  }

  #take(key) {
    let row = this.#used.get(key);
    if (!row) {
      row = this.#spare.pop() ?? new RowElement();
      this.#used.set(key, row);
    }
    return row;
  }

  // Keeps the order of elements equal to the order on screen, for screen readers.
  #arrange(rows) {
    let next = this.parent.firstChild;
    for (const { element } of rows) {
      if (element === next) next = next.nextSibling;
      else this.parent.insertBefore(element, next);
    }
  }

  #thin() {
    for (const { element } of this.#spare) element.remove();
    this.#spare.length = Math.min(this.#spare.length, SPARE_MAX);
  }
}
