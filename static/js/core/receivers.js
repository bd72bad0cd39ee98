// The people and desks to whom threads may be handed over, in the order in which they are offered.

import { matching } from "./find.js";

const HERE = new Set(["online", "away", "busy", "dnd"]);

// members: from the team's call; assigneeId: the assignee, null for nobody and for several threads; desks:
// desks of the threads; dot(id): an admin's presence. The admin comes first, then present colleagues by
// name; colleagues who do not see the threads of these desks are left out.
/** @param {string} query @returns {Member[]} */
export function receivers(members, query, { adminId, assigneeId, desks = [], dot }) {
  const sees = (member) => !member.desks || desks.every((desk) => member.desks.includes(desk));
  const rank = ({ id }) => (id === adminId ? 0 : HERE.has(dot(id)) ? 1 : 2);
  const others = members.filter((member) => member.id !== assigneeId && sees(member))
    .map((member) => ({ member, text: member.name, rank: rank(member) }))
    .sort((one, other) => one.rank - other.rank || one.text.localeCompare(other.text));
  return matching(others, query).map(({ member }) => member);
}

// Returns the desks to offer; current: the thread's desk, null for several.
/** @param {string[]} desks @param {string} query @param {string | null} current */
export function deskReceivers(desks, query, current) {
  const others = desks.filter((name) => name !== current)
    .map((name) => ({ member: { id: `desk-${name}`, name, desk: name, assigned: null }, text: name }));
  return desks.length > 1 ? matching(others, query).map(({ member }) => member) : [];
}
