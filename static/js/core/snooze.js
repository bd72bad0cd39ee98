// Until when a thread may be snoozed: moments by the clocks of a time zone. Pure: now is a parameter.

import { momentOf, momentOfFields, ownZone, reading } from "./time.js";

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

// What stands in these fields as {at}, or why it is none: {problem: "incomplete" | "past" | "far"}.
// years: so far ahead a thread may be snoozed.
/** @param {{date: string, time: string}} fields @returns {{at?: number, problem?: string}} */
export function ownMoment({ date, time }, now, zone, years) {
  if (Number(date.split("-")[0]) > YEAR_MAX) return { problem: "far" };
  const at = momentOfFields(date, time, zone);
  if (at === null) return { problem: "incomplete" };
  if (at <= now) return { problem: "past" };
  return at > farthest(now, years) ? { problem: "far" } : { at };
}

// A year has at least 365 days: what is offered here the server takes, too.
/** @param {number} now @param {number} years */
export const farthest = (now, years) => now + years * 365 * DAY_MS;

// The moments that the snooze menu offers, in words.

// [{name, at, text: "Tomorrow, Tue 9:00"}, …]
/** @param {number} now @param {Pick<TimeGiven, "t" | "words">} given @param {string} zone */
export function choicesInWords(now, { t, words }, zone = ownZone()) {
  const timeOf = { later: words.clock, monday: (at) => words.dated(at, now) };
  const moment = (at) => words.moment(at, now);
  return snoozeChoices(now, zone).map(({ name, at }) => ({
    name, at, text: t(`snooze.${name}`, { time: (timeOf[name] ?? moment)(at) }),
  }));
}
