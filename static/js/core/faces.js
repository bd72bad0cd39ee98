// What stands for a person without a picture: one letter and a hue, from name and id.

export function hue(id) {
  let hash = 0x811c9dc5;
  for (const char of String(id)) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193);
  return (hash >>> 0) % 360;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const VISIBLE = /[\p{L}\p{N}\p{Emoji_Presentation}]/u;

// The first letter, digit or emoji without its marks; "?" where there is none.
export function initial(name) {
  for (const { segment } of segmenter.segment(name)) {
    const found = segment.match(VISIBLE);
    if (found) return found[0].toLocaleUpperCase();
  }
  return "?";
}
