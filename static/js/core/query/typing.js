// Conditions that were typed in other widths and signs, such as `ｔａｇ：“ｖｉｐ”`: read as the server reads
// them (scoring/conditions/language/typing.py). The first paint waits for it: it does without the table of
// core/folding.js.

import { fieldOf } from "./fields.js";

// The blanks, for a class of a regular expression.
export const BLANKS = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200b"
  + "\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff";
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
