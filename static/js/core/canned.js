// Replies that were written before: found by what follows a slash, filled with who is meant.

const ASKED = /(?:^|\s)\/([a-z0-9-]*)$/i;
const NAMES = /\{\{\s*([a-z]+\.[a-z]+)\s*\}\}/g;
const SHOWN_MAX = 8;

// What is typed of a shortcut right before the caret, or null.
export const askedFor = (before) => ASKED.exec(before)?.[1].toLowerCase() ?? null;

// Shortcuts that begin so come first, then those whose text holds it.
export function suggest(canned, asked) {
  const begins = canned.filter(({ shortcut }) => shortcut.startsWith(asked));
  const holds = canned.filter((one) => !begins.includes(one)
    && (one.shortcut.includes(asked) || one.body.toLowerCase().includes(asked)));
  return [...begins, ...(asked ? holds : [])].slice(0, SHOWN_MAX);
}

// facts: {"customer.name": "Mai", …}; a name that is not among them stays as it is written.
export const fill = (body, facts) => body.replace(NAMES, (whole, name) => facts[name] ?? whole);

export function insert(text, caret, body) {
  const before = text.slice(0, caret).replace(/\/[a-z0-9-]*$/i, "");
  return { text: before + body + text.slice(caret), caret: before.length + body.length };
}
