// Finds texts by words, ignoring case, diacritics, widths, and the different signs for apostrophes and
// hyphens.

import table from "./folding.json" with { type: "json" };

// Returns the entries {text, also} that contain every word in `text` or in `also`, which has synonyms.
// Entries that begin with the first word come first.
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

// Splits a part of a message's text, which begins at `offset`, into [{text, marked}, …].
/** @param {string} text @param {number} offset @param {[number, number][]} marks */
export function markedParts(text, offset, marks) {
  const points = [...text];
  const pieces = [];
  let end = 0;
  for (const [from, to] of marks) {
    const low = Math.max(from - offset, end);
    const high = Math.min(to - offset, points.length);
    if (low >= high) continue;
    if (low > end) pieces.push({ text: points.slice(end, low).join(""), marked: false });
    pieces.push({ text: points.slice(low, high).join(""), marked: true });
    end = high;
  }
  if (end < points.length) pieces.push({ text: points.slice(end).join(""), marked: false });
  return pieces;
}

// Folds texts, so that a search finds other spellings. The server folds in the same way
// (scoring/conditions/folding.py), with the same table; a test compares the two.
const SIGNS = new Map(Object.entries(table.signs).flatMap(
  ([typed, signs]) => [...signs].map((sign) => [sign, typed]),
));
const OTHER_SIGN = new RegExp(`[${[...SIGNS.keys()].join("")}]`, "gu");
const LETTER = new RegExp(`[${Object.keys(table.letters).join("")}]`, "gu");
const MARKS = new RegExp(`[${table.marks}]`, "gu");
const BLANKS = /[\s\u001c-\u001f\u0085]+/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

const withSigns = (text) => text.replace(OTHER_SIGN, (sign) => SIGNS.get(sign));

// Returns the text in one spelling: composed, letters and digits in their usual width, one sign for all
// apostrophes, and one for all hyphens and dashes. Case stays.
/** @param {string} text */
export const plain = (text) => withSigns(withSigns(text.replace(UNSEEN, "")).normalize("NFKC"))
  .normalize("NFKC");

// Returns the plain text without case, and with one blank for all white space between words.
/** @param {string} text */
export const folded = (text) => caseless(plain(text)).split(BLANKS).filter(Boolean).join(" ");

// Returns the plain text without case and without diacritics: `Đặng` becomes `dang`.
/** @param {string} text */
export const unmarked = (text) => caseless(plain(text)).normalize("NFKD").replace(MARKS, "")
  .replace(LETTER, (letter) => table.letters[letter]);

// Folds case like Unicode: `toLowerCase` would leave `ß` and `ς`. A dotless `ı` does not become `i`.
const caseless = (text) => text
  .replace(/[^ı]+/gu, (run) => run.toLowerCase().toUpperCase().toLowerCase())
  .replaceAll("ς", "σ").replace(/[\u13f8-\u13fd\uab70-\uabbf]/gu, (letter) => letter.toUpperCase());
