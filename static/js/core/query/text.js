// Parses as much of a query as the page needs to change it: the places of its terms, groups and words.
// The server decides whether it is right. Places are indexes of JavaScript strings.

import { FIELDS } from "./fields.js";

// The blanks, for use in a class of a regular expression.
export const BLANKS = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200b"
  + "\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff";
const BLANK = new RegExp(`[${BLANKS}]`);
// The same rule as in scoring/conditions/language/parser.py.
const LOOKS_LIKE_A_TERM = new RegExp(`^-?([A-Za-z]+):(?![${BLANKS}/]|$)`);
const NAMED = /^-?([A-Za-z]+):/;

/** @param {string} character */
export const isBlank = (character) => BLANK.test(character);

// Converts between places and characters (code points): `charactersBefore` counts them before a place,
// `placeOf` returns the place after them. The server counts characters.
/** @param {string} text @param {number} at */
export const charactersBefore = (text, at) => [...text.slice(0, at)].length;
/** @param {string} text @param {number} count */
export const placeOf = (text, count) => [...text].slice(0, count).join("").length;

// Returns the place after the closing quote of the one at `at`; -1 if there is none.
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

// Returns the end of the part that begins at `at`: before a character that `ends`, outside of quotes.
/** @param {string} text @param {number} at @param {(character: string) => boolean} ends */
function endOf(text, at, ends) {
  let here = at;
  while (here < text.length && !ends(text[here])) {
    here = text[here] === '"' ? behindQuotes(text, here) : here + 1;
  }
  return Math.min(here, text.length);
}

// Returns the place after the closing parenthesis of the one at `at`.
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

// Whether a text has a condition outside of quotes. If not, it is only words of a search, including its
// parentheses.
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

// Returns the parts of a query in order: {kind: "term" | "group" | "word", start, end}; terms also have
// {field, isNot, values: as written}.
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

// Whether a query has words to search for; a query without words is a list.
/** @param {string} text */
export const hasWords = (text) => partsOf(text).some(({ kind }) => kind === "word");

// Returns the terms of a field that all threads must meet, in order; terms in groups are not among them.
/** @param {string} text @param {string} field @returns {QueryPart[]} */
export const termsOf = (text, field) => partsOf(text).filter((part) => part.field === field);

// Returns the meaning of a written value: without quotes and backslashes.
/** @param {string} value */
export const plainValue = (value) => (value.startsWith('"')
  ? value.slice(1).replace(/"$/, "").replace(/\\(.)/g, "$1") : value);

// Returns a name as it is written in a query, in quotes if needed.
/** @param {string} name */
export const written = (name) => (/^[^",()]+$/.test(name) && ![...name].some(isBlank) ? name
  : `"${name.replace(/["\\]/g, "\\$&")}"`);

// Returns the text with other values in a term; without values the term is removed. The rest stays.
/** @param {string} text @param {QueryPart} term @param {string[]} values */
export function withValues(text, term, values) {
  if (!values.length) return without(text, term);
  const colon = typed(text).indexOf(":", term.start) + 1;
  return text.slice(0, colon) + values.join(",") + text.slice(term.end);
}

// Returns the text without a part, and without the blanks before it, or after it at the beginning.
/** @param {string} text @param {QueryPart} part */
export function without(text, { start, end }) {
  let before = start;
  while (before > 0 && isBlank(text[before - 1])) before -= 1;
  let behind = end;
  if (before === 0) while (behind < text.length && isBlank(text[behind])) behind += 1;
  return text.slice(0, before) + text.slice(behind);
}

// Returns the text with one more term: at the end, or at the beginning if the end is unfinished.
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

// Conditions typed in other widths and signs, such as `ｔａｇ：“ｖｉｐ”`, are read as the server reads them
// (scoring/conditions/language/typing.py), which does not use the table of core/folding.json.
const TERM = new RegExp(`(?<![^${BLANKS}])[-\\u2010-\\u2015\\u2212\\uff0d(\\uff08]*`
  + `([A-Za-z\\uff21-\\uff3a\\uff41-\\uff5a]+)[:\\uff1a][^${BLANKS}]*`, "gu");

const WIDE = /[\uff01-\uff5e]/gu;
const QUOTE = /[\u00ab\u00bb\u201c-\u201f\u301d-\u301f]/gu;
const HYPHEN = /[\u2010-\u2015\u2212]/gu;

const plain = (text) => text.replace(WIDE, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
  .replace(QUOTE, '"').replace(HYPHEN, "-").replaceAll("\u3001", ",");

// Returns the text with conditions in standard signs; every character keeps its place.
/** @param {string} text */
export const typed = (text) => text.replace(TERM, (term, name) => (fieldOf(plain(name)) ? plain(term) : term));

// Lowers ASCII letters: the text keeps its length.
/** @param {string} text */
export const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** @param {string} name @returns {{kind: string, words: string[]} | null} */
export const fieldOf = (name) => (Object.hasOwn(FIELDS, lower(name)) ? FIELDS[lower(name)] : null);

// Mistakes in a query, as the server reports them.
export const LENGTH_MAX = 1000; // characters of a query

// Converts the server's characters to {at, end, expected} with places in the JavaScript string: [at, end)
// is the wrong part, empty if the text ends too early. Returns null for other problems.
/** @param {any} problem @param {string} text @returns {QueryMistake | null} */
export function mistakeOf(problem, text) {
  if (problem?.code !== "invalid_query") return null;
  const { at: count, expected } = problem.at === undefined ? problem.errors?.[0] ?? {} : problem;
  if (!Number.isInteger(count)) return null;
  const at = placeOf(text, count);
  const is = { isLong: count >= LENGTH_MAX, pointer: problem.errors?.[0]?.pointer ?? "" };
  return { at, end: mistakeEnd(text, at), expected: expected ?? [], ...is };
}

// Returns the end of the wrong part: the next blank, comma or parenthesis, at least one character away.
function mistakeEnd(text, at) {
  if (at >= text.length) return at;
  let end = at + String.fromCodePoint(text.codePointAt(at)).length;
  while (end < text.length && !isBlank(text[end]) && !",()".includes(text[end])) end += 1;
  return end;
}

// Returns the whole value or name around the mistake.
/** @param {string} text @param {QueryMistake} mistake */
export function aroundWord(text, { at, end }) {
  let start = at;
  while (start > 0 && !isBlank(text[start - 1]) && !",():".includes(text[start - 1])) start -= 1;
  return text.slice(start, end);
}

// Splits the text in three: before the mistake, the mistake, and after it.
/** @param {string} text @param {QueryMistake} mistake */
export const aroundMistake = (text, { at, end }) => (
  [text.slice(0, at), text.slice(at, end), text.slice(end)]
);
