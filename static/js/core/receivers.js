// To whom and to which desks threads may be handed over, in the order in which they are offered.

import { matching } from "./find.js";

const HERE = new Set(["online", "away", "busy", "dnd"]);

// members: as the team's call answers them; assigneeId: who has the thread, null for nobody and for
// several threads; desks: where the threads are; dot(id): how present an admin is. Oneself comes first,
// then who is here, by name; who does not see the threads of these desks is left out.
/** @param {string} query @returns {Member[]} */
export function receivers(members, query, { adminId, assigneeId, desks = [], dot }) {
  const sees = (member) => !member.desks || desks.every((desk) => member.desks.includes(desk));
  const rank = ({ id }) => (id === adminId ? 0 : HERE.has(dot(id)) ? 1 : 2);
  const others = members.filter((member) => member.id !== assigneeId && sees(member))
    .map((member) => ({ member, text: member.name, rank: rank(member) }))
    .sort((one, other) => one.rank - other.rank || one.text.localeCompare(other.text));
  return matching(others, query).map(({ member }) => member);
}

// The desks to which threads may be handed over; current: where the thread is, null for several.
/** @param {string[]} desks @param {string} query @param {string | null} current */
export function deskReceivers(desks, query, current) {
  const others = desks.filter((name) => name !== current)
    .map((name) => ({ member: { id: `desk-${name}`, name, desk: name, assigned: null }, text: name }));
  return desks.length > 1 ? matching(others, query).map(({ member }) => member) : [];
}

// What is offered while somebody points at it: all stay in their places, and who was loaded
// meanwhile comes below.
/** @template {{id: number | string}} T @param {T[]} offered @param {T[]} found @returns {T[]} */
export function withLoaded(offered, found) {
  const known = new Set(offered.map(({ id }) => id));
  return [...offered, ...found.filter(({ id }) => !known.has(id))];
}
