// The values that the menu of a filter offers. While it is open they stand still: the server's come
// late, and below what was shown, or a press would meet another value than the one aimed at.

import { FIELDS } from "./fields.js";
import { AGES, has } from "./filters.js";
import { plainValue } from "./text.js";

const READ = ["source", "lang", "tag", "assigned"];

export class Offered {
  #shown = {}; // field → values that the menu shows, but for the words of the field
  #found = {}; // field → values that occur

  // read(field) gives the values that occur.
  /** @param {(field: string) => Promise<string[]>} read */
  constructor(read) { this.read = read; }

  /** @param {QueryFilter} filter @returns {string[]} */
  of(filter) {
    const known = filter.field === "age" ? AGES
      : [...FIELDS[filter.field].words, ...this.#shown[filter.field] ?? []];
    return [...known, ...without(filter.values.filter(Boolean), known, filter)];
  }

  // Its menu opens; true once there may be more to show.
  /** @param {QueryFilter} filter */
  async opened(filter) {
    const { field } = filter;
    if (!READ.includes(field)) return false;
    const shown = without(this.of(filter), FIELDS[field].words, filter);
    this.#shown[field] = shown;
    const found = (await this.read(field)).map(plainValue);
    this.#found[field] = without(found, FIELDS[field].words, filter);
    if (this.#shown[field] !== shown) return false;
    this.#shown[field] = [...shown, ...without(this.#found[field], shown, filter)];
    return true;
  }

  /** @param {string} field */
  closed(field) { this.#shown[field] = this.#found[field] ?? this.#shown[field]; }
}

const without = (values, others, filter) => (
  values.filter((value) => !others.some((one) => has({ ...filter, values: [one] }, value)))
);
