// Times in words. Pure: now is a parameter; each age also has the ms after which its text changes.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const WAIT_LONG_MS = 10 * MINUTE;
const WAIT_TOO_LONG_MS = 30 * MINUTE;

// Returns {unit, value, change}: "now", 4 "m", 2 "h", 3 "d", 1 "y"; change: ms until the text changes.
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

// Returns "", "long" or "too-long".
/** @param {number} since @param {number} now */
export function waitLevel(since, now) {
  const ms = now - since;
  if (ms >= WAIT_TOO_LONG_MS) return "too-long";
  return ms >= WAIT_LONG_MS ? "long" : "";
}

const DUE_SOON_MS = 15 * MINUTE;

// Returns the time until a moment, like `age`: whole remaining units; `late`: how long it is over.
/** @param {number} at @param {number} now */
export function timeLeft(at, now) {
  const ms = at - now;
  if (ms <= 0) return { ...age(at, now), late: true };
  if (ms < MINUTE) return { unit: "now", value: 0, change: ms, late: false };
  const [unit, size] = ms < HOUR ? ["m", MINUTE] : ms < DAY ? ["h", HOUR]
    : ms < YEAR ? ["d", DAY] : ["y", YEAR];
  return { unit, value: Math.floor(ms / size), change: (ms % size) + 1, late: false };
}

// Returns "late", "soon" or "far".
/** @param {number} dueAt @param {number} now */
export function dueLevel(dueAt, now) {
  if (dueAt <= now) return "late";
  return dueAt - now <= DUE_SOON_MS ? "soon" : "far";
}

const REFRESH_MS = { least: SECOND, most: MINUTE };

// Returns the ms until time alone changes a text of these rows, within bounds.
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

// Returns functions for short and long texts in a language ("en"), or in its form in a region ("en-GB"), in
// one time zone.
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
  const units = [hours ? named(hours, "hour") : "", count % 60 || !hours ? named(count % 60, "minute") : ""];
  return units.filter(Boolean).join(locale.startsWith("ja") ? "" : " ");
}

const CLOCK = { hour: "numeric", minute: "2-digit" };
const DATE = { month: "short", day: "numeric" };

// The formats are made at their first use: most pages need none of them.
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

// The time zone of all times shown and chosen: the profile's, else the browser's.
/** @type {string | undefined} */
let own;

// Chooses the first of these zones that the browser knows.
/** @param {(string | null | undefined)[]} zones */
export function chooseZone(...zones) { own = zones.find((zone) => zone && isZone(zone)); }

export const hasZone = () => own !== undefined;
// Returns UTC if no zone is known.
export const ownZone = () => own ?? "UTC";

// The clocks of a time zone: the reading at a moment, and the moment of a reading. Pure.
const DAY_MS = 86_400_000;

/** The date and the time that the clocks of a zone show.
 * @typedef {{year: number, month: number, day: number, hour: number, minute: number}} Reading */

/** @type {Map<string, Intl.DateTimeFormat>} zone to its format, which is slow to make */
const formats = new Map();

function formatOf(zone) {
  if (!formats.has(zone)) {
    formats.set(zone, new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
      hour: "numeric", minute: "numeric", second: "numeric",
    }));
  }
  return formats.get(zone);
}

/** @param {string} zone */
export const zoneText = (zone) => zone.replaceAll("_", " ");

// Whether this browser knows the zone.
/** @param {string} zone */
export function isZone(zone) {
  try {
    return Boolean(formatOf(zone));
  } catch {
    return false;
  }
}

/** @param {number} at @param {string} zone @returns {Reading & {second: number}} */
export function reading(at, zone) {
  const shown = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) shown[type] = Number(value);
  const { year, month, day, hour, minute, second } = shown;
  return { year, month, day, hour, minute, second };
}

// Returns local time minus UTC, in ms.
/** @param {number} at @param {string} zone */
export function aheadMs(at, zone) {
  const { year, month, day, hour, minute, second } = reading(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

// In every zone a day begins on a quarter of an hour: each quarter is computed once.
const QUARTER_MS = 900_000;
const DAYS_MAX = 5000;
/** @type {Map<string, number>} */
const days = new Map();

// Returns the number of the local day of a moment, counted from 1970.
/** @param {number} at @param {string} zone */
export function dayOf(at, zone) {
  const quarter = Math.floor(at / QUARTER_MS);
  const key = `${quarter} ${zone}`;
  let day = days.get(key);
  if (day === undefined) {
    if (days.size >= DAYS_MAX) days.clear();
    const start = quarter * QUARTER_MS;
    day = Math.floor((start + aheadMs(start, zone)) / DAY_MS);
    days.set(key, day);
  }
  return day;
}

// Returns the moment at which the clocks of a zone show this. If they show it twice, the first one; if they
// skip it, later by the skipped time: 2:30 becomes 3:30 if they go from 2 to 3.
/** @param {Reading} wanted @param {string} zone */
export function momentOf({ year, month, day, hour, minute }, zone) {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const before = asUtc - aheadMs(asUtc - DAY_MS, zone);
  const after = asUtc - aheadMs(asUtc + DAY_MS, zone);
  const fitting = [before, after].filter((at) => at + aheadMs(at, zone) === asUtc);
  return fitting.length ? Math.min(...fitting) : before;
}

export const padded = (number, length = 2) => String(number).padStart(length, "0");

// Returns a moment as the fields of date and time hold it: {date: "2026-11-24", time: "09:00"}.
/** @param {number} at @param {string} zone */
export function fieldsOf(at, zone) {
  const { year, month, day, hour, minute } = reading(at, zone);
  return {
    date: `${padded(year, 4)}-${padded(month)}-${padded(day)}`,
    time: `${padded(hour)}:${padded(minute)}`,
  };
}

// Returns the moment of such fields; null if either is no date or time.
/** @param {string} date @param {string} time @param {string} zone */
export function momentOfFields(date, time, zone) {
  const [year, month, day] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? []).slice(1).map(Number);
  const [hour, minute] = (/^(\d\d):(\d\d)/.exec(time) ?? []).slice(1).map(Number);
  if (year === undefined || hour === undefined) return null;
  return momentOf({ year, month, day, hour, minute }, zone);
}

// Returns the first moment of the day that is so many days after another one.
/** @param {string} date @param {number} later @param {string} zone */
export function midnight(date, later, zone) {
  const [year, month, day] = date.split("-").map(Number);
  return momentOf({ year, month, day: day + later, hour: 0, minute: 0 }, zone);
}

// Returns the ms before the next try: exponential with full jitter, between leastMs and mostMs, so that
// windows that failed together do not return together.
export function delayMs(
  attempt, { leastMs = 500, firstMs = 1000, mostMs = 30_000, random = Math.random } = {},
) {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(leastMs + random() * (whole - leastMs));
}
