// The week of a calendar as blocks of open time. A block belongs to the day on which it starts, and may
// go over midnight: {key, day: 0 (Monday) to 6, start: minutes from midnight, length: minutes}.

import { clockChange, instantsOf, wallAt } from "./zones.js";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
export const BLOCKS_MAX = 50; // in a day
const WEEKDAYS = 5;

let made = 0;

/** @param {number} day @param {number} start @param {number} length @returns {Block} */
export function block(day, start, length) {
  made += 1;
  return { key: made, day, start, length };
}

/** @param {Block} block */
export const endOf = ({ start, length }) => start + length;

// Sorts by day and start, as the picture shows them.
/** @param {Block[]} blocks */
const inOrder = (blocks) => [...blocks].sort((a, b) => (
  a.day - b.day || a.start - b.start || a.length - b.length
));

/** @param {Block[]} blocks @param {number} day */
export const ofDay = (blocks, day) => inOrder(blocks.filter((one) => one.day === day));

/** @param {CalendarWeek} week @returns {Block[]} */
export const blocksOf = (week) => DAYS.flatMap((name, day) => (
  (week[name] ?? []).map(([from, to]) => {
    const start = minutesOf(from);
    return block(day, start, endAfter(start, minutesOf(to)) - start);
  })
));

// Returns the week as calendars store it: without closed days, touching blocks as one interval.
/** @param {Block[]} blocks @returns {CalendarWeek} */
export function weekOf(blocks) {
  /** @type {CalendarWeek} */
  const week = {};
  for (const one of merged(blocks)) (week[DAYS[one.day]] ??= []).push(intervalOf(one));
  return week;
}

/** @param {Pick<Block, "start" | "length">} block @returns {[string, string]} */
export function intervalOf({ start, length }) {
  const end = start + length;
  return [clock(start), clock(end > DAY ? end - DAY : end)];
}

// Merges blocks of one day that overlap or touch; the result keeps the key of the first. A result of more
// than 24 hours, too long for an interval, is split: the second part has 24 hours.
/** @param {Block[]} blocks @returns {Block[]} */
export function merged(blocks) {
  const joined = [];
  for (const one of inOrder(blocks)) {
    const last = joined.at(-1);
    if (!last || last.day !== one.day || endOf(last) < one.start) joined.push({ ...one });
    else last.length = Math.max(endOf(last), endOf(one)) - last.start;
  }
  return joined.flatMap((one) => (one.length <= DAY ? one : cut(one, endOf(one) - DAY)));
}

const cut = (one, at) => [
  { ...one, length: at - one.start }, block(one.day, at, endOf(one) - at),
];

// Merges a block that was let go with those that it overlaps or touches on its day; its key stays.
/** @param {Block[]} blocks @param {number} key */
export function settled(blocks, key) {
  const one = blocks.find((each) => each.key === key);
  if (!one) return blocks;
  const others = blocks.filter(({ day }) => day !== one.day);
  const joined = merged(ofDay(blocks, one.day)).map((each) => ({ ...each }));
  const holder = joined.find((each) => each.start <= one.start && one.start < endOf(each));
  if (holder && holder.key !== key) holder.key = key;
  return [...others, ...joined];
}

/** @param {Block[]} blocks @param {Block} changed */
export const replaced = (blocks, changed) => (
  blocks.map((each) => (each.key === changed.key ? changed : each))
);

/** @param {Block[]} blocks @param {number} key */
export const without = (blocks, key) => blocks.filter((each) => each.key !== key);

// Returns a block in the first free time of a day, preferably 9 to 17; null if there is none.
/** @param {Block[]} blocks @param {number} day */
export function free(blocks, day) {
  const taken = ofDay(blocks, day);
  if (taken.length >= BLOCKS_MAX) return null;
  if (!taken.length) return block(day, 9 * 60, 8 * 60);
  const last = Math.max(...taken.map(endOf));
  if (last + STEP < DAY) return block(day, last + STEP, Math.min(60, DAY - last - STEP));
  let from = 0;
  for (const one of taken) {
    if (one.start - from >= STEP) return block(day, from, Math.min(60, one.start - from));
    from = Math.max(from, endOf(one));
  }
  return null;
}

