// Finds texts by words, without regard to case and diacritics.

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").replace(/[đĐ]/g, "d")
  .toLowerCase();

// The entries, {text, also}, that contain every word, in `also` as well: other words for the same.
// First those that begin with the first word.
/** @param {string} query */
export function matching(entries, query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const found = entries.filter(({ text, also = "" }) => {
    const here = plain(`${text} ${also}`);
    return words.every((word) => here.includes(word));
  });
  const starts = ({ text }) => (words.length && plain(text).startsWith(words[0]) ? 0 : 1);
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
