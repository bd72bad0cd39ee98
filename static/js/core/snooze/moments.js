// Until when a thread may be snoozed: moments by the clocks of a time zone. Pure: now is a parameter.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = 15 * MINUTE_MS; // every zone in use is whole quarters of an hour from UTC

const LATER_MS = 3 * HOUR_MS;
const EVENING_HOUR = 17; // "later today" is no later, as long as it is LEAST_MS ahead
const LEAST_MS = HOUR_MS;
const MORNING = { hour: 9, minute: 0 };
const MONDAY = 1;
const YEAR_MAX = 9999; // a field of dates takes more than a Date can hold

// The date and the time that the clocks of a zone show.
/** @typedef {{year: number, month: number, day: number, hour: number, minute: number}} Reading */

const formats = new Map(); // zone → Intl.DateTimeFormat, which is slow to make

/** @param {string} zone */
function formatOf(zone) {
  if (!formats.has(zone)) {
    formats.set(zone, new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
      hour: "numeric", minute: "numeric", second: "numeric",
    }));
  }
  return formats.get(zone);
}

// What the clocks of a zone show at a moment.
/** @param {number} at @param {string} zone @returns {Reading & {second: number}} */
export function reading(at, zone) {
  const found = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) found[type] = Number(value);
  const { year, month, day, hour, minute, second } = found;
  return { year, month, day, hour, minute, second };
}

// How far the clocks of a zone are ahead of UTC, in ms.
function aheadMs(at, zone) {
  const { year, month, day, hour, minute, second } = reading(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

// The moment at which the clocks of a zone show this. Where they show it twice, the first time; where
// they skip it, as much later as they skip: 2:30 is 3:30 where they go from 2 to 3.
/** @param {Reading} wanted @param {string} zone */
export function momentOf({ year, month, day, hour, minute }, zone) {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const before = asUtc - aheadMs(asUtc - DAY_MS, zone);
  const after = asUtc - aheadMs(asUtc + DAY_MS, zone);
  const shows = (at) => at + aheadMs(at, zone) === asUtc;
  const found = [before, after].filter(shows);
  return found.length ? Math.min(...found) : before;
}

// The date some days after that of a moment, at a time of day.
/** @param {number} now @param {number} days @param {{hour: number, minute: number}} time @param {string} zone */
function inDays(now, days, { hour, minute }, zone) {
  const { year, month, day } = reading(now, zone);
  return momentOf({ year, month, day: day + days, hour, minute }, zone);
}

// Days until the next Monday: 7 on a Monday.
function daysToMonday(now, zone) {
  const { year, month, day } = reading(now, zone);
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return (MONDAY - weekday + 7) % 7 || 7;
}

// In three hours, on the quarter of an hour; the evening where that comes first and is an hour ahead.
function later(now, zone) {
  const at = Math.ceil((now + LATER_MS) / QUARTER_MS) * QUARTER_MS;
  const evening = inDays(now, 0, { hour: EVENING_HOUR, minute: 0 }, zone);
  return evening < at && evening >= now + LEAST_MS ? evening : at;
}

const hasSameDay = (a, b) => a.day === b.day && a.month === b.month && a.year === b.year;

// The moments that the menu offers: {name, at}. `hours` stands for `later` where that is tomorrow.
/** @param {number} now @param {string} zone @returns {{name: string, at: number}[]} */
export function snoozeChoices(now, zone) {
  const at = later(now, zone);
  const isToday = hasSameDay(reading(at, zone), reading(now, zone));
  return [
    { name: isToday ? "later" : "hours", at },
    { name: "tomorrow", at: inDays(now, 1, MORNING, zone) },
    { name: "monday", at: inDays(now, daysToMonday(now, zone), MORNING, zone) },
  ];
}

const padded = (number, length = 2) => String(number).padStart(length, "0");

// A moment as the fields of a date and a time hold it: {date: "2026-11-24", time: "09:00"}.
/** @param {number} at @param {string} zone */
export function fieldsOf(at, zone) {
  const { year, month, day, hour, minute } = reading(at, zone);
  return {
    date: `${padded(year, 4)}-${padded(month)}-${padded(day)}`,
    time: `${padded(hour)}:${padded(minute)}`,
  };
}

// What stands in these fields as {at}, or why it is none: {problem: "incomplete" | "past" | "far"}.
// years: so far ahead a thread may be snoozed.
/** @param {{date: string, time: string}} fields @returns {{at?: number, problem?: string}} */
export function ownMoment({ date, time }, now, zone, years) {
  const [year, month, day] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? []).slice(1).map(Number);
  const [hour, minute] = (/^(\d\d):(\d\d)/.exec(time) ?? []).slice(1).map(Number);
  if (year === undefined || hour === undefined) return { problem: "incomplete" };
  if (year > YEAR_MAX) return { problem: "far" };
  const at = momentOf({ year, month, day, hour, minute }, zone);
  if (at <= now) return { problem: "past" };
  return at > farthest(now, years) ? { problem: "far" } : { at };
}

// A year has at least 365 days: what is offered here the server takes, too.
/** @param {number} now @param {number} years */
export const farthest = (now, years) => now + years * 365 * DAY_MS;
