// A time zone's clocks: what they show at a moment, and the moment at which they show something. Pure.

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

// Local time less UTC, in ms.
/** @param {number} at @param {string} zone */
export function aheadMs(at, zone) {
  const { year, month, day, hour, minute, second } = reading(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

// A day begins on a quarter of an hour, in every zone: each is asked for once.
const QUARTER_MS = 900_000;
const DAYS_MAX = 5000;
/** @type {Map<string, number>} */
const days = new Map();

// The number of the local day that a moment belongs to, counted from 1970.
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

// The moment at which the clocks of a zone show this. Where they show it twice, the first time; where
// they skip it, as much later as they skip: 2:30 is 3:30 where they go from 2 to 3.
/** @param {Reading} wanted @param {string} zone */
export function momentOf({ year, month, day, hour, minute }, zone) {
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  const before = asUtc - aheadMs(asUtc - DAY_MS, zone);
  const after = asUtc - aheadMs(asUtc + DAY_MS, zone);
  const fitting = [before, after].filter((at) => at + aheadMs(at, zone) === asUtc);
  return fitting.length ? Math.min(...fitting) : before;
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

// The moment of a date and a time as such fields hold them; null where either is none.
/** @param {string} date @param {string} time @param {string} zone */
export function momentOfFields(date, time, zone) {
  const [year, month, day] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? []).slice(1).map(Number);
  const [hour, minute] = (/^(\d\d):(\d\d)/.exec(time) ?? []).slice(1).map(Number);
  if (year === undefined || hour === undefined) return null;
  return momentOf({ year, month, day, hour, minute }, zone);
}
