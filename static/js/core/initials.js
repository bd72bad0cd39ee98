// The avatar of a person without a picture: one letter and a hue, from name and id. And what stands
// for the name of a person without one: a number.

function hash(id) {
  let value = 0x811c9dc5;
  for (const char of String(id)) value = Math.imul(value ^ char.codePointAt(0), 0x01000193);
  return value >>> 0;
}

/** @param {string} id */
export const hue = (id) => hash(id) % 360;

const OWN_NUMBER = /(?:^|[^0-9a-z])[a-z]{0,8}0*([1-9]\d{0,6})$/i;

// The number at the end of the id ("c004091": 4091), or four digits that stay the same for it.
/** @param {string} id */
export function visitorNumber(id) {
  const own = String(id).match(OWN_NUMBER)?.[1];
  return own ?? String(1000 + (hash(id) % 9000));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const VISIBLE = /[\p{L}\p{N}\p{Emoji_Presentation}]/u;

// The first letter, digit or emoji; "?" if there is none.
/** @param {string} name */
export function initial(name) {
  for (const { segment } of segmenter.segment(name)) {
    const found = segment.match(VISIBLE);
    if (found) return found[0].toLocaleUpperCase();
  }
  return "?";
}
