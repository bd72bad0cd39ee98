// Colleagues who are named by `@` in notes: whom to offer, what to insert, where the names stand. Who is
// mentioned decides the server (docs/requirements/mentions.md).

import { matching } from "../find.js";

const HERE = new Set(["online", "away", "busy", "dnd"]);
const ASKED_MAX = 60; // characters of a name that is being typed
const SHOWN_MAX = 8;
const WORD = /[\p{L}\p{N}_.+@-]/u;
// Scripts that write words without blanks between them.
const RUN_ON = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

// What is typed of a name right before the caret, behind `@`; null where no name is being typed.
/** @param {string} before */
export function typedName(before) {
  const at = before.lastIndexOf("@");
  if (at < 0) return null;
  const asked = before.slice(at + 1);
  if (asked.length > ASKED_MAX || /^\s|\n/.test(asked)) return null;
  const last = [...before.slice(0, at)].at(-1) ?? " ";
  return WORD.test(last) && !RUN_ON.test(last) ? null : asked;
}

// Colleagues to offer: who is here first; who does not see the thread's desk is left out.
/** @param {Member[]} members @param {string} asked @param {{adminId: number, desk: string, dot: (id: number) => string}} of @returns {Member[]} */
export function colleagues(members, asked, { adminId, desk, dot }) {
  const others = members.filter(({ id, desks }) => id !== adminId && (!desks || desks.includes(desk)))
    .map((member) => ({ member, text: member.name, rank: HERE.has(dot(member.id)) ? 0 : 1 }))
    .sort((one, other) => one.rank - other.rank || one.text.localeCompare(other.text));
  return matching(others, asked.trim()).map(({ member }) => member).slice(0, SHOWN_MAX);
}

// What is typed of the name before the caret gives way to the whole name, and a blank.
/** @param {string} text @param {number} caret @param {string} name */
export function insertName(text, caret, name) {
  const before = `${text.slice(0, text.lastIndexOf("@", caret - 1))}@${name} `;
  return { text: before + text.slice(caret).replace(/^ /, ""), caret: before.length };
}

// Who is meant by the names that stand in a note: those who were chosen and are still named.
/** @param {string} body @param {Map<number, string>} chosen id → name */
export const meant = (body, chosen) => [...chosen].filter(([, name]) => body.includes(`@${name}`))
  .map(([id]) => id);

// A part of a note, cut at the names that it mentions: [{text, id}], with null for what is none.
/** @param {string} text @param {{id: number, name: string}[]} mentions */
export function mentionParts(text, mentions) {
  const names = [...mentions].sort((a, b) => b.name.length - a.name.length);
  const parts = [];
  let end = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const found = at < end ? null : names.find(({ name }) => text.startsWith(name, at + 1));
    if (!found) continue;
    if (at > end) parts.push({ text: text.slice(end, at), id: null });
    const ids = names.filter(({ name }) => name === found.name).map(({ id }) => id);
    end = at + 1 + found.name.length;
    parts.push({ text: text.slice(at, end), id: found.id, ids });
  }
  if (end < text.length) parts.push({ text: text.slice(end), id: null });
  return parts;
}
