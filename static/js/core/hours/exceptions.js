// Days that differ from the week: {date: "2026-12-25", intervals: [["09:00", "12:00"]]}, none where it is
// closed all day. A calendar has one for a date.

import { DAY, endAfter, minutesOf } from "./clock.js";
import { block, weekOf } from "./week.js";

export const EXCEPTIONS_MAX = 1000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** @param {string} text */
export function isDate(text) {
  const at = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(at) && dateOf(at) === text;
}

const dateOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/** @param {string} date @param {number} days */
export const dateAfter = (date, days) => dateOf(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS);

// 0 for Monday.
/** @param {string} date */
export const weekdayOf = (date) => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;

// From one date to another, both included; none where the second is before the first.
/** @param {string} from @param {string} to */
export function datesBetween(from, to) {
  const count = (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS + 1;
  return Array.from({ length: Math.max(0, Math.min(count, EXCEPTIONS_MAX + 1)) },
    (_, days) => dateAfter(from, days));
}

/** @param {CalendarException[]} exceptions */
export const sorted = (exceptions) => [...exceptions].sort((a, b) => (a.date < b.date ? -1 : 1));

// With these dates: what they had before is replaced.
/** @param {CalendarException[]} exceptions @param {string[]} dates @param {[string, string][]} intervals */
export const withDates = (exceptions, dates, intervals) => sorted([
  ...exceptions.filter(({ date }) => !dates.includes(date)),
  ...dates.map((date) => ({ date, intervals })),
]);

// Past ones, and those from today on.
/** @param {CalendarException[]} exceptions @param {string} today */
export const split = (exceptions, today) => ({
  past: sorted(exceptions).filter(({ date }) => date < today),
  ahead: sorted(exceptions).filter(({ date }) => date >= today),
});

// Lines such as "9-12, 13:30-18:00" as intervals, those that touch as one; null where one cannot be read.
/** @param {string} text @returns {[string, string][] | null} */
export function intervalsIn(text) {
  const parts = text.normalize("NFKC").split(/[,;、\n]/).map((part) => part.trim()).filter(Boolean);
  const blocks = parts.map((part) => {
    const [from, to, ...more] = part.split(/\s*[-–—~〜]\s*/).map(minutesOf);
    const isRight = !more.length && typeof from === "number" && typeof to === "number" && from < DAY;
    return isRight ? block(0, from, endAfter(from, to) - from) : null;
  });
  return blocks.includes(null) ? null : weekOf(blocks).mon ?? [];
}

/** @param {[string, string][]} intervals */
export const intervalsText = (intervals) => intervals.map(([from, to]) => `${from}–${to}`).join(", ");
