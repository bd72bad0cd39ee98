// What may be written at a place of a query, from what the page knows: the same as the server proposes
// (scoring/conditions/language/completion.py), which knows all values. Places are indexes of
// JavaScript texts.

import {
  BLANKS, fieldOf, FIELDS, isBlank, lower, plainValue, typed, written as asWritten,
} from "./text.js";

const SUGGESTIONS_MAX = 20;
const OPERATORS = [">=", "<=", ">", "<"];
const TIMES = ["5m", "10m", "30m", "1h", "4h", "1d", "7d"];
const UNITS = ["m", "h", "d", "s"];
// Behind these no alternative ends: nothing, an opening parenthesis, a minus, `or`.
const ENDS_NOTHING = new RegExp(`(?:^|[(-]|[${BLANKS}(]or)[${BLANKS}]*$`, "i");

// choices: field to the values that are known of it. A suggestion replaces the characters [from, to)
// by its text; its kind is "field", "value" or "operator".
/** @param {string} written @param {number} at @param {Record<string, string[]>} choices
 * @returns {Suggestion[]} */
export function suggest(written, at, choices = {}) {
  const text = typed(written);
  const { start, depth } = termAt(text, at);
  const colon = text.slice(start, at).indexOf(":");
  if (colon < 0) {
    let end = start + /^\p{L}*/u.exec(text.slice(at))[0].length + (at - start);
    if (text[end] === ":") end += 1;
    return placed(names(text, start, at, depth), start, end);
  }
  const field = fieldOf(text.slice(start, start + colon));
  if (!field) return [];
  const commas = [...plain(text, start, at)].filter(([, character]) => character === ",");
  const first = start + colon + 1;
  const begin = commas.length ? commas.at(-1)[0] + 1 : first;
  const others = new Set(text.slice(first, begin).split(",").map(lower));
  const name = lower(text.slice(start, start + colon));
  const found = values(field, text.slice(begin, at), choices[name] ?? []);
  const end = endOf(text, begin, (character) => isBlank(character) || ",()".includes(character));
  return placed(found.filter(([one]) => !others.has(lower(one))), begin, Math.max(at, end));
}

const placed = (found, from, to) => found.slice(0, SUGGESTIONS_MAX)
  .map(([text, kind]) => ({ text, from, to, kind }));

// The characters of text[start:end] that are in no quotes, with their places.
function* plain(text, start, end) {
  let isQuoted = false;
  for (let here = start; here < end; here += 1) {
    if (text[here] === '"') isQuoted = !isQuoted;
    else if (!isQuoted) yield [here, text[here]];
    else if (text[here] === "\\") here += 1;
  }
}

function endOf(text, start, ends) {
  for (const [here, character] of plain(text, start, text.length)) if (ends(character)) return here;
  return text.length;
}

// Where the term at the cursor begins, behind its `-`; and how many parentheses are open.
function termAt(text, at) {
  let start = 0;
  let depth = 0;
  for (const [here, character] of plain(text, 0, at)) {
    depth += Number(character === "(") - Number(character === ")");
    const isMinus = character === "-" && here === start;
    if (isBlank(character) || "()".includes(character) || isMinus) start = here + 1;
  }
  return { start, depth: Math.max(depth, 0) };
}

// The field whose values stand at a place; "" where none do.
/** @param {string} written @param {number} at */
export function fieldAt(written, at) {
  const text = typed(written);
  const [, name] = /^([A-Za-z]+):/.exec(text.slice(termAt(text, at).start, at)) ?? [];
  return name && fieldOf(name) ? lower(name) : "";
}

// Fields, and what holds terms together, that go on as what is written before the cursor.
function names(text, start, at, depth) {
  const begun = lower(text.slice(start, at));
  const before = text.slice(0, start);
  const isBehindGroup = before.endsWith(")");
  const mayEnd = depth > 0 && !ENDS_NOTHING.test(before);
  const found = isBehindGroup ? [] : Object.keys(FIELDS).filter((name) => name.startsWith(begun))
    .map((name) => [`${name}:`, "field"]);
  if (mayEnd && !isBehindGroup && "or".startsWith(begun)) found.push(["or", "operator"]);
  if (begun) return found;
  if (mayEnd) found.push([")", "operator"]);
  if (!isBehindGroup) found.push(["(", "operator"]);
  if (!isBehindGroup && !before.endsWith("-")) found.push(["-", "operator"]);
  return found;
}

function values({ kind, words }, begun, choices) {
  const operator = OPERATORS.find((one) => begun.startsWith(one)) ?? "";
  if (kind === "duration") return durations(operator, begun.slice(operator.length));
  const before = kind === "day" ? operator : "";
  const wanted = lower(plainValue(begun.slice(before.length)));
  const fixed = before || begun.startsWith('"') ? [] : words.filter((word) => word.startsWith(wanted));
  const known = [...new Set(choices)].filter((one) => lower(one).startsWith(wanted))
    .map((one) => before + (words.includes(one) ? `"${one}"` : asWritten(one)));
  return [
    ...[...fixed, ...known].map((one) => [one, "value"]),
    ...(kind === "day" && !begun ? OPERATORS.map((one) => [one, "operator"]) : []),
  ];
}

function durations(operator, number) {
  if (!operator) return number ? [] : [">", "<", ">=", "<="].map((one) => [one, "operator"]);
  if (!number) return TIMES.map((time) => [operator + time, "value"]);
  return /^[0-9]+$/.test(number) ? UNITS.map((unit) => [operator + number + unit, "value"]) : [];
}
