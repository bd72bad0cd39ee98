// Times in words. Pure: now is a parameter; each age also says in how many ms it changes.

import { dayOf, isZone, reading } from "./zone.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const WAIT_LONG_MS = 10 * MINUTE;
const WAIT_TOO_LONG_MS = 30 * MINUTE;

// {unit, value, change}: "now", 4 "m", 2 "h", 3 "d", 1 "y"; change: ms until it reads otherwise.
/** @param {number} at @param {number} now */
export function age(at, now) {
  const ms = Math.max(0, now - at);
  if (ms < MINUTE) return { unit: "now", value: 0, change: MINUTE - ms };
  if (ms < HOUR) return part("m", ms, MINUTE);
  if (ms < DAY) return part("h", ms, HOUR);
  if (ms < YEAR) return part("d", ms, DAY);
  return part("y", ms, YEAR);
}

const part = (unit, ms, size) => ({
  unit, value: Math.floor(ms / size), change: size - (ms % size),
});

// "", "long" or "too-long".
/** @param {number} since @param {number} now */
export function waitLevel(since, now) {
  const ms = now - since;
  if (ms >= WAIT_TOO_LONG_MS) return "too-long";
  return ms >= WAIT_LONG_MS ? "long" : "";
}

const DUE_SOON_MS = 15 * MINUTE;

// How long until a moment, as `age` says it: whole units that are left; `late`: how long ago it was.
/** @param {number} at @param {number} now */
export function timeLeft(at, now) {
  const ms = at - now;
  if (ms <= 0) return { ...age(at, now), late: true };
  if (ms < MINUTE) return { unit: "now", value: 0, change: ms, late: false };
  const [unit, size] = ms < HOUR ? ["m", MINUTE] : ms < DAY ? ["h", HOUR]
    : ms < YEAR ? ["d", DAY] : ["y", YEAR];
  return { unit, value: Math.floor(ms / size), change: (ms % size) + 1, late: false };
}

// "late", "soon" or "far".
/** @param {number} dueAt @param {number} now */
export function dueLevel(dueAt, now) {
  if (dueAt <= now) return "late";
  return dueAt - now <= DUE_SOON_MS ? "soon" : "far";
}

const REFRESH_MS = { least: SECOND, most: MINUTE };

// Milliseconds until a text of these rows changes by time alone, within bounds.
/** @param {Row[]} rows @param {number} now */
export function rowsChangeIn(rows, now) {
  const changes = rows.flatMap(({ recent_at: recentAt, waiting_since: since, due_at: dueAt }) => [
    ...[recentAt, since].filter((at) => at !== null && at !== undefined)
      .map((at) => age(at, now).change),
    ...(dueAt ? [timeLeft(dueAt, now).change] : []),
  ]);
  return Math.max(REFRESH_MS.least, Math.min(REFRESH_MS.most, ...changes));
}

// Intl writes "22 時間"; Japanese has no space there.
/** @param {string} text */
const close = (text) => text.replace(/(\d)\s(?=[\u3040-\u9fff])/gu, "$1");

const UNITS = { m: "minute", h: "hour", d: "day", y: "year" };

// The short and the long forms in one language, as "en", or as it is written in a region, as "en-GB";
// by the clocks of one zone.
/** @param {string} locale */
export function timeWords(locale, timeZone = ownZone()) {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const narrow = {};
  for (const [unit, name] of Object.entries(UNITS)) {
    narrow[unit] = new Intl.NumberFormat(locale, {
      style: "unit", unit: name, unitDisplay: locale.startsWith("ja") ? "short" : "narrow",
    });
  }
  const clock = new Intl.DateTimeFormat(locale, { timeZone, hour: "numeric", minute: "2-digit" });
  const date = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: "full" });
  const exact = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: "medium", timeStyle: "medium" });
  const moment = momentWords(locale, timeZone, clock);
  return {
    // "4m", or the given word for less than a minute
    short: ({ unit, value }, nowWord) => (unit === "now" ? nowWord
      : close(narrow[unit].format(value))),
    // "4 minutes ago"
    long: ({ unit, value }) => (unit === "now"
      ? relative.format(0, "second") : close(relative.format(-value, UNITS[unit]))),
    clock: (at) => clock.format(at),
    exact: (at) => exact.format(at),
    day: (at, now) => {
      const days = dayOf(now, timeZone) - dayOf(at, timeZone);
      return days === 0 || days === 1 ? capital(relative.format(-days, "day")) : date.format(at);
    },
    // "1 hour 30 minutes"
    minutes: (count) => durationText(locale, count),
    ...moment,
  };
}

function durationText(locale, count) {
  const hours = Math.floor(count / 60);
  const named = (value, unit) => close(new Intl.NumberFormat(locale, {
    style: "unit", unit, unitDisplay: "long",
  }).format(value));
  const parts = [hours ? named(hours, "hour") : "", count % 60 || !hours ? named(count % 60, "minute") : ""];
  return parts.filter(Boolean).join(locale.startsWith("ja") ? "" : " ");
}

const CLOCK = { hour: "numeric", minute: "2-digit" };
const DATE = { month: "short", day: "numeric" };

// Made at their first use: most pages show none of them.
function momentWords(locale, timeZone, clock) {
  const formats = {};
  const written = (name, options, at) => {
    formats[name] ??= new Intl.DateTimeFormat(locale, { timeZone, ...options });
    return formats[name].format(at);
  };
  const dated = (at, now) => {
    const isNear = reading(at, timeZone).year === reading(now, timeZone).year;
    return isNear ? written("date", { ...DATE, ...CLOCK }, at)
      : written("year", { ...DATE, year: "numeric", ...CLOCK }, at);
  };
  return {
    // "9:40", "Tue 9:40" within six days, else with the date
    moment: (at, now) => {
      const days = Math.abs(dayOf(at, timeZone) - dayOf(now, timeZone));
      if (days === 0) return clock.format(at);
      return days < 7 ? written("week", { weekday: "short", ...CLOCK }, at) : dated(at, now);
    },
    // "24 Nov, 9:40"
    dated,
    // "Tuesday, 24 November 2026 at 9:40"
    whole: (at) => written("whole", { dateStyle: "full", timeStyle: "short" }, at),
  };
}

/** @param {number} a @param {number} b */
export const sameDay = (a, b) => dayOf(a, ownZone()) === dayOf(b, ownZone());

const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

// The time zone of all that one reads and chooses: the one of the profile, else the browser's.
/** @type {string | undefined} */
let own;

// The first of these that the browser can count with.
/** @param {(string | null | undefined)[]} zones */
export function chooseZone(...zones) { own = zones.find((zone) => zone && isZone(zone)); }

export const hasZone = () => own !== undefined;
// UTC where no zone is known.
export const ownZone = () => own ?? "UTC";
