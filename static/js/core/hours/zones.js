// Time zones: all that the browser knows, found by words; and the wall clock of one.

const DAY_MS = 86_400_000;

// Names that browsers list under the name which a place had before.
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

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

function clockOf(zone) {
  if (!clocks.has(zone)) {
    clocks.set(zone, new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
      hour: "2-digit", minute: "2-digit", second: "2-digit",
    }));
  }
  return clocks.get(zone);
}

/** @param {string} zone */
export function isZone(zone) {
  try {
    return Boolean(clockOf(zone));
  } catch {
    return false;
  }
}

// All zones by their names of today, sorted; UTC is one of them.
export function allZones(listed = Intl.supportedValuesOf("timeZone")) {
  const names = listed.map((name) => RENAMED[name] ?? name).filter(isZone);
  return [...new Set([...names, "UTC"])].sort();
}

/** @param {string} zone */
export const todaysName = (zone) => RENAMED[zone] ?? zone;

// Other names of a zone, under which it is looked for.
/** @param {string} zone */
export const otherNames = (zone) => (
  Object.entries(RENAMED).filter(([, name]) => name === zone).map(([old]) => old).join(" ")
);

// What a clock in the zone shows: the date, and ms since its midnight as they are counted there.
/** @param {string} zone @param {number} at ms since 1970 @returns {{date: string, ms: number}} */
export function wallAt(zone, at) {
  const found = {};
  for (const { type, value } of clockOf(zone).formatToParts(at)) found[type] = value;
  const seconds = Number(found.hour) * 3600 + Number(found.minute) * 60 + Number(found.second);
  const year = found.year.padStart(4, "0");
  return { date: `${year}-${found.month}-${found.day}`, ms: seconds * 1000 + (((at % 1000) + 1000) % 1000) };
}

// Local time less UTC, in ms.
/** @param {string} zone @param {number} at */
export function offsetAt(zone, at) {
  const { date, ms } = wallAt(zone, at);
  return Date.parse(`${date}T00:00:00Z`) + ms - at;
}

// "+07:00"
/** @param {string} zone @param {number} at */
export function offsetText(zone, at) {
  const minutes = Math.round(offsetAt(zone, at) / 60_000);
  const size = Math.abs(minutes);
  const two = (number) => String(number).padStart(2, "0");
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// The instants at which the zone's clocks show this date and minute: none where they skip it, two where
// they show it twice.
/** @param {string} zone @param {string} date @param {number} minute */
export function instantsOf(zone, date, minute) {
  const wall = Date.parse(`${date}T00:00:00Z`) + minute * 60_000;
  const offsets = new Set([-DAY_MS, DAY_MS].map((ms) => offsetAt(zone, wall + ms)));
  return [...offsets].map((offset) => wall - offset)
    .filter((at) => at + offsetAt(zone, at) === wall).sort((a, b) => a - b);
}

// The instant in (from, to] at which the clocks are moved, or null where they are not.
/** @param {string} zone @param {number} from @param {number} to */
export function clockChange(zone, from, to) {
  const before = offsetAt(zone, from);
  if (offsetAt(zone, to) === before) return null;
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (middle <= low) break;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
