// Times in words. Pure: now is a parameter; each short text also tells how long it stays true.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

export const WAIT_LONG_MS = 10 * MINUTE;
export const WAIT_TOO_LONG_MS = 30 * MINUTE;

// {unit, value, change}: "now", 4 "m", 2 "h", 3 "d", 1 "y"; change: ms until it reads otherwise.
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
export function waitLevel(since, now) {
  const ms = now - since;
  if (ms >= WAIT_TOO_LONG_MS) return "too-long";
  return ms >= WAIT_LONG_MS ? "long" : "";
}

const UNITS = { m: "minute", h: "hour", d: "day", y: "year" };

// The short and the long forms in one language.
export function timeWords(locale) {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const narrow = {};
  for (const [unit, name] of Object.entries(UNITS)) {
    narrow[unit] = new Intl.NumberFormat(locale, {
      style: "unit", unit: name, unitDisplay: locale === "ja" ? "short" : "narrow",
    });
  }
  const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "full" });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
  return {
    // "4m", or the given word for less than a minute
    short: ({ unit, value }, nowWord) => (unit === "now" ? nowWord : narrow[unit].format(value)),
    // "4 minutes ago"
    long: ({ unit, value }) => (unit === "now"
      ? relative.format(0, "second") : relative.format(-value, UNITS[unit])),
    clock: (at) => clock.format(at),
    exact: (at) => exact.format(at),
    day: (at, now) => dayName(at, now, relative, date),
  };
}

function dayName(at, now, relative, date) {
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  return days >= 0 && days <= 1 ? capital(relative.format(-days, "day")) : date.format(at);
}

function midnight(at) {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

export const sameDay = (a, b) => midnight(a) === midnight(b);

const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);