// Copies a day to other days: Monday to Friday, or all.
/** @param {Block[]} blocks @param {number} day @param {boolean} all */
export function copied(blocks, day, all = false) {
  const target = (other) => other !== day && (all || other < WEEKDAYS);
  const days = DAYS.map((_, other) => other).filter(target);
  return [
    ...blocks.filter((each) => !target(each.day)),
    ...days.flatMap((other) => ofDay(blocks, day).map(({ start, length }) => block(other, start, length))),
  ];
}

// Returns the pieces in the row of a day, in order: {block, from, to, isTail}. A tail is the part after
// midnight of a block of the day before; Sunday's is drawn on Monday.
/** @param {Block[]} blocks @param {number} day @returns {WeekPiece[]} */
export function piecesOf(blocks, day) {
  const before = (day + 6) % 7;
  const tails = ofDay(blocks, before).filter((one) => endOf(one) > DAY).map((one) => ({
    block: one, from: 0, to: endOf(one) - DAY, isTail: true,
  }));
  const own = ofDay(blocks, day).map((one) => ({
    block: one, from: one.start, to: Math.min(DAY, endOf(one)), isTail: false,
  }));
  return [...tails, ...own];
}

// Returns the minutes of open time in a week; overlaps of blocks of two days count once.
/** @param {Block[]} blocks */
export function openMinutes(blocks) {
  const ranges = blocks.flatMap((one) => {
    const from = one.day * DAY + one.start;
    const to = from + one.length;
    return to > 7 * DAY ? [[from, 7 * DAY], [0, to - 7 * DAY]] : [[from, to]];
  }).sort((a, b) => a[0] - b[0]);
  let minutes = 0;
  let until = 0;
  for (const [from, to] of ranges) {
    minutes += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return minutes;
}

// Times of day as calendars write them, "09:00" to "24:00", and as minutes from midnight.
export const DAY = 1440; // minutes
export const STEP = 15;

const two = (number) => String(number).padStart(2, "0");

/** @param {number} minutes */
export const clock = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

const WRITTEN = /^(\d{1,2})(?:\s*[:.h時]\s*(\d{2})?\s*分?)?$/iu;
const DIGITS = /^(\d{1,2})(\d{2})$/;

// Returns the minutes of a text such as "9", "9:30", "0930", "9h30", "24:00"; null if it is no time.
/** @param {string} text */
export function minutesOf(text) {
  const plain = text.normalize("NFKC").trim();
  const [, hour, minute = "0"] = DIGITS.exec(plain) ?? WRITTEN.exec(plain) ?? [];
  if (hour === undefined) return null;
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= DAY ? minutes : null;
}

// Returns the next quarter of an hour after or before a time.
/** @param {number} minutes @param {number} direction 1 or -1 */
export const stepped = (minutes, direction) => (direction > 0
  ? Math.floor(minutes / STEP) * STEP + STEP : Math.ceil(minutes / STEP) * STEP - STEP);

/** @param {number} minutes */
export const snapped = (minutes) => Math.round(minutes / STEP) * STEP;

// Returns the end of an interval, in minutes from the midnight before it starts: an end at or before the
// start is on the next day.
/** @param {number} start @param {number} end */
export const endAfter = (start, end) => (end > start ? end : end + DAY);

// Dates that differ from the week: {date: "2026-12-25", intervals: [["09:00", "12:00"]]}; no intervals
// means closed. A calendar has at most one exception for a date.
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

// Returns the weekday, 0 for Monday.
/** @param {string} date */
export const weekdayOf = (date) => (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;

// Returns the dates from one to another, both included; none if the second is earlier.
/** @param {string} from @param {string} to */
export function datesBetween(from, to) {
  const count = (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS + 1;
  return Array.from({ length: Math.max(0, Math.min(count, EXCEPTIONS_MAX + 1)) },
    (_, days) => dateAfter(from, days));
}

/** @param {CalendarException[]} exceptions */
export const sorted = (exceptions) => [...exceptions].sort((a, b) => (a.date < b.date ? -1 : 1));

// Returns the exceptions with these dates, which replace earlier ones.
/** @param {CalendarException[]} exceptions @param {string[]} dates @param {[string, string][]} intervals */
export const withDates = (exceptions, dates, intervals) => sorted([
  ...exceptions.filter(({ date }) => !dates.includes(date)),
  ...dates.map((date) => ({ date, intervals })),
]);

// Splits exceptions into past ones and those from today on.
/** @param {CalendarException[]} exceptions @param {string} today */
export const split = (exceptions, today) => ({
  past: sorted(exceptions).filter(({ date }) => date < today),
  ahead: sorted(exceptions).filter(({ date }) => date >= today),
});

// Parses a text such as "9-12, 13:30-18:00"; touching intervals become one. null if a part is wrong.
/** @param {string} text @returns {[string, string][] | null} */
export function intervalsIn(text) {
  const intervals = text.normalize("NFKC").split(/[,;、\n]/).map((part) => part.trim()).filter(Boolean);
  const blocks = intervals.map((part) => {
    const [from, to, ...more] = part.split(/\s*[-–—~〜]\s*/).map(minutesOf);
    const isRight = !more.length && typeof from === "number" && typeof to === "number" && from < DAY;
    return isRight ? block(0, from, endAfter(from, to) - from) : null;
  });
  return blocks.includes(null) ? null : weekOf(blocks).mon ?? [];
}

/** @param {[string, string][]} intervals */
export const intervalsText = (intervals) => intervals.map(([from, to]) => `${from}–${to}`).join(", ");

// Whether a calendar is open at a moment, and when that changes next.
const MINUTE_MS = 60_000;

// Returns the intervals of a date in minutes from its midnight: of its exception, else of its weekday.
function rangesOf({ week, exceptions }, date) {
  const exception = exceptions.find((each) => each.date === date);
  return (exception?.intervals ?? week[DAYS[weekdayOf(date)]] ?? []).map(([from, to]) => {
    const start = minutesOf(from);
    return [start, endAfter(start, minutesOf(to))];
  });
}

// Whether the wall clock is in an interval of the day, or in one that began the day before.
/** @param {CalendarTimes} calendar @param {number} at */
export function isOpenAt(calendar, at) {
  const { date, ms } = wallAt(calendar.timezone, at);
  const minute = ms / MINUTE_MS;
  const inside = (ranges, shown) => ranges.some(([start, end]) => start <= shown && shown < end);
  return inside(rangesOf(calendar, date), minute)
    || inside(rangesOf(calendar, dateAfter(date, -1)), minute + DAY);
}

// Returns the instants near a date at which a calendar may open or close: ends of intervals, and changes
// of the clocks.
function edgesNear(calendar, date) {
  const { timezone } = calendar;
  const edges = [];
  for (const [start, end] of rangesOf(calendar, date)) {
    for (const minute of [start, end]) {
      const day = Math.floor(minute / DAY);
      edges.push(...instantsOf(timezone, dateAfter(date, day), minute - day * DAY));
    }
  }
  const noon = Date.parse(`${date}T12:00:00Z`);
  const change = clockChange(timezone, noon - DAY * MINUTE_MS, noon + DAY * MINUTE_MS);
  return change === null ? edges : [...edges, change];
}

// Returns the dates to look at: two weeks from yesterday on, since a skipped hour may swallow an interval
// of a week; and the days around exceptions. All other dates repeat these.
function datesAhead({ exceptions }, today) {
  const days = (from, count) => Array.from({ length: count }, (_, day) => dateAfter(from, day - 1));
  const ahead = exceptions.filter(({ date }) => date >= today);
  return [...new Set([...days(today, 17), ...ahead.flatMap(({ date }) => days(date, 10))])].sort();
}

// Returns {open, next}: `next` is the instant at which it opens or closes, null if it never changes.
/** @param {CalendarTimes} calendar @param {number} now */
export function openNow(calendar, now) {
  const open = isOpenAt(calendar, now);
  const today = wallAt(calendar.timezone, now).date;
  const changes = [];
  for (const date of datesAhead(calendar, today)) {
    changes.push(...edgesNear(calendar, date).filter((at) => at > now && isOpenAt(calendar, at) !== open));
    // Ends of a date may be later than some of the next date.
    const next = Math.min(...changes);
    if (changes.length && wallAt(calendar.timezone, next).date <= date) return { open, next };
  }
  return { open, next: changes.length ? Math.min(...changes) : null };
}

/** @type {WeakMap<CalendarTimes, {at: number, state: {open: boolean, next: number | null}}>} */
const known = new WeakMap();
const KEPT_MS = 3_600_000; // for a result that does not change

// Returns openNow(), cached for each calendar until it changes: pages ask at each painting.
/** @param {CalendarTimes} calendar @param {number} now */
export function openNowOf(calendar, now) {
  const found = known.get(calendar);
  if (found && now >= found.at && now < (found.state.next ?? found.at + KEPT_MS)) return found.state;
  const state = openNow(calendar, now);
  known.set(calendar, { at: now, state });
  return state;
}
