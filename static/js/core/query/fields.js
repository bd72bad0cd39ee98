// The fields of the condition language, as scoring/conditions/fields.py declares them; a test
// compares the two.

const durations = { kind: "duration", words: [] };
const days = { kind: "day", words: [] };

/** @type {Record<string, {kind: string, words: string[]}>} in the order in which they are proposed */
export const FIELDS = {
  is: {
    kind: "word", words: ["open", "closed", "waiting", "answered", "unanswered", "snoozed", "late"],
  },
  assigned: { kind: "admin", words: ["me", "none", "anyone"] },
  mentions: { kind: "admin", words: ["me", "none"] },
  priority: { kind: "word", words: ["urgent", "high", "normal", "low"] },
  member: { kind: "word", words: ["0", "1", "2", "3", "4", "5", "none"] },
  source: { kind: "name", words: [] },
  desk: { kind: "name", words: [] },
  tag: { kind: "tag", words: ["none"] },
  lang: { kind: "language", words: ["none"] },
  last: { kind: "word", words: ["client", "admin", "bot"] },
  waits: durations,
  quiet: durations,
  age: durations,
  due: durations,
  created: days,
  closed: days,
};

// ASCII letters in lower case: the text keeps its length.
/** @param {string} text */
export const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** @param {string} name @returns {{kind: string, words: string[]} | null} */
export const fieldOf = (name) => (Object.hasOwn(FIELDS, lower(name)) ? FIELDS[lower(name)] : null);
