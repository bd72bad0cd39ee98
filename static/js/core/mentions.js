// Mentions of colleagues by `@` in notes: names to offer and to insert, and their places in a text. The
// server decides who is mentioned (docs/requirements/mentions.md).

import { folded, matching, plain } from "./find.js";

const HERE = new Set(["online", "away", "busy", "dnd"]);
const ASKED_MAX = 60; // characters of a name that is being typed
const SHOWN_MAX = 8;
const AT = /[@\ufe6b\uff20]/gu; // in every width
const WORD = /[\p{L}\p{N}_.+@\ufe6b\uff20-]/u;
// Text that a reader takes for a name.
const NAMELIKE = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_'’.-]*[\p{L}\p{M}\p{N}_])?/u;
const PLACES_MAX = 100;
// Scripts that write words without blanks between them.
const RUN_ON = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

// Returns the part of a name typed between `@` and the caret; null if no name is being typed.
/** @param {string} before */
export function typedName(before) {
  const at = lastAt(before);
  if (at < 0) return null;
  const asked = before.slice(at + 1);
  if (asked.length > ASKED_MAX || /^\s|\n/.test(asked)) return null;
  return mayBegin(before, at) ? asked : null;
}

const lastAt = (text) => [...text.matchAll(AT)].at(-1)?.index ?? -1;

// Whether the `@` at a place may begin a name: it is not part of an e-mail address.
function mayBegin(text, at) {
  const last = [...text.slice(0, at)].at(-1) ?? " ";
  return !WORD.test(last) || RUN_ON.test(last);
}

/** @param {string} body */
export const mayCall = (body) => body.search(AT) >= 0;

// Returns each `@word` of a note that is none of these names, like the server
// (dashboard/ingest/mentions/names.py): at each `@` the longest matching name counts.
/** @param {string} body @param {string[]} names @returns {string[]} */
export function callsNobody(body, names) {
  const forms = new Set(names.map(folded));
  const most = Math.max(0, ...[...forms].map(({ length }) => length));
  const words = [...body.matchAll(AT)].slice(0, PLACES_MAX)
    .filter(({ index }) => mayBegin(body, index) && !callsOne(body, index + 1, forms, most))
    .map(({ 0: at, index }) => at + (NAMELIKE.exec(body.slice(index + 1))?.[0] ?? ""));
  return [...new Set(words.filter(({ length }) => length > 1))];
}

function callsOne(body, begin, forms, most) {
  for (let until = Math.min(body.length, begin + 2 * most + 8); until > begin; until -= 1) {
    const text = body.slice(begin, until);
    if (!/^\s|\s$/u.test(text) && endsName(body, until) && forms.has(folded(text))) return true;
  }
  return false;
}

// Whether a name may end at a place: not within a word.
function endsName(body, until) {
  const [after = ""] = plain(String.fromCodePoint(body.codePointAt(until) ?? 0x20));
  const last = [...body.slice(0, until)].at(-1);
  if (/\p{M}/u.test(after)) return false;
  return !/[\p{L}\p{N}]/u.test(after) || RUN_ON.test(after) || RUN_ON.test(last);
}

// Whether an admin sees the threads of a desk.
/** @param {Member} member @param {string} desk */
export const sees = ({ desks }, desk) => !desks || desks.includes(desk);

// Returns the colleagues to offer: present ones first, without those who do not see the thread's desk.
/** @param {Member[]} members @param {string} asked @param {{adminId: number, desk: string, dot: (id: number) => string}} of @returns {Member[]} */
export function colleagues(members, asked, { adminId, desk, dot }) {
  const others = members.filter((member) => member.id !== adminId && sees(member, desk))
    .map((member) => ({ member, text: member.name, rank: HERE.has(dot(member.id)) ? 0 : 1 }))
    .sort((one, other) => one.rank - other.rank || one.text.localeCompare(other.text));
  return matching(others, asked.trim()).map(({ member }) => member).slice(0, SHOWN_MAX);
}

// Replaces the typed part of a name before the caret by the whole name and a blank.
/** @param {string} text @param {number} caret @param {string} name */
export function insertName(text, caret, name) {
  const before = `${text.slice(0, lastAt(text.slice(0, caret)))}@${name} `;
  return { text: before + text.slice(caret).replace(/^ /, ""), caret: before.length };
}

// Returns the chosen colleagues who are still named in the note.
/** @param {string} body @param {Map<number, string>} chosen id → name */
export const meant = (body, chosen) => [...chosen]
  .filter(([, name]) => folded(body).includes(folded(`@${name}`)))
  .map(([id]) => id);

// Splits a part of a note at the names that it mentions: [{text, id}]; id is null for other text.
/** @param {string} text @param {{id: number, name: string}[]} mentions */
export function mentionParts(text, mentions) {
  const names = [...mentions].sort((a, b) => b.name.length - a.name.length);
  const pieces = [];
  let end = 0;
  for (const { index: at } of text.matchAll(AT)) {
    const found = at < end ? null : names.find(({ name }) => text.startsWith(name, at + 1));
    if (!found) continue;
    if (at > end) pieces.push({ text: text.slice(end, at), id: null });
    const ids = names.filter(({ name }) => name === found.name).map(({ id }) => id);
    end = at + 1 + found.name.length;
    pieces.push({ text: text.slice(at, end), id: found.id, ids });
  }
  if (end < text.length) pieces.push({ text: text.slice(end), id: null });
  return pieces;
}
