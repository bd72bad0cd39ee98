// Finds texts by words, without regard to case, diacritics, widths, and which sign stands for an
// apostrophe or a hyphen.

import { unmarked } from "./folding.js";

// The entries, {text, also}, that contain every word, in `also` as well: other words for the same.
// First those that begin with the first word.
/** @param {string} query */
export function matching(entries, query) {
  const words = unmarked(query).split(/\s+/).filter(Boolean);
  const found = entries.filter(({ text, also = "" }) => {
    const here = unmarked(`${text} ${also}`);
    return words.every((word) => here.includes(word));
  });
  const starts = ({ text }) => (words.length && unmarked(text).startsWith(words[0]) ? 0 : 1);
  return found.sort((a, b) => starts(a) - starts(b));
}

// An excerpt in parts, [{text, marked}, …]; marks: [[from, to], …] in code points, in order.
export function parts(excerpt, marks) {
  const points = [...excerpt];
  const made = [];
  let end = 0;
  for (const [from, to] of marks) {
    made.push({ text: points.slice(end, from).join(""), marked: false });
    made.push({ text: points.slice(from, to).join(""), marked: true });
    end = to;
  }
  made.push({ text: points.slice(end).join(""), marked: false });
  return made.filter(({ text }) => text);
}
