// Where a query is wrong, as the server says it.

import { isBlank, placeOf } from "./text.js";

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
  return { at, end: endOf(text, at), expected: expected ?? [], ...is };
}

// The rest of what stands there: up to the next blank, comma or parenthesis; one character at least.
function endOf(text, at) {
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
