// Policies while they are edited: their targets in minutes or hours, and the place of each.

import { delayMs } from "../time.js";

export const TARGETS = ["first_reply", "next_reply"];
const MINUTES_MAX = 525_600; // 365 days
export const UNITS = { minutes: 1, hours: 60 };

// Returns {value: text of the field, unit}; in hours from one hour on, if they are whole or half.
/** @param {number | null} minutes @returns {EditedTarget} */
export function targetOf(minutes) {
  if (minutes === null) return { value: "", unit: "minutes" };
  const isHours = minutes >= 60 && minutes % 30 === 0;
  return { value: String(isHours ? minutes / 60 : minutes), unit: isHours ? "hours" : "minutes" };
}

// Returns whole minutes; null if nothing is promised, undefined for a text that is no valid time.
/** @param {EditedTarget} target @returns {number | null | undefined} */
export function minutesIn({ value, unit }) {
  const written = value.normalize("NFKC").trim().replace(",", ".");
  if (!written) return null;
  const minutes = /^\d+(\.\d+)?$/.test(written) ? Math.round(Number(written) * UNITS[unit] * 1000) / 1000 : NaN;
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX ? minutes : undefined;
}

// Returns the fields of a policy that the server takes.
/** @param {PolicyFields} policy @returns {PolicyFields} */
export const fieldsOf = ({ name, query, calendar, first_reply, next_reply }) => ({
  name: name.trim(), query: query.trim(), calendar, first_reply, next_reply,
});

// Returns all policies after a change: one changed, one added at a place, or one removed.
/** @param {Policy[]} policies @param {{id?: number | null, fields?: PolicyFields | null, place?: number}} change */
export function after(policies, { id = null, fields = null, place = policies.length }) {
  if (id === null) return [...policies.slice(0, place), fields, ...policies.slice(place)].map(fieldsOf);
  return policies.flatMap((one) => (one.id === id ? fields ?? [] : one)).map(fieldsOf);
}

// Returns the policies with a calendar replaced.
/** @param {Policy[]} policies @param {number} id @param {object} calendar as it would be saved */
export const withCalendar = (policies, id, calendar) => policies.map((one) => ({
  ...fieldsOf(one), calendar: one.calendar === id ? calendar : one.calendar,
}));

/** @param {{id: number}[]} a @param {{id: number}[]} b */
export const isSameOrder = (a, b) => a.length === b.length && a.every(({ id }, at) => id === b[at].id);

// Asks, after a pause in editing, how many threads would be late; drops outdated answers.
const WAIT_MS = 400;

export class LateCheck {
  state = "none"; // none, asking, done, refused
  /** @type {LatePreview | null} */
  answer = null; // kept until the next answer
  error = null;
  #run = 0;
  #timer = null;

  // ask(policies): {waiting, late_now, late_after, newly_late}
  /** @param {LateCheckOptions} options */
  constructor({ ask, changed, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.timers = timers;
  }

  // policies: all of them, in order; null if there is nothing to ask yet.
  /** @param {object[] | null} policies */
  look(policies, waitMs = WAIT_MS) {
    this.stop();
    this.error = null;
    this.state = policies ? "asking" : "none";
    if (!policies) this.answer = null;
    else this.#timer = this.timers.setTimeout(() => this.#ask(policies), waitMs);
    this.changed();
  }

  stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
  }

  async #ask(policies) {
    const run = this.#run;
    let answer = null;
    let error = null;
    try {
      answer = await this.ask(policies);
    } catch (problem) {
      error = problem;
    }
    if (run !== this.#run) return;
    Object.assign(this, { answer, error, state: error ? "refused" : "done" });
    this.changed();
  }
}

// Asks every second for the progress of recomputing due times, until it is done.
const EVERY_MS = 1000;

export class Recompute {
  /** @type {{done: number, of: number} | null} */
  progress = null;
  #run = 0;
  #timer = null;
  #failures = 0;

  // ask() → {recompute}; changed(): called when the progress has changed; done(): when it has ended.
  /** @param {RecomputeOptions} options */
  constructor({ ask, changed, done = () => {}, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.done = done;
    this.timers = timers;
  }

  // Takes the progress from an answer. soon: asks soon, because a change just saved has not begun yet.
  /** @param {{done: number, of: number} | null} progress */
  watch(progress, { soon = false } = {}) {
    this.stop();
    this.#take(progress, soon);
  }

  stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
  }

  #take(progress, again) {
    const ended = this.progress !== null && progress === null;
    this.progress = progress;
    this.changed();
    if (ended) this.done();
    if (progress !== null || again) this.#later(EVERY_MS);
  }

  #later(ms) {
    const run = this.#run;
    this.#timer = this.timers.setTimeout(() => this.#ask(run), ms);
  }

  async #ask(run) {
    try {
      const { recompute } = await this.ask();
      this.#failures = 0;
      if (run === this.#run) this.#take(recompute, false);
    } catch {
      if (run !== this.#run) return;
      this.#later(delayMs(this.#failures));
      this.#failures += 1;
    }
  }
}

// The places of a refusal in a form: codes by pointer, and the first wrong one of some fields.
/** @param {any} problem @returns {{pointer: string, code: string}[]} */
export const faultsOf = (problem) => (problem?.errors ?? []).map(({ pointer, code }) => ({
  pointer: pointer ?? "", code: code ?? problem.code,
}));

// Returns the fault of a field, such as "/week/mon" for "/week/mon/0/1"; undefined if it has none.
/** @param {{pointer: string, code: string}[]} faults @param {string} field */
export const faultAt = (faults, field) => faults.find(({ pointer }) => (
  pointer === field || pointer.startsWith(`${field}/`)
));

// Returns the text for a fault at a field; at some fields a code has a more special text.
/** @param {{pointer: string, code: string} | undefined} fault @param {Translate} t */
export function faultText(fault, t) {
  if (!fault) return "";
  const field = /^\/(\w+)/.exec(fault.pointer)?.[1];
  const key = [`${fault.code}.${field}`, fault.code].find((one) => t.named("error", one) !== one);
  return t(key ? `error.${key}` : "error.other");
}

// Returns the faults that belong to none of the fields.
/** @param {{pointer: string, code: string}[]} faults @param {string[]} fields */
export const elsewhere = (faults, fields) => faults.filter(({ pointer }) => (
  !fields.some((field) => pointer === field || pointer.startsWith(`${field}/`))
));
