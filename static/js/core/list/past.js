// A list as it was at a moment: its rows, the span of the slider above them, and the marks where something
// happened. Nothing changes unless the admin chooses another moment.

import { fieldsOf, momentOfFields, reading } from "../time.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
// How much the slider shows, and in how many steps.
/** @type {Record<string, {ms: number, steps: number}>} */
export const SPANS = {
  hour: { ms: 60 * MINUTE, steps: 360 },
  day: { ms: DAY, steps: 360 },
  week: { ms: 7 * DAY, steps: 336 },
  month: { ms: 31 * DAY, steps: 372 },
};
const USUAL_SPAN = "hour";
// The beginning of the known past moves on while one looks at it.
const MARGIN_MS = 5000;
const DRAG_MS = 150; // a dragged slider asks once it rests for so long
const RETRY_MS = 3000;
// The page's clock may be ahead of the server's by now: what is the future there is asked for earlier, by twice
// as much each time, up to some two hours.
const AHEAD_MS = { least: 1000, most: 2 ** 12 * 1000 };

// Returns the name of the span that an address names, or of the usual one.
/** @param {string | null} given */
export const spanNameOf = (given) => (Object.hasOwn(SPANS, given ?? "") ? given : USUAL_SPAN);

// The first moment that can be shown.
/** @param {number} since */
export const firstOf = (since) => since + MARGIN_MS;

// Returns the span with a moment in it: up to now if that is near enough, else around the moment. Its steps
// are those in which the server counts.
/** @param {string} name @param {{at: number, now: number, since: number}} given @returns {PastSpan} */
export function spanOf(name, { at, now, since }) {
  const { ms, steps } = SPANS[name];
  const first = firstOf(since);
  const to = Math.max(at, first) >= now - ms ? now : Math.max(at, first) + ms / 2;
  const from = Math.min(to, Math.max(to - ms, first));
  const step = Math.max(1, Math.ceil((to - from) / steps));
  return { name, from, to, step, last: Math.ceil((to - from) / step) };
}

// Returns the moment of a step, and the step of a moment.
/** @param {PastSpan} span @param {number} number */
export const momentOf = ({ from, to, step }, number) => Math.min(to, from + number * step);
/** @param {PastSpan} span @param {number} at */
export const stepOf = ({ from, step, last }, at) => Math.min(last, Math.max(0, Math.round((at - from) / step)));

// Returns the nearest mark with a change after a moment (`direction` 1) or before it (-1); undefined if there is
// none.
/** @param {PastMark[]} marks in the order of time @param {number} at @param {number} direction */
export const besideOf = (marks, at, direction) => (
  direction > 0 ? marks.find(([, , , last]) => last > at) : marks.findLast(([, , first]) => first < at)
);

// Returns the lines of the marks as the path of a picture that is `height` high and has a unit for each step.
/** @param {PastMark[]} marks @param {number} height */
export function pathOf(marks, height) {
  const most = Math.log1p(Math.max(1, ...marks.map(([, count]) => count)));
  return marks.map(([number, count]) => {
    const high = Math.max(height / 4, (height * Math.log1p(count)) / most);
    return `M${number + 1} ${height}v${-Math.round(high)}`;
  }).join("");
}

// Writes moments to the second, in one language and time zone: "Mon 23 Nov, 14:02:10".
/** @param {string} locale @param {string} timeZone */
export function secondWords(locale, timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const options = {
    timeZone, weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", second: "2-digit",
  };
  const near = new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const far = new Intl.DateTimeFormat(locale, { timeZone, ...options, year: "numeric" });
  /** @param {number} at @param {number} now */
  return (at, now) => (reading(at, timeZone).year === reading(now, timeZone).year ? near : far).format(at);
}

// Returns a moment as a field of date and time holds it, "2026-11-23T14:02:10", and the moment of such a
// text; null if it is none.
/** @param {number} at @param {string} zone */
export function localOf(at, zone) {
  const { date, time } = fieldsOf(at, zone);
  return `${date}T${time}:${String(reading(at, zone).second).padStart(2, "0")}`;
}

/** @param {string} text @param {string} zone */
export function momentOfLocal(text, zone) {
  const [date, time = ""] = text.split("T");
  const minute = momentOfFields(date, time, zone);
  return minute === null ? null : minute + Number(time.split(":")[2] ?? 0) * 1000;
}

export class PastList {
  /** @type {number | null} */
  at = null; // the moment that was asked for
  /** @type {PastPart | null} */
  shown = null; // what is on screen: of that moment, or still of the one before
  since = 0; // from then on the past is known; 0 before the first answer
  /** @type {(Error & {status?: number, body?: any}) | null} */
  problem = null; // why the moment could not be shown
  /** @type {PastSpan | null} */
  span = null;
  /** @type {PastMark[]} */
  marks = [];
  #spanName = USUAL_SPAN;
  #asked = 0;
  #timer = null;
  #reads = false; // whether more rows are being read
  #retryAt = 0;
  #aheadMs = 0; // by which the last moment asked for was made earlier

