// Policies while they are edited: their targets in minutes or hours, and which place in their order each has.

export const TARGETS = ["first_reply", "next_reply"];
const MINUTES_MAX = 525_600; // 365 days
export const UNITS = { minutes: 1, hours: 60 };

// {value: as it is written, unit}: in hours where these are half ones at least.
/** @param {number | null} minutes @returns {EditedTarget} */
export function targetOf(minutes) {
  if (minutes === null) return { value: "", unit: "minutes" };
  const isHours = minutes >= 60 && minutes % 30 === 0;
  return { value: String(isHours ? minutes / 60 : minutes), unit: isHours ? "hours" : "minutes" };
}

// Whole minutes; null where nothing is promised, undefined where it is no time that can be promised.
/** @param {EditedTarget} target @returns {number | null | undefined} */
export function minutesIn({ value, unit }) {
  const written = value.normalize("NFKC").trim().replace(",", ".");
  if (!written) return null;
  const minutes = /^\d+(\.\d+)?$/.test(written) ? Math.round(Number(written) * UNITS[unit] * 1000) / 1000 : NaN;
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX ? minutes : undefined;
}

// As the server takes a policy.
/** @param {PolicyFields} policy @returns {PolicyFields} */
export const fieldsOf = ({ name, query, calendar, first_reply, next_reply }) => ({
  name: name.trim(), query: query.trim(), calendar, first_reply, next_reply,
});

// All policies as they would be: with one of them changed, a new one at a place, or one less.
/** @param {Policy[]} policies @param {{id?: number | null, fields?: PolicyFields | null, place?: number}} change */
export function after(policies, { id = null, fields = null, place = policies.length }) {
  if (id === null) return [...policies.slice(0, place), fields, ...policies.slice(place)].map(fieldsOf);
  return policies.flatMap((one) => (one.id === id ? fields ?? [] : one)).map(fieldsOf);
}

// As they would be with another calendar in the place of one.
/** @param {Policy[]} policies @param {number} id @param {object} calendar as it would be saved */
export const withCalendar = (policies, id, calendar) => policies.map((one) => ({
  ...fieldsOf(one), calendar: one.calendar === id ? calendar : one.calendar,
}));

/** @param {{id: number}[]} a @param {{id: number}[]} b */
export const isSameOrder = (a, b) => a.length === b.length && a.every(({ id }, at) => id === b[at].id);
