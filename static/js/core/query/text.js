// Reads as much of a query as the page needs to change it: where its terms, groups and words stand.
// Whether it is right is for the server to say. Places are indexes of JavaScript texts.

import { FIELDS } from "./fields.js";

// The blanks, for a class of a regular expression.
export const BLANKS = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200b"
  + "\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff";
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
  const terms = [];
  const isSearch = !hasConditions(text);
  for (let at = 0; at < text.length;) {
    if (isBlank(text[at])) at += 1;
    else {
      const part = isSearch ? wordAt(text, at) : partAt(text, at);
      terms.push(part);
      at = part.end;
    }
  }
  return terms;
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

// Conditions that were typed in other widths and signs, such as `ｔａｇ：“ｖｉｐ”`: read as the server reads
// them (scoring/conditions/language/typing.py). It does without the table of core/folding.json.
const TERM = new RegExp(`(?<![^${BLANKS}])[-\\u2010-\\u2015\\u2212\\uff0d(\\uff08]*`
  + `([A-Za-z\\uff21-\\uff3a\\uff41-\\uff5a]+)[:\\uff1a][^${BLANKS}]*`, "gu");

const WIDE = /[\uff01-\uff5e]/gu;
const QUOTE = /[\u00ab\u00bb\u201c-\u201f\u301d-\u301f]/gu;
const HYPHEN = /[\u2010-\u2015\u2212]/gu;

const plain = (text) => text.replace(WIDE, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
  .replace(QUOTE, '"').replace(HYPHEN, "-").replaceAll("\u3001", ",");

// The text with conditions in the signs of the language; every character keeps its place.
/** @param {string} text */
export const typed = (text) => text.replace(TERM, (term, name) => (fieldOf(plain(name)) ? plain(term) : term));

// ASCII letters in lower case: the text keeps its length.
/** @param {string} text */
export const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** @param {string} name @returns {{kind: string, words: string[]} | null} */
export const fieldOf = (name) => (Object.hasOwn(FIELDS, lower(name)) ? FIELDS[lower(name)] : null);

// Where a query is wrong, as the server says it.
export const LENGTH_MAX = 1000; // characters of a query

// What the server counts is characters. Returns {at, end, expected}, places in the text of JavaScript:
// [at, end) is what cannot stand there, empty where the text ends too early. null for other problems.
/** @param {any} problem @param {string} text @returns {QueryMistake | null} */
export function mistakeOf(problem, text) {
  if (problem?.code !== "invalid_query") return null;
  const { at: count, expected } = problem.at === undefined ? problem.errors?.[0] ?? {} : problem;
  if (!Number.isInteger(count)) return null;
  const at = placeOf(text, count);
  const is = { isLong: count >= LENGTH_MAX, pointer: problem.errors?.[0]?.pointer ?? "" };
  return { at, end: mistakeEnd(text, at), expected: expected ?? [], ...is };
}

// The rest of what stands there: up to the next blank, comma or parenthesis; one character at least.
function mistakeEnd(text, at) {
  if (at >= text.length) return at;
  let end = at + String.fromCodePoint(text.codePointAt(at)).length;
  while (end < text.length && !isBlank(text[end]) && !",()".includes(text[end])) end += 1;
  return end;
}

// The whole value or name that holds the mistake.
/** @param {string} text @param {QueryMistake} mistake */
export function aroundWord(text, { at, end }) {
  let start = at;
  while (start > 0 && !isBlank(text[start - 1]) && !",():".includes(text[start - 1])) start -= 1;
  return text.slice(start, end);
}

// The text in three parts: before the mistake, what is wrong, and behind it.
/** @param {string} text @param {QueryMistake} mistake */
export const aroundMistake = (text, { at, end }) => (
  [text.slice(0, at), text.slice(at, end), text.slice(end)]
);

// The conditions of who the threads are assigned to.
const ASSIGNED = { unassigned: "assigned:none", mine: "assigned:me" };

// savedViews: those of the admin; viewQueries: the conditions of the built-in views.
/** @param {ListName} list @param {{of(id: string): {query: string} | undefined}} savedViews
 * @param {Record<string, string>} viewQueries */
export function conditionsOf({ view, query, filter }, savedViews, viewQueries) {
  const conditions = query ?? savedViews.of(view)?.query ?? viewQueries[view] ?? "";
  return [conditions, ASSIGNED[filter] ?? ""].filter(Boolean).join(" ");
}
