// The state of the page of reports: its address, and the requests that follow from it.

import { fieldsOf, isZone, midnight } from "../time.js";

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
// The server gives so many steps at most.
const STEPS_MAX = 800;
// A chart shows so many days by itself; longer times go by weeks.
const DAYS_MAX = 100;

// The metrics in their groups, and the measure of each, which it counts: events, threads, durations, how many wait at a moment, the
// time that admins spent, or the threads on a list.
/** @type {Record<string, Record<string, ReportMeasure>>} */
export const METRIC_GROUPS = {
  work: { new: "facts", closed: "facts", reopened: "facts", waiting: "level", length: "list" },
  speed: { first_reply: "durations", next_reply: "durations", close_time: "durations" },
  targets: { met: "facts", missed: "facts" },
  people: {
    answers: "facts", handled: "threads", online: "time", away: "time", accepting: "time", at_capacity: "time",
  },
  queues: { given: "facts", returned: "facts", queue_time: "durations" },
  suggestions: { suggestions_used: "facts", suggestions_edited: "facts", suggestions_ignored: "facts" },
};
/** @type {Record<string, ReportMeasure>} */
const MEASURES = Object.assign({}, ...Object.values(METRIC_GROUPS));
const PARTS = ["desk", "admin", "source", "tag", "tier", "language", "queue", "view"];
// These parts are of what a thread is now; the others are of what happened.
const OF_NOW = ["desk", "tag", "tier", "language", "view"];
// Parts of these may hold the same thread, or leave one out.
const OVERLAPPING = ["tag", "view"];
/** @type {Record<string, number>} days that a span shows, today included */
const DAYS_OF = { today: 1, "7d": 7, "30d": 30, "90d": 90 };
const SPANS = [...Object.keys(DAYS_OF), "own"];
// Lists are known for so many days of a report.
const LIST_DAYS_MAX = 31;
const LIST = "not_respond"; // the list that is counted first
export const OF_QUERY = "query"; // stands for the list of the query
const STEPS = ["hour", "day", "week"];
export const PERCENTILES = /** @type {const} */ (["p50", "p90", "p99"]);

/** @param {string} metric */
export const measureOf = (metric) => MEASURES[metric];
/** @param {string} metric */
export const isTimed = (metric) => ["durations", "time"].includes(MEASURES[metric]);

/** Whether a metric counts threads at a moment, the end of a step. @param {string} metric */
export const isAtMoment = (metric) => ["level", "list"].includes(MEASURES[metric]);

// Returns what the number of a metric may be divided by.
/** @param {string} metric */
export function divisionsOf(metric) {
  const measure = MEASURES[metric];
  if (measure === "list") return [];
  return [...(measure === "time" ? ["admin"] : PARTS), ...(measure === "threads" ? [] : ["hour"])];
}

// Returns the spans that a metric can show.
/** @param {string} metric */
export const spansOf = (metric) => SPANS.filter((span) => (
  MEASURES[metric] !== "list" || !(DAYS_OF[span] > LIST_DAYS_MAX)));

// Whether the server gives steps and parts in one answer.
/** @param {ReportState} state */
const isTogether = ({ metric, by }) => by !== "hour" && !["durations", "threads"].includes(MEASURES[metric]);

// Why the parts do not add up to the whole: the key of a text, or "" if they do.
/** @param {ReportState} state */
export function notAddingUp({ metric, by }) {
  const measure = MEASURES[metric];
  if (!by || by === "hour") return "";
  if (OVERLAPPING.includes(by)) return by;
  return measure === "durations" || measure === "threads" ? measure : "";
}

/** Whether threads are divided by what they are now. @param {ReportState} state */
export const isOfNow = ({ by }) => OF_NOW.includes(by);

// Returns the state that an address names; what is unknown there has its default.
/** @param {string} search @param {string} zone of the admin @returns {ReportState} */
export function fromAddress(search, zone) {
  const given = new URLSearchParams(search);
  const one = (name, allowed, otherwise) => (allowed.includes(given.get(name)) ? given.get(name) : otherwise);
  const metric = one("metric", Object.keys(MEASURES), "first_reply");
  const timezone = given.get("timezone") ?? "";
  return fitting({
    metric,
    by: given.get("by"),
    span: one("span", SPANS, "7d"),
    from: dayIn(given.get("from")), to: dayIn(given.get("to")),
    step: given.get("step"),
    timezone: timezone && isZone(timezone) ? timezone : zone,
    query: (given.get("query") ?? "").trim(),
    view: /^[a-z_]{1,20}$|^v[1-9]\d{0,11}$/.test(given.get("view") ?? "") ? given.get("view") : "",
    hours: one("hours", ["clock", "opening"], "clock"),
    shown: one("shown", PERCENTILES, "p90"),
  });
}

const dayIn = (text) => (DAY.test(text ?? "") && !Number.isNaN(Date.parse(text)) ? text : "");

// Returns the state without what does not go with its metric or its span.
/** @param {ReportState} given @returns {ReportState} */
export function fitting(given) {
  const measure = MEASURES[given.metric];
  const state = { ...given, span: spansOf(given.metric).includes(given.span) ? given.span : "30d" };
  const isOwn = state.span === "own";
  const view = measure !== "list" ? "" : state.view || (state.query ? OF_QUERY : LIST);
  return {
    ...state, view,
    by: divisionsOf(state.metric).includes(state.by) ? state.by : "",
    query: measure === "time" || (view && view !== OF_QUERY) ? "" : state.query,
    step: stepsOf(state).includes(state.step) ? state.step : "",
    from: isOwn ? state.from : "", to: isOwn ? state.to : "",
  };
}

