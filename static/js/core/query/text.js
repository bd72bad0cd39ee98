// Reads as much of a query as the page needs to change it: where its terms, groups and words stand.
// Whether it is right is for the server to say. Places are indexes of JavaScript texts.

import { fieldOf, lower } from "./fields.js";
import { BLANKS, typed } from "./typing.js";

const BLANK = new RegExp(`[${BLANKS}]`);
// As in scoring/conditions/language/parser.py.
const LOOKS_LIKE_A_TERM = new RegExp(`^-?([A-Za-z]+):(?![${BLANKS}/]|$)`);
const NAMED = /^-?([A-Za-z]+):/;

/** @param {string} character */
export const isBlank = (character) => BLANK.test(character);

// Characters (code points) of a text before a place, and the place behind so many: the server counts
// characters.
/** @param {string} text @param {number} at */
export const charactersBefore = (text, at) => [...text.slice(0, at)].length;
/** @param {string} text @param {number} count */
export const placeOf = (text, count) => [...text].slice(0, count).join("").length;

// Behind the quote that closes the one at `at`; -1 where none does.
/** @param {string} text @param {number} at */
function closed(text, at) {
  for (let here = at + 1; here < text.length; here += 1) {
    if (text[here] === "\\") here += 1;
    else if (text[here] === '"') return here + 1;
  }
  return -1;
}

/** @param {string} text @param {number} at */
function behindQuotes(text, at) {
  const end = closed(text, at);
  return end < 0 ? text.length : end;
}

// Where what begins at `at` ends: before one of these characters outside of quotes.
/** @param {string} text @param {number} at @param {(character: string) => boolean} ends */
function endOf(text, at, ends) {
  let here = at;
  while (here < text.length && !ends(text[here])) {
    here = text[here] === '"' ? behindQuotes(text, here) : here + 1;
  }
  return Math.min(here, text.length);
}

// Behind the parenthesis that closes the one at `at`.
/** @param {string} text @param {number} at */
function behindGroup(text, at) {
  let depth = 0;
  let here = at;
  do {
    if (text[here] === "(") depth += 1;
    if (text[here] === ")") depth -= 1;
    here = text[here] === '"' ? behindQuotes(text, here) : here + 1;
  } while (depth > 0 && here < text.length);
  return Math.min(here, text.length);
}

const ofTerm = (character) => isBlank(character) || character === "(" || character === ")";

/** @param {string} rest */
function looksLikeATerm(rest) {
  return Boolean(fieldOf(NAMED.exec(rest)?.[1] ?? "")) || LOOKS_LIKE_A_TERM.test(rest);
}

// Whether a text says a condition anywhere outside of quotes: others are words of a search alone,
// with their parentheses.
/** @param {string} written */
export function hasConditions(written) {
  const text = typed(written);
  for (let at = 0; at < text.length;) {
    if (text[at] === '"') at = behindQuotes(text, at);
    else if (isBlank(text[at]) || text[at] === "(" || text.startsWith("-(", at)) at += 1;
    else if (looksLikeATerm(text.slice(at))) return true;
    else at = endOfWord(text, at);
  }
  return false;
}

// The parts of a query in order: {kind: "term" | "group" | "word", start, end}; terms also with
// {field, isNot, values: as they are written}.
/** @param {string} written @returns {QueryPart[]} */
export function partsOf(written) {
  const text = typed(written);
  const parts = [];
  const isSearch = !hasConditions(text);
  for (let at = 0; at < text.length;) {
    if (isBlank(text[at])) at += 1;
    else {
      const part = isSearch ? wordAt(text, at) : partAt(text, at);
      parts.push(part);
      at = part.end;
    }
  }
  return parts;
}

/** @param {string} text @param {number} start @returns {QueryPart} */
function partAt(text, start) {
  const open = text[start] === "-" ? start + 1 : start;
  if (text[open] === "(") return { kind: "group", start, end: behindGroup(text, open) };
  const rest = text.slice(start);
  if (!looksLikeATerm(rest)) return wordAt(text, start);
  const [, name] = NAMED.exec(rest);
  const end = Math.max(endOf(text, start, ofTerm), start + 1);
  const first = open + name.length + 1;
  return {
    kind: "term", start, end, field: lower(name), isNot: open > start,
    values: valuesIn(text.slice(first, end)),
  };
}

/** @param {string} text @param {number} start @returns {QueryPart} */
function wordAt(text, start) {
  const end = text[start] === '"' ? behindQuotes(text, start) : start + 1;
  return { kind: "word", start, end: text[start] === '"' ? end : endOfWord(text, end) };
}

function endOfWord(text, at) {
  let end = at;
  while (end < text.length && !isBlank(text[end])) end += 1;
  return end;
}

/** @param {string} text */
function valuesIn(text) {
  const values = [];
  for (let at = 0; at <= text.length;) {
    const end = endOf(text, at, (character) => character === ",");
    values.push(text.slice(at, end));
    at = end + 1;
  }
  return values;
}

// What is searched for: a query without words is a list.
/** @param {string} text */
export const hasWords = (text) => partsOf(text).some(({ kind }) => kind === "word");

// The terms of a field that all threads must meet, in order; what stands in groups is not among them.
/** @param {string} text @param {string} field @returns {QueryPart[]} */
export const termsOf = (text, field) => partsOf(text).filter((part) => part.field === field);

// What a value stands for: without quotes and backslashes.
/** @param {string} value */
export const plainValue = (value) => (value.startsWith('"')
  ? value.slice(1).replace(/"$/, "").replace(/\\(.)/g, "$1") : value);

// A name as it is written in a query, in quotes where it needs them.
/** @param {string} name */
export const written = (name) => (/^[^",()]+$/.test(name) && ![...name].some(isBlank) ? name
  : `"${name.replace(/["\\]/g, "\\$&")}"`);

// The text with other values in a term; without any, without the term. The rest stays as it was.
/** @param {string} text @param {QueryPart} term @param {string[]} values */
export function withValues(text, term, values) {
  if (!values.length) return without(text, term);
  const colon = typed(text).indexOf(":", term.start) + 1;
  return text.slice(0, colon) + values.join(",") + text.slice(term.end);
}

// The text without one of its parts, and without the blanks before it, or behind it at the beginning.
/** @param {string} text @param {QueryPart} part */
export function without(text, { start, end }) {
  let before = start;
  while (before > 0 && isBlank(text[before - 1])) before -= 1;
  let behind = end;
  if (before === 0) while (behind < text.length && isBlank(text[behind])) behind += 1;
  return text.slice(0, before) + text.slice(behind);
}

// The text with one more term: behind all others, or before them where the end is not finished.
/** @param {string} text @param {string} field @param {string[]} values @param {boolean} isNot */
export function withTerm(text, field, values, isNot = false) {
  const term = `${isNot ? "-" : ""}${field}:${values.join(",")}`;
  if ([...text].every(isBlank)) return term;
  return isFinished(text) ? `${text.trimEnd()} ${term}` : `${term} ${text.trimStart()}`;
}

// Whether all quotes and parentheses are closed.
/** @param {string} written */
function isFinished(written) {
  const text = typed(written);
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const end = text[at] === '"' ? closed(text, at) : at + 1;
    if (end < 0) return false;
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    at = end;
  }
  return depth <= 0;
}
