// The file of a report: what the page shows, as comma-separated values that spreadsheets open. Apart from
// the page, so that it is tested without one.

import { fieldsOf } from "../time.js";
import { OF_QUERY, PERCENTILES } from "./state.js";
import { isoIn, WEEK_HOURS } from "./words.js";

// A spreadsheet takes a text that begins so for a formula.
const FORMULA = /^[=+\-@\t\r]/;
const BYTE_ORDER_MARK = "\ufeff";

// Returns a cell; a text that a spreadsheet would compute gets an apostrophe before it.
/** @param {string | number | null | undefined} value */
export function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\n\r;]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {(string | number | null | undefined)[][]} rows */
export const csvOf = (rows) => `${BYTE_ORDER_MARK}${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

const DURATION_CELLS = /** @type {const} */ (["count", ...PERCENTILES]);

/** The cells of a value: of durations the number and the percentiles in ms.
 * @param {ReportValue | null | undefined} value @param {boolean} isDurations */
const cellsOf = (value, isDurations) => {
  if (typeof value === "number") return [value];
  return isDurations ? DURATION_CELLS.map((name) => value?.[name] ?? null) : [null];
};

// Returns the rows of the file: the whole, each step, each part and its steps, the hours of the week, the bars
// of durations. partName(part): the name that the page shows.
/** @param {ReportShown} shown
 * @param {{t: Translate, partName(part: ReportPart): string, hourName(hour: number): string,
 *   listName(view: string): string}} given */
export function rowsOfReport({ state, time, steps, parts }, { t, partName, hourName, listName }) {
  const zone = state.timezone;
  const isDurations = typeof steps.total !== "number";
  const columns = isDurations ? DURATION_CELLS.map((name) => t(`reports.csv.${name}`))
    : [t(steps.unit === "count" ? "reports.csv.count" : "reports.csv.ms")];
  const about = [t(`reports.metric.${state.metric}`), listName(state.view), state.query];
  const row = (kind, part, from, to, value) => [
    ...about, t(`reports.csv.${kind}`), part, from, to, ...cellsOf(value, isDurations)];
  const [begin, end] = [isoIn(time.from, zone), isoIn(time.to, zone)];
  const stepRows = (kind, part, values) => values.map((value, at) => row(kind, part, isoIn(steps.steps[at], zone),
    isoIn(steps.steps[at + 1] ?? time.to, zone), value));
  const { parts: all, values: hours } = parts ?? steps;
  return [
    ["reports.csv.metric", "reports.view", "reports.csv.query", "reports.csv.kind", "reports.csv.part", "reports.csv.from", "reports.csv.to"]
      .map((key) => t(key)).concat(columns),
    row("whole", "", begin, end, steps.total),
    ...stepRows("step", "", steps.values),
    ...all.flatMap((part) => [
      row("part", partName(part), begin, end, part.total),
      ...(parts ? [] : stepRows("part_step", partName(part), part.values))]),
    ...(state.by === "hour" ? Array.from({ length: WEEK_HOURS }, (_, hour) => row("hour", hourName(hour), begin, end,
      hours[hour])) : []),
    ...(steps.histogram ?? []).map(({ below, count }, at, bars) => [
      ...about, t("reports.csv.bar"), t("reports.csv.bar.of", {
        from: String(bars[at - 1]?.below ?? 0), to: below === null ? "∞" : String(below),
      }), begin, end, count]),
  ];
}

// Returns the name of the file: the metric, the list, the query and the days.
/** @param {ReportState} state @param {{from: number, to: number}} time */
export function fileName({ metric, view, query, timezone }, { from, to }) {
  const words = query.match(/[\p{L}\p{N}]+/gu)?.join("-").slice(0, 40);
  const list = view === OF_QUERY ? "" : view;
  const days = [from, to - 1].map((at) => fieldsOf(at, timezone).date);
  return `${["lineup", metric, list, words, ...days].filter(Boolean).join("-")}.csv`;
}
