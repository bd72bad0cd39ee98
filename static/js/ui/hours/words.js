// Weekdays, dates, hours, the state "open" or "closed", and targets of policies in the admin's language.

import {
  clock, dateAfter, DAY, DAYS, endOf, intervalOf, ofDay, weekOf,
} from "../../core/hours/week.js";
import { wallAt } from "../../core/hours/zones.js";

const MONDAY = "2024-01-01";
const MINUTE_MS = 60_000;

const utc = (date) => Date.parse(`${date}T00:00:00Z`);

// Returns the name of a weekday, 0 for Monday.
/** @param {number} day @param {"long" | "short"} weekday @param {Ui["language"]} language */
export const dayName = (day, weekday, { region }) => (
  new Intl.DateTimeFormat(region, { weekday, timeZone: "UTC" }).format(utc(dateAfter(MONDAY, day % 7)))
);

/** @param {string} date @param {Ui["language"]} language */
export const dateText = (date, { region }) => new Intl.DateTimeFormat(region, {
  weekday: "short", day: "numeric", month: "long", year: "numeric", timeZone: "UTC",
}).format(utc(date));

/** @param {Block} block */
export const hoursText = (block) => intervalOf(block).join("–");

// "Monday to Tuesday, 22:00–06:00"
/** @param {Block} block @param {Ui["language"]} language */
export function blockText(block, language) {
  const { day, start } = block;
  const end = endOf(block);
  return language.t(end > DAY ? "hours.block.night" : "hours.block", {
    day: dayName(day, "long", language), next: dayName(day + 1, "long", language),
    from: clock(start), to: clock(end > DAY ? end - DAY : end),
  });
}

// "Mon–Fri 09:00–18:00 · Sat 09:00–12:00": successive days with the same hours are named together.
/** @param {Block[]} blocks @param {Ui["language"]} language */
export function weekText(blocks, language) {
  const week = weekOf(blocks);
  const groups = [];
  DAYS.forEach((name, day) => {
    const text = (week[name] ?? []).map(([from, to]) => `${from}–${to}`).join(", ");
    const last = groups.at(-1);
    if (last?.text === text) last.to = day;
    else groups.push({ from: day, to: day, text });
  });
  const short = (day) => dayName(day, "short", language);
  return groups.filter(({ text }) => text).map(({ from, to, text }) => (
    `${from === to ? short(from) : `${short(from)}–${short(to)}`} ${text}`
  )).join(" · ") || language.t("hours.closed_all_week");
}

/** @param {Block[]} blocks @param {number} day @param {Ui["language"]} language */
export function dayText(blocks, day, language) {
  const hours = ofDay(blocks, day).map(hoursText).join(", ");
  return `${dayName(day, "long", language)}: ${hours || language.t("hours.closed")}`;
}

// "18:00", with the weekday if it is another day there, and with the date if it is not this week.
/** @param {string} zone @param {number} at @param {number} now @param {Ui["language"]} language */
export function momentText(zone, at, now, { region }) {
  const [there, today] = [wallAt(zone, at).date, wallAt(zone, now).date];
  const days = Math.round((utc(there) - utc(today)) / (DAY * MINUTE_MS));
  /** @type {Intl.DateTimeFormatOptions} */
  const far = { day: "numeric", month: "short", ...(days > 300 && { year: "numeric" }) };
  return new Intl.DateTimeFormat(region, {
    timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23",
    ...(days !== 0 && { weekday: "short" }), ...(days > 6 && far),
  }).format(at);
}

// Says whether it is open, and when that changes: {open, next} from openNow().
/** @param {{open: boolean, next: number | null}} state @param {string} zone @param {number} now
 * @param {Ui["language"]} language */
export function stateText({ open, next }, zone, now, language) {
  const { t } = language;
  if (next === null) return t(open ? "hours.open_always" : "hours.open_never");
  return t(open ? "hours.open_until" : "hours.closed_until", { time: momentText(zone, next, now, language) });
}

/** @param {number} minutes @param {Ui["language"]} language */
function minutesText(minutes, { t, region }) {
  const isHours = minutes >= 60 && minutes % 30 === 0;
  const text = new Intl.NumberFormat(region, {
    style: "unit", unit: isHours ? "hour" : "minute", unitDisplay: "long", maximumFractionDigits: 2,
  }).format(isHours ? minutes / 60 : minutes);
  // Intl adds a blank that Japanese does not have.
  return t.locale === "ja" ? text.replace(/\s/g, "") : text;
}

// "First reply within 30 minutes, then 1 hour"
/** @param {Pick<PolicyFields, "first_reply" | "next_reply">} policy @param {Ui["language"]} language */
export function targetsText({ first_reply: first, next_reply: next }, language) {
  const { t } = language;
  const said = (key, minutes) => (minutes === null ? [] : [t(key, { time: minutesText(minutes, language) })]);
  return [...said("policies.first_in", first), ...said("policies.next_in", next)].join(" · ") || t("policies.none_at_all");
}
