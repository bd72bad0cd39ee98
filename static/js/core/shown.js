// Makes visible what hides in a name: zero-width and bidirectional controls, fillers, tags. Without
// it, `admin` and `admin` with a zero-width space behind look the same.

const HIDDEN = "(?:(?![\\t\\n\\r])[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2800\\ufff9-\\ufffb"
  + "\\u{13430}-\\u{1343f}\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}])";
// Scripts whose letters take another shape at a joiner.
const JOINING = `[${["Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi",
  "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar",
].map((script) => `\\p{Script=${script}}`).join("")}]`;
const PICTURE = "\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\ufe0f)?";
// Where such a character changes what is seen, it stays: in emoji, between letters that join, and
// behind an ideograph that has variants.
const KEPT = [
  "\\p{RGI_Emoji}", `${PICTURE}(?:\\u200d${PICTURE})+`, "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]",
  `(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`,
  "\\p{Script=Han}[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
].join("|");

// Blanks other than those that do not break, which texts of ours hold.
const BLANK = "[^\\S\u00a0\u202f]";
const ANY = new RegExp(`${HIDDEN}|${BLANK}{2}|(?! )${BLANK}|^\\s|\\s$`, "u");
const BLANKS = new RegExp(`${BLANK}+`, "gu");
const PARTS = new RegExp(`(${KEPT})|${HIDDEN}+`, "gv");
const MARK = "\ufffd";

// The text with a mark for each run of hidden characters, and single blanks between words.
/** @param {string} text */
export function shown(text) {
  if (!ANY.test(text)) return text;
  return text.replace(PARTS, (_, kept) => kept ?? MARK).replace(BLANKS, " ").trim();
}
