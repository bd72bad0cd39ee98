// The filters above a list: terms of some fields with values that can be switched on and off. Their only
// state is the text of the query, which they read and write.

import { FIELDS } from "./fields.js";
import { lower, plainValue, termsOf, without, withTerm, withValues, written } from "./text.js";

export const FILTERED = ["source", "lang", "tag", "priority", "member", "assigned", "age"];
export const AGES = ["<1h", "<1d", "<7d", "<30d", ">1d", ">7d", ">30d"];
const UNIT_MS = { s: 1, m: 60, h: 3600, d: 86_400 };

// Returns a filter for each term of the fields, and an empty one for each field without a term.
/** @param {string} text @returns {QueryFilter[]} */
export function filtersOf(text) {
  return FILTERED.flatMap((field) => {
    const terms = termsOf(text, field);
    return terms.length ? terms.map((term) => ({ field, term, values: term.values.map(plainValue) }))
      : [{ field, term: null, values: [] }];
  });
}

// Different units may mean the same time: <24h is <1d.
const comparable = (field, value) => {
  const time = FIELDS[field].kind === "duration" && /^([<>]=?)(\d+)([smhd])$/.exec(lower(value));
  if (time) return `${time[1]}${Number(time[2]) * UNIT_MS[time[3]]}`;
  return FIELDS[field].kind === "name" ? value : lower(value);
};

/** @param {QueryFilter} filter @param {string} value */
export function has({ field, values }, value) {
  return values.some((one) => comparable(field, one) === comparable(field, value));
}

// A thread has only one age, so another value replaces it.
/** @param {string} field */
export const isSingle = (field) => FIELDS[field].kind === "duration";

// Returns the text with a value switched on, or off if it was on.
/** @param {string} text @param {QueryFilter} filter @param {string} value */
export function toggled(text, filter, value) {
  const { field, term } = filter;
  if (!term) return withTerm(text, field, [written(value)]);
  const kept = term.values.filter((one) => (
    comparable(field, plainValue(one)) !== comparable(field, value)
  ));
  if (kept.length < term.values.length) return withValues(text, term, kept);
  const others = isSingle(field) ? [] : term.values.filter((one) => one !== "");
  return withValues(text, term, [...others, written(value)]);
}

/** @param {string} text @param {QueryFilter} filter */
export const removed = (text, { term }) => (term ? without(text, term) : text);

// The values in the menu of a filter. While it is open they stay in place: the server's values come later
// and are added below, so that a press meets the value aimed at.
const READ = ["source", "lang", "tag", "assigned"];

export class Offered {
  #shown = {}; // field → values in the menu, besides the words of the field
  #found = {}; // field → values that occur in threads

  // read(field) resolves to the values that occur.
  /** @param {(field: string) => Promise<string[]>} read */
  constructor(read) { this.read = read; }

  /** @param {QueryFilter} filter @returns {string[]} */
  of(filter) {
    const known = filter.field === "age" ? AGES
      : [...FIELDS[filter.field].words, ...this.#shown[filter.field] ?? []];
    return [...known, ...withoutValues(filter.values.filter(Boolean), known, filter)];
  }

  // Called when the menu opens. Resolves to true if there may be more to show.
  /** @param {QueryFilter} filter */
  async opened(filter) {
    const { field } = filter;
    if (!READ.includes(field)) return false;
    const shown = withoutValues(this.of(filter), FIELDS[field].words, filter);
    this.#shown[field] = shown;
    const found = (await this.read(field)).map(plainValue);
    this.#found[field] = withoutValues(found, FIELDS[field].words, filter);
    if (this.#shown[field] !== shown) return false;
    this.#shown[field] = [...shown, ...withoutValues(this.#found[field], shown, filter)];
    return true;
  }

  /** @param {string} field */
  closed(field) { this.#shown[field] = this.#found[field] ?? this.#shown[field]; }
}

const withoutValues = (values, others, filter) => (
  values.filter((value) => !others.some((one) => has({ ...filter, values: [one] }, value)))
);