/** @param {ReportState} state @param {ReportRows | null} rows the number that shows its threads */
export function toAddress({ hours, shown, ...state }, rows = null) {
  const given = new URLSearchParams(Object.entries({
    ...state, hours: hours === "clock" ? "" : hours, shown: shown === "p90" ? "" : shown,
  }).filter(([, value]) => value));
  if (rows) {
    given.set("rows", `${rows.from}-${rows.to}`);
    for (const name of /** @type {const} */ (["part", "least", "below"])) {
      const value = rows[name];
      if (value !== null && value !== undefined) given.set(name, String(value));
    }
  }
  return `?${given}`;
}

// Returns the number of which an address shows the threads, or null.
/** @param {string} search @returns {ReportRows | null} */
export function rowsIn(search) {
  const given = new URLSearchParams(search);
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(given.get("rows") ?? "") ?? [];
  if (!to || Number(from) >= Number(to)) return null;
  const bound = (name) => (/^\d{1,15}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : null);
  return { from: Number(from), to: Number(to), part: given.get("part"), least: bound("least"), below: bound("below") };
}

// Returns the time that a state looks at, in ms; null if its own dates are missing, or in the wrong order.
/** @param {ReportState} state @param {number} now @returns {{from: number, to: number} | null} */
export function timeOf({ metric, span, from, to, timezone }, now) {
  if (span === "own") {
    if (!from || !to || from > to) return null;
    const begin = midnight(from, 0, timezone);
    const end = midnight(to, 1, timezone);
    // A list of the future is not known.
    return { from: begin, to: MEASURES[metric] === "list" && begin < now ? Math.min(end, now) : end };
  }
  const begin = midnight(fieldsOf(now, timezone).date, 1 - DAYS_OF[span], timezone);
  return { from: begin, to: Math.max(now, begin + 1) };
}

// Returns what a report needs before it can be asked for: "dates", "query", or "" if it has all.
/** @param {ReportState} state @param {number} now */
export function lacking(state, now) {
  if (!timeOf(state, now)) return "dates";
  return state.view === OF_QUERY && !state.query ? "query" : "";
}

// Returns the days that a state looks at, the last one included.
/** @param {ReportState} state @param {number} now */
export function daysIn(state, now) {
  const time = timeOf(state, now);
  const day = (at) => fieldsOf(at, state.timezone).date;
  return time ? { from: day(time.from), to: day(time.to - 1) } : { from: "", to: "" };
}

/** @param {ReportState} state */
const daysOf = ({ span, from, to }) => (
  DAYS_OF[span] ?? Math.max(1, (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 || 1));

// Returns the steps that the time can be divided into.
/** @param {ReportState} state */
export function stepsOf(state) {
  const days = daysOf(state);
  return STEPS.filter((step) => (
    step === "hour" ? days * 24 + 2 <= STEPS_MAX : step === "day" ? days > 1 && days < STEPS_MAX : days > 7));
}

// Returns the step of the chart: the chosen one, or one that suits the time.
/** @param {ReportState} state */
export function stepOf(state) {
  if (state.step) return state.step;
  const days = daysOf(state);
  return days <= 2 ? "hour" : days <= DAYS_MAX ? "day" : "week";
}

// Returns the parameters of the requests: of the steps and, if the server gives them apart, of the parts.
/** @param {ReportState} state @param {{from: number, to: number}} time */
export function requestsOf(state, time) {
  const { by } = state;
  const all = parametersOf(state, time);
  const steps = { ...all, step: stepOf(state) };
  if (!by) return { steps, parts: null };
  return isTogether(state) ? { steps: { ...steps, by }, parts: null } : { steps, parts: { ...all, by } };
}

// Returns the parameters of a request for the threads behind a number.
/** @param {ReportState} state @param {ReportRows} rows */
export function rowsRequest(state, { from, to, part, least, below }) {
  return {
    ...parametersOf(state, { from, to }), ...(part !== null && { by: state.by, part }),
    ...(least !== null && { least: String(least) }), ...(below !== null && { below: String(below) }),
  };
}

/** @param {ReportState} state @param {{from: number, to: number}} time @returns {Record<string, string>} */
function parametersOf({ metric, timezone, query, hours, view }, { from, to }) {
  return {
    metric, timezone, from: new Date(from).toISOString(), to: new Date(to).toISOString(),
    ...(query && { query }), ...(view && view !== OF_QUERY && { view }), ...(hours === "opening" && { hours }),
  };
}

// Returns the number of threads to read: those of the whole, of a step, a part, an hour of the week or a bar.
/** @param {{from: number, to: number}} time @param {Partial<ReportRows>} more @returns {ReportRows} */
export const rowsOf = ({ from, to }, more = {}) => ({ from, to, part: null, least: null, below: null, ...more });

// Returns the list that had the same threads as a number, if there is one: that of a report, or of those who
// waited. Else null.
/** @param {ReportState} state @param {string | null} part @returns {ListName | null} */
export function listOf(state, part) {
  if (MEASURES[state.metric] === "list") {
    const { view, query } = state;
    return view === OF_QUERY ? { view, query, sort: "arrival" } : { view, sort: "arrival" };
  }
  const query = waitingQuery(state, state.by === "hour" ? null : part);
  return query === null ? null : { view: "query", query, sort: "longest_wait" };
}

/** @param {ReportState} state @param {string | null} part */
function waitingQuery({ by, query }, part) {
  const field = { desk: "desk", tag: "tag", language: "lang" }[by];
  if (part !== null && (!field || !/^[\w-]+$/.test(part))) return null;
  return ["is:waiting", part === null ? "" : `${field}:${part}`, query && `(${query})`].filter(Boolean).join(" ");
}
