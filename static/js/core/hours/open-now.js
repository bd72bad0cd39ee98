// Whether a calendar is open at a moment, and when that changes next.

import { DAY, endAfter, minutesOf } from "./clock.js";
import { dateAfter, weekdayOf } from "./exceptions.js";
import { DAYS } from "./week.js";
import { clockChange, instantsOf, wallAt } from "./zones.js";

const MINUTE_MS = 60_000;

// Intervals of a date in minutes from its midnight: of its exception, else of its weekday.
function rangesOf({ week, exceptions }, date) {
  const exception = exceptions.find((each) => each.date === date);
  return (exception?.intervals ?? week[DAYS[weekdayOf(date)]] ?? []).map(([from, to]) => {
    const start = minutesOf(from);
    return [start, endAfter(start, minutesOf(to))];
  });
}

// The wall clock stands inside an interval of the day, or in one of the day before that goes over midnight.
/** @param {CalendarTimes} calendar @param {number} at */
export function isOpenAt(calendar, at) {
  const { date, ms } = wallAt(calendar.timezone, at);
  const minute = ms / MINUTE_MS;
  const inside = (ranges, shown) => ranges.some(([start, end]) => start <= shown && shown < end);
  return inside(rangesOf(calendar, date), minute)
    || inside(rangesOf(calendar, dateAfter(date, -1)), minute + DAY);
}

// Every instant near a date at which a calendar may open or close: edges of intervals, and where the
// clocks are moved.
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

// From yesterday on: two weeks, as one of the week's intervals may fall into an hour that is skipped, and
// the days around exceptions. What is not there repeats what is.
function datesAhead({ exceptions }, today) {
  const days = (from, count) => Array.from({ length: count }, (_, day) => dateAfter(from, day - 1));
  const ahead = exceptions.filter(({ date }) => date >= today);
  return [...new Set([...days(today, 17), ...ahead.flatMap(({ date }) => days(date, 10))])].sort();
}

// {open, next}: next is the instant at which it opens or closes, null where it stays as it is.
/** @param {CalendarTimes} calendar @param {number} now */
export function openNow(calendar, now) {
  const open = isOpenAt(calendar, now);
  const today = wallAt(calendar.timezone, now).date;
  const changes = [];
  for (const date of datesAhead(calendar, today)) {
    changes.push(...edgesNear(calendar, date).filter((at) => at > now && isOpenAt(calendar, at) !== open));
    // Edges of a date may be later than some of the next one.
    const next = Math.min(...changes);
    if (changes.length && wallAt(calendar.timezone, next).date <= date) return { open, next };
  }
  return { open, next: changes.length ? Math.min(...changes) : null };
}

/** @type {WeakMap<CalendarTimes, {at: number, state: {open: boolean, next: number | null}}>} */
const known = new WeakMap();
const KEPT_MS = 3_600_000; // of what does not change

// The same, found once for each calendar until it changes: pages ask at each painting.
/** @param {CalendarTimes} calendar @param {number} now */
export function openNowOf(calendar, now) {
  const found = known.get(calendar);
  if (found && now >= found.at && now < (found.state.next ?? found.at + KEPT_MS)) return found.state;
  const state = openNow(calendar, now);
  known.set(calendar, { at: now, state });
  return state;
}