  /** @param {PastListOptions} options */
  constructor({ ask, marksOf, loaded, changed, now, timers = globalThis }) {
    this.ask = ask;
    this.marksOf = marksOf;
    this.loaded = loaded;
    this.changed = changed;
    this.now = now;
    this.timers = timers;
  }

  get isWaiting() { return this.at !== this.shown?.at && !this.problem; }
  get spanName() { return this.#spanName; }

  // Shows another moment. restMs: asks only if no other moment follows within this time.
  /** @param {number} at @param {{restMs?: number}} options */
  go(at, { restMs = 0 } = {}) {
    const asked = ++this.#asked;
    this.at = at;
    this.problem = null;
    this.timers.clearTimeout(this.#timer);
    if (restMs) this.#timer = this.timers.setTimeout(() => this.#load(at, asked), restMs);
    else this.#load(at, asked);
    this.changed();
  }

  /** @param {number} at */
  drag(at) { this.go(at, { restMs: DRAG_MS }); }

  // Moves by steps of the slider, not beyond its ends.
  /** @param {number} steps */
  step(steps) {
    const { span } = this;
    if (!span) return;
    const number = stepOf(span, this.at) + steps;
    this.drag(momentOf(span, Math.min(span.last, Math.max(0, number))));
  }

  // Goes to the moment of the change before (-1) or after (1). The moments inside of a mark, between its first
  // and its last, are asked for.
  /** @param {number} direction */
  async goBeside(direction) {
    const { at, span, marks } = this;
    const mark = besideOf(marks, at, direction);
    if (!mark) return;
    const [number, , first, last] = mark;
    const [near, far] = direction > 0 ? [first, last] : [last, first];
    if ((near - at) * direction > 0) return this.go(near);
    const asked = ++this.#asked;
    const part = direction > 0 ? { from: at, to: last } : { from: span.from + number * span.step, to: at - 1 };
    const { counts: [found] } = await this.marksOf(part, 1).catch(() => ({ counts: [] }));
    if (asked === this.#asked) this.go(found?.[direction > 0 ? 2 : 3] ?? far);
  }

  // Shows so much on the slider, unless it already does and the moment is on it.
  look(name = this.#spanName) {
    const { at, span } = this;
    this.#spanName = name;
    if (!this.since || (name === span?.name && at >= span.from && at <= span.to)) return;
    this.span = spanOf(this.#spanName, { at, now: this.now(), since: this.since });
    this.marks = [];
    this.#mark(this.span);
    this.changed();
  }

  // Reads the rows after those on screen.
  async more() {
    const { shown } = this;
    if (!shown?.next || this.#reads || this.now() < this.#retryAt) return;
    this.#reads = true;
    try {
      const { ids, rows, next } = await this.ask({ at: shown.at, after: shown.next });
      const known = new Set(shown.ids);
      shown.ids.push(...ids.filter((id) => !known.has(id)));
      for (const row of rows) shown.rows.set(row.id, row);
      shown.next = next;
    } catch {
      this.#retryAt = this.now() + RETRY_MS;
      this.timers.setTimeout(() => this.changed(), RETRY_MS);
    }
    this.#reads = false;
    this.changed();
  }

  // An answer for an earlier wish is dropped: the admin has moved on.
  async #load(at, asked) {
    try {
      const { ids, rows, total, next, since } = await this.ask({ at });
      if (asked !== this.#asked) return;
      this.since = since;
      this.#aheadMs = 0;
      this.shown = { at, ids: [...ids], rows: new Map(rows.map((row) => [row.id, row])), total, next };
      this.loaded(at);
    } catch (error) {
      if (asked !== this.#asked || this.#goBack(at, error)) return;
      this.problem = error;
      await this.#learnSince();
      if (asked !== this.#asked) return;
    }
    this.look();
    this.changed();
  }

  #goBack(at, error) {
    if (codeOf(error) !== "in_the_future" || at > this.now()) return false;
    this.#aheadMs = Math.max(AHEAD_MS.least, 2 * this.#aheadMs);
    if (this.#aheadMs > AHEAD_MS.most) return false;
    this.go(at - this.#aheadMs);
    return true;
  }

  // The first moment asked for may be too early: the slider needs to know what is not.
  async #learnSince() {
    const answer = this.since ? null : await this.ask({ at: this.now(), limit: 1 }).catch(() => null);
    if (answer) this.since = answer.since;
  }

  async #mark(span) {
    if (span.from >= span.to) return;
    const { counts } = await this.marksOf(span, SPANS[span.name].steps).catch(() => ({ counts: [] }));
    if (span !== this.span) return;
    this.marks = counts.sort(([one], [other]) => one - other);
    this.changed();
  }
}

// Returns why the server refuses a moment: `too_early`, `in_the_future`, or something else.
/** @param {any} error @returns {string | undefined} */
export const codeOf = (error) => error.body?.errors?.[0]?.code;
