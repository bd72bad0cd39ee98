// Times of a day as they are written in calendars: minutes from midnight, "09:00" to "24:00".

export const DAY = 1440; // minutes
export const STEP = 15;

const two = (number) => String(number).padStart(2, "0");

/** @param {number} minutes */
export const clock = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

const WRITTEN = /^(\d{1,2})(?:\s*[:.h時]\s*(\d{2})?\s*分?)?$/iu;
const DIGITS = /^(\d{1,2})(\d{2})$/;

// What somebody wrote, such as "9", "9:30", "0930", "9h30", "24:00", in minutes; null where it is no time.
/** @param {string} text */
export function minutesOf(text) {
  const plain = text.normalize("NFKC").trim();
  const [, hour, minute = "0"] = DIGITS.exec(plain) ?? WRITTEN.exec(plain) ?? [];
  if (hour === undefined) return null;
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= DAY ? minutes : null;
}

// The next quarter of an hour after or before a time that may stand between two.
/** @param {number} minutes @param {number} direction 1 or -1 */
export const stepped = (minutes, direction) => (direction > 0
  ? Math.floor(minutes / STEP) * STEP + STEP : Math.ceil(minutes / STEP) * STEP - STEP);

/** @param {number} minutes */
export const snapped = (minutes) => Math.round(minutes / STEP) * STEP;

// Where an interval ends, in minutes from the midnight before it starts: at or before its start means
// on the next day.
/** @param {number} start @param {number} end */
export const endAfter = (start, end) => (end > start ? end : end + DAY);
