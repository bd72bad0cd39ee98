// Makes hidden characters in names visible: zero-width and bidirectional controls, fillers, tags.
// Otherwise `admin` and `admin` with a zero-width space would look the same.

const HIDDEN = "(?:(?![\\t\\n\\r])[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2800\\ufff9-\\ufffb"
  + "\\u{13430}-\\u{1343f}\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}])";
// Scripts with letters that change their shape at a joiner.
const JOINING = `[${["Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi",
  "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar",
].map((script) => `\\p{Script=${script}}`).join("")}]`;
const PICTURE = "\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\ufe0f)?";
// Hidden characters that stay because they change what is seen: in emoji, between joining letters, and
// after an ideograph with variants.
const KEPT = [
  "\\p{RGI_Emoji}", `${PICTURE}(?:\\u200d${PICTURE})+`, "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]",
  `(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`,
  "\\p{Script=Han}[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
].join("|");

// Blanks, except for non-breaking ones, which our own texts contain.
const BLANK = "[^\\S\u00a0\u202f]";
const ANY = new RegExp(`${HIDDEN}|${BLANK}{2}|(?! )${BLANK}|^\\s|\\s$`, "u");
const BLANKS = new RegExp(`${BLANK}+`, "gu");
const PARTS = new RegExp(`(${KEPT})|${HIDDEN}+`, "gv");
const MARK = "\ufffd";

// Returns the text with a mark for each run of hidden characters, and single blanks between words.
/** @param {string} text */
export function shown(text) {
  if (!ANY.test(text)) return text;
  return text.replace(PARTS, (_, kept) => kept ?? MARK).replace(BLANKS, " ").trim();
}

// The avatar of a person without a picture, one letter and a hue, computed from name and id; and the
// number that stands for a missing name.
function hash(id) {
  let value = 0x811c9dc5;
  for (const char of String(id)) value = Math.imul(value ^ char.codePointAt(0), 0x01000193);
  return value >>> 0;
}

/** @param {string} id */
export const hue = (id) => hash(id) % 360;

const OWN_NUMBER = /(?:^|[^0-9a-z])[a-z]{0,8}0*([1-9]\d{0,6})$/i;

// Returns the number at the end of the id ("c004091": 4091), or four digits computed from the id.
/** @param {string} id */
export function visitorNumber(id) {
  const own = String(id).match(OWN_NUMBER)?.[1];
  return own ?? String(1000 + (hash(id) % 9000));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const VISIBLE = /[\p{L}\p{N}\p{Emoji_Presentation}]/u;

// Returns the first letter, digit or emoji; "?" if there is none.
/** @param {string} name */
export function initial(name) {
  for (const { segment } of segmenter.segment(name)) {
    const found = segment.match(VISIBLE);
    if (found) return found[0].toLocaleUpperCase();
  }
  return "?";
}
