// Canned replies: found by what follows a slash, with placeholders for names.

import { folded, unmarked } from "../folding.js";

// A slash of any width, and what stands behind it.
const ASKED = /(?:^|\s)[/\uff0f]([^\s/\uff0f]*)$/u;
const SHORTCUT = /^[a-z0-9-]*$/;
const NAMES = /\{\{\s*([a-z]+\.[a-z]+)\s*\}\}/g;
const SHOWN_MAX = 8;

// The part of a shortcut that stands right before the caret, or null.
/** @param {string} before */
export function typedShortcut(before) {
  const [, typed] = ASKED.exec(before) ?? [];
  const asked = folded(typed ?? "");
  return typed !== undefined && SHORTCUT.test(asked) ? asked : null;
}

// First those whose shortcut begins with it, then those whose shortcut or text contains it.
export function suggest(canned, asked) {
  const begins = canned.filter(({ shortcut }) => shortcut.startsWith(asked));
  const holds = canned.filter((one) => !begins.includes(one)
    && (one.shortcut.includes(asked) || unmarked(one.body).includes(asked)));
  return [...begins, ...(asked ? holds : [])].slice(0, SHOWN_MAX);
}

// facts: {"customer.name": "Mai", …}; an unknown placeholder stays as it is.
/** @param {string} body */
export const fill = (body, facts) => body.replace(NAMES, (whole, name) => facts[name] ?? whole);

// typed: a slash and a shortcut before the caret give way to the reply.
/** @param {string} text @param {string} body */
export function insert(text, caret, body, typed = true) {
  const before = typed ? text.slice(0, caret).replace(/[/\uff0f]\S*$/u, "") : text.slice(0, caret);
  return { text: before + body + text.slice(caret), caret: before.length + body.length };
}
