// The numbers and times of reports as texts, in the page's language and the report's time zone.

import { languageName } from "../i18n.js";
import { shown } from "../names.js";
import { aheadMs, dayOf, padded, reading } from "../time.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const WEEK_HOURS = 168;
// 5 January 1970 was a Monday.
const MONDAY_MS = 4 * DAY;

// Returns a duration in two units at most: "4.2 s", "4 min 10 s", "2 h 05 min", "3 d 4 h", "1 h".
/** @param {number} ms @param {Translate} t */
export function durationText(ms, t) {
  if (ms < 9.95 * SECOND) return t("reports.duration.s", { s: Math.round(ms / 100) / 10 });
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return t("reports.duration.s", { s: seconds });
  const minutes = Math.round(ms / MINUTE);
  if (seconds < 3600) return inUnits(["min", Math.floor(seconds / 60)], ["s", seconds % 60], t);
  if (minutes < 24 * 60) return inUnits(["h", Math.floor(minutes / 60)], ["min", minutes % 60], t);
  const hours = Math.round(ms / HOUR);
  return inUnits(["d", Math.floor(hours / 24)], ["h", hours % 24], t);
}

function inUnits([large, many], [small, rest], t) {
  if (!rest) return t(`reports.duration.${large}`, { [large]: many });
  return t(`reports.duration.${large}_${small}`, { [large]: many, [small]: large === "d" ? rest : padded(rest) });
}

// Returns a duration in one unit, for little room: "42s", "4m", "2.1h", "3d".
// digits: after the point; without it as many as suit the duration.
/** @param {number} ms @param {Translate} t @param {number | null} digits */
export function shortDuration(ms, t, digits = null) {
  const [unit, size] = ms < 59.5 * SECOND ? ["s", SECOND] : ms < 59.5 * MINUTE ? ["m", MINUTE]
    : ms < 23.5 * HOUR ? ["h", HOUR] : ["d", DAY];
  const value = ms / /** @type {number} */ (size);
  const scale = 10 ** (digits ?? (value >= 9.95 || unit === "s" || unit === "m" ? 0 : 1));
  return t(`reports.short.${unit}`, { value: Math.round(value * scale) / scale });
}

// Returns the texts of an axis: with as many digits as its values have, so that none reads as another one.
/** @param {number[]} values @param {string} kind @param {Translate} t */
export function axisTexts(values, kind, t) {
  const texts = (digits) => values.map((value) => (
    kind === "count" ? t.compact(value, digits) : shortDuration(value, t, digits)));
  const most = String(texts(2));
  return texts([0, 1].find((digits) => String(texts(digits)) === most) ?? 2);
}

// Returns the number of a value: of durations the percentile; null if there is none.
/** @param {ReportValue | null | undefined} value @param {string} shown @returns {number | null} */
export const numberOf = (value, shown) => (
  value === null || value === undefined ? null : typeof value === "number" ? value : value[shown]);

// Returns how many are behind a value.
/** @param {ReportValue | null} value */
export const countOf = (value) => (value === null ? 0 : typeof value === "number" ? value : value.count);

// Returns texts of moments and steps; the formats are made once for a language and a zone.
/** @param {string} region as "en-GB" @param {string} timeZone */
export function stepWords(region, timeZone) {
  /** @type {Record<string, Intl.DateTimeFormatOptions>} */
  const options = {
    hour: { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
    day: { weekday: "short", day: "numeric", month: "short" },
    week: { day: "numeric", month: "short", year: "numeric" },
    clock: { hour: "numeric", minute: "2-digit" },
    date: { day: "numeric", month: "short" },
    stamp: { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" },
    moment: { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", second: "2-digit" },
  };
  const formats = {};
  /** @param {string} name @param {number} at */
  const written = (name, at) => {
    formats[name] ??= new Intl.DateTimeFormat(region, { timeZone, ...options[name] });
    return formats[name].format(at);
  };
  const weekdays = new Intl.DateTimeFormat(region, { timeZone: "UTC", weekday: "short" });
  const hours = new Intl.DateTimeFormat(region, { timeZone: "UTC", hour: "numeric" });
  const weekday = (day) => weekdays.format(MONDAY_MS + day * DAY);
  const hour = (number) => hours.formatToParts(MONDAY_MS + number * HOUR)
    .filter(({ type }) => type === "hour" || type === "dayPeriod").map(({ value }) => value).join(" ");
  return {
    written,
    weekday, // "Mon"
    hour, // "2 PM" or "14"
    hourOfWeek: (number) => `${weekday(Math.floor(number / 24))} ${hour(number % 24)}`, // "Mon 14"
  };
}

// Returns a moment in ISO with the offset of the zone: 2026-11-24T14:00:00+07:00.
/** @param {number} at @param {string} zone */
export function isoIn(at, zone) {
  const { year, month, day, hour, minute, second } = reading(at, zone);
  const ahead = Math.round(aheadMs(at, zone) / MINUTE);
  const size = Math.abs(ahead);
  return `${year}-${padded(month)}-${padded(day)}T${padded(hour)}:${padded(minute)}:${padded(second)}${
    ahead < 0 ? "-" : "+"}${padded(Math.floor(size / 60))}:${padded(size % 60)}`;
}

// Returns the levels from 0 to 5 by which the hours of a week are tinted: 0 is nothing, 5 the largest number.
/** @param {(number | null)[]} numbers */
export function levelsOf(numbers) {
  const most = Math.max(0, ...numbers.filter((number) => number !== null));
  return numbers.map((number) => (number ? Math.ceil((5 * number) / most) : 0));
}

// Metrics of messages of admins: one without an admin came from the chatbot's side.
const WRITTEN = ["first_reply", "next_reply", "answers", "handled", "met"];

// Returns the name of a part, in words where the server has a number or a code.
/** @param {{metric: string, by: string}} state @param {{key: string, name: string | null}} part @param {Translate} t */
export function partName({ metric, by }, { key, name }, t) {
  if (key === "") return t(`reports.none.${by === "admin" && WRITTEN.includes(metric) ? "author" : by}`);
  if (by === "tier") return t("member.tier", { tier: key });
  if (by === "language") return languageName(key, t.locale);
  return shown(name ?? t("reports.gone", { id: key }));
}

// Returns a value as the page writes it: a count, or a duration.
/** @param {number | null} number @param {boolean} isTimed @param {Translate} t */
export function numberText(number, isTimed, t) {
  if (number === null || number === undefined) return "–";
  return isTimed ? durationText(number, t) : t.number(number);
}

// Returns a time that a number is of: "Tue 24 Nov, 14:00", or its first and last moment.
/** @param {{from: number, to: number}} time @param {ReportWords} words @param {Translate} t */
export function timeText({ from, to }, words, t) {
  if (to - from <= HOUR) return words.written("hour", from);
  if (to - from <= 25 * HOUR && words.written("clock", from) === words.written("clock", to)) return words.written("day", from);
  return t("reports.from_to", { from: words.written("hour", from), to: words.written("hour", to) });
}

// Returns the end of a step, at which threads were counted: "At Tue 24 Nov, 14:00", or "End of Tue 24 Nov".
/** @param {{end: number, step: string}} given @param {{timezone: string}} state @param {ReportWords} words @param {Translate} t */
export function endText({ end, step }, { timezone }, words, t) {
  const isDay = step !== "hour" && dayOf(end, timezone) !== dayOf(end - 1, timezone);
  return isDay ? t("reports.end_of", { day: words.written("day", end - 1) }) : t("reports.rows.at", { time: words.written("hour", end) });
}
