// Time zones: all that the browser knows, found by words; and the wall clock of a zone.

import { aheadMs, fieldsOf, isZone } from "../time.js";

const DAY_MS = 86_400_000;

// Current names of zones that browsers list under an older name.
const RENAMED = {
  "Africa/Asmera": "Africa/Asmara", "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca", "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk", "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy", "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza", "America/Coral_Harbour": "America/Atikokan",
  "Asia/Calcutta": "Asia/Kolkata", "Asia/Katmandu": "Asia/Kathmandu", "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh", "Atlantic/Faeroe": "Atlantic/Faroe", "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton", "Pacific/Ponape": "Pacific/Pohnpei", "Pacific/Truk": "Pacific/Chuuk",
};

// Returns all zones by their current names, sorted, including UTC.
export function allZones(listed = Intl.supportedValuesOf("timeZone")) {
  const names = listed.map((name) => RENAMED[name] ?? name).filter(isZone);
  return [...new Set([...names, "UTC"])].sort();
}

/** @param {string} zone */
export const todaysName = (zone) => RENAMED[zone] ?? zone;

// Returns other names under which a zone is found.
/** @param {string} zone */
export const otherNames = (zone) => (
  Object.entries(RENAMED).filter(([, name]) => name === zone).map(([old]) => old).join(" ")
);

// Returns the date and the ms since its midnight on a clock in the zone.
/** @param {string} zone @param {number} at ms since 1970 @returns {{date: string, ms: number}} */
export function wallAt(zone, at) {
  const { date } = fieldsOf(at, zone);
  return { date, ms: at + aheadMs(at, zone) - Date.parse(`${date}T00:00:00Z`) };
}

// Returns an offset such as "+07:00".
/** @param {string} zone @param {number} at */
export function offsetText(zone, at) {
  const minutes = Math.round(aheadMs(at, zone) / 60_000);
  const size = Math.abs(minutes);
  const two = (number) => String(number).padStart(2, "0");
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// Returns the instants at which the zone's clocks show this date and minute: none if they skip it, two if
// they show it twice.
/** @param {string} zone @param {string} date @param {number} minute */
export function instantsOf(zone, date, minute) {
  const wall = Date.parse(`${date}T00:00:00Z`) + minute * 60_000;
  const offsets = new Set([-DAY_MS, DAY_MS].map((ms) => aheadMs(wall + ms, zone)));
  return [...offsets].map((offset) => wall - offset)
    .filter((at) => at + aheadMs(at, zone) === wall).sort((a, b) => a - b);
}

// Returns the instant in (from, to] at which the clocks change; null if they do not.
/** @param {string} zone @param {number} from @param {number} to */
export function clockChange(zone, from, to) {
  const before = aheadMs(from, zone);
  if (aheadMs(to, zone) === before) return null;
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (middle <= low) break;
    if (aheadMs(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}
