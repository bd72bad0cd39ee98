// The numbers of a report: the large ones, the table of steps, the parts, the bars of durations, and the hours of a
// week. Each number shows its threads.

import { html, nothing, svg } from "lit-html";

import { isAtMoment, isTimed, measureOf, PERCENTILES, rowsOf, stepOf } from "../core/reports/state.js";
import {
  countOf, durationText, levelsOf, numberOf, numberText, partName, shortDuration, WEEK_HOURS,
} from "../core/reports/words.js";

export const LINES_MAX = 6;

// A name for a number, by which it gets the focus again when its threads are closed. The end of a report up to
// now is another one each time.
/** @param {ReportRows} rows @param {ReportShown | null} shown */
export const keyOf = ({ from, to, part, least, below }, shown) => (
  [from, shown?.steps.steps.includes(to) ? to : "", part, least, below].join("|"));

// A number that shows its threads; plain text if there are none.
/** @param {ReportLook} look @param {{text: Content, about: string, rows: ReportRows, count: number, className?: string}} given */
function number({ open, shown }, { text, about, rows, count, className = "report-number" }) {
  if (!open || !count) return html`<span class=${className}>${text}</span>`;
  return html`<button type="button" class=${className} data-rows=${keyOf(rows, shown)} @click=${() => open(rows)}
    >${text}<span class="unseen">, ${about}</span></button>`;
}

// The number of durations, and their percentiles: each with its text, and the least duration of its threads.
/** @param {ReportDurations} value @param {Translate} t @returns {[string, number | null][]} */
const durationNumbers = (value, t) => [[t.number(value.count), null],
  ...PERCENTILES.map((one) => /** @type {[string, number | null]} */ ([numberText(value[one], true, t), value[one]]))];

// The numbers of the whole: a count, or the percentiles. A percentile shows the threads that took so long or longer.
/** @param {ReportLook} look */
export function largeNumbers(look) {
  const { shown: { state, time, steps: { total } }, t } = look;
  const big = (text, label, least = null) => html`<li>${number(look, {
    className: "report-big", rows: rowsOf(time, { least }), count: countOf(total), about: t("reports.show"),
    text: html`<span class="report-value">${text}</span><span class="report-label">${label}</span>`,
  })}</li>`;
  if (typeof total === "number") {
    return html`<ul class="report-bigs">${big(numberText(total, isTimed(state.metric), t),
      isAtMoment(state.metric) ? t(`reports.at_end.${measureOf(state.metric)}`) : t(`reports.metric.${state.metric}`))}</ul>`;
  }
  const [[count], ...percentiles] = durationNumbers(total, t);
  const few = total.count >= 100 || !total.count ? "" : t(total.count < 10 ? "reports.few.p90" : "reports.few.p99", { count: total.count });
  return html`<ul class="report-bigs">${percentiles.map(([text, least], at) => big(text, t(`reports.${PERCENTILES[at]}.about`), least))}${
    big(count, t("reports.counted", { count: total.count }))}</ul>${few ? html`<p class="set-help">${few}</p>` : ""}`;
}

// A bar that is so long as the part of the largest.
/** @param {number} value @param {number} most */
const bar = (value, most) => svg`<svg class="report-bar" aria-hidden="true" preserveAspectRatio="none"
  ><rect width=${`${most ? Math.max(value ? 0.5 : 0, (100 * value) / most).toFixed(2) : 0}%`} height="100%" rx="2"></rect></svg>`;

// A table; `order` tells by which column its rows are sorted, and sorts them by another one.
/** @param {string} className @param {string} caption @param {string[]} columns @param {Content} rows @param {ReportOrder | null} order */
const grid = (className, caption, columns, rows, order = null) => html`<div class="set-scroll" tabindex="0" role="region" aria-label=${caption}
  ><table class="report-grid ${className}"><caption class="unseen">${caption}</caption><thead><tr>${columns.map((text, at) => (
    !text ? html`<td></td>` : !order || at === columns.length - 1 ? html`<th scope="col">${text}</th>` : html`<th scope="col" aria-sort=${at !== order.column ? "none"
      : order.isUp ? "ascending" : "descending"}><button type="button" class="report-sort" @click=${() => order.by(at)}>${text}</button></th>`))}</tr></thead
  ><tbody>${rows}</tbody></table></div>`;

// The parts, the largest first, or sorted by a column.
/** @param {ReportLook} look */
export function partTable(look) {
  const { shown: { state, time, steps, parts: apart }, t } = look;
  const { parts: all } = apart ?? steps;
  if (!all.length) return html`<p class="set-help">${t("reports.no_parts")}</p>`;
  const isDurations = measureOf(state.metric) === "durations";
  const most = Math.max(...all.map(({ total }) => countOf(total)));
  const name = t(`reports.by.${state.by}`);
  const columns = isDurations ? [name, t("reports.count"), ...PERCENTILES.map((one) => t(`reports.${one}`)), t("reports.bars")]
    : [name, t(`reports.metric.${state.metric}`), ""];
  const row = (part) => {
    const called = partName(state, part, t);
    const cell = ([text, least]) => html`<td>${number(look, {
      text, about: called, rows: rowsOf(time, { part: part.key, least }), count: countOf(part.total),
    })}</td>`;
    const cells = isDurations ? durationNumbers(part.total, t) : [[numberText(part.total, isTimed(state.metric), t), null]];
    return html`<tr><th scope="row"><bdi translate="no">${called}</bdi></th>${cells.map(cell)}<td
      class="report-bar-cell">${bar(countOf(part.total), most)}</td></tr>`;
  };
  const { column, isUp } = look.order;
  const value = ({ total }) => (!isDurations ? total : column === 1 ? total.count : total[PERCENTILES[column - 2]] ?? -1);
  const sorted = all.toSorted((a, b) => (isUp ? 1 : -1) * (column === 0
    ? partName(state, a, t).localeCompare(partName(state, b, t), t.locale) : value(a) - value(b)));
  return grid(`report-parts${isDurations ? " report-parts-durations" : ""}`, t("reports.divided.of", { by: name }),
    columns, sorted.map(row), look.order);
}

// The chart in numbers: a row for each step, a column for the whole and for each line.
/** @param {ReportLook} look @param {ReportPart[]} lines @param {(at: number) => string} stepName */
export function stepTable(look, lines, stepName) {
  const { shown: { state, time, steps }, t, asItWas, ownTime } = look;
  const timed = isTimed(state.metric);
  const isDurations = measureOf(state.metric) === "durations";
  const isLevel = measureOf(state.metric) === "level";
  const columns = [t(`reports.step.${stepOf(state)}`), ...(isDurations
    ? [t("reports.count"), ...PERCENTILES.map((one) => t(`reports.${one}`))] : [t("reports.all")]),
  ...lines.map((part) => partName(state, part, t)), ...(isLevel ? [t("reports.as_it_was")] : [])];
  const row = (begin, at) => {
    const span = { from: begin, to: steps.steps[at + 1] ?? time.to };
    const value = steps.values[at];
    const cell = (one, text, { part = null, called = "", least = null } = {}) => html`<td>${number(look, {
      text, rows: rowsOf(span, { part, least }), count: countOf(one), about: [called, stepName(at)].filter(Boolean).join(", "),
    })}</td>`;
    const link = isLevel && value !== null && asItWas(span.to, null);
    const title = isAtMoment(state.metric) ? ownTime(Math.min(span.to, time.to)) : "";
    return html`<tr><th scope="row" title=${title || nothing}>${stepName(at)}</th>${isDurations && value
      ? durationNumbers(/** @type {ReportDurations} */ (value), t).map(([text, least]) => cell(value, text, { least }))
      : cell(value, numberText(numberOf(value, "count"), timed, t))}
      ${lines.map((part) => cell(part.values[at], numberText(numberOf(part.values[at], state.shown), timed, t), {
        part: part.key, called: partName(state, part, t),
      }))}${isLevel ? html`<td>${link ? html`<a href=${link} title=${title || nothing} @click=${look.follow}
        >${t("reports.list")}<span class="unseen">, ${stepName(at)}</span></a>` : ""}</td>` : ""}</tr>`;
  };
  return grid("report-steps", t("reports.table"), columns, steps.steps.map(row));
}

// Returns the bounds of durations in words: "5 min – 10 min".
/** @param {{least: number | null, below: number | null}} bounds @param {Translate} t */
export function boundsText({ least, below }, t) {
  if (below === null) return t("reports.longer", { time: durationText(least, t) });
  if (!least) return t("reports.shorter", { time: durationText(below, t) });
  return t("reports.from_to", { from: durationText(least, t), to: durationText(below, t) });
}

// A table of the bars: how many durations are between two bounds.
/** @param {ReportLook} look */
export function histogramTable(look) {
  const { shown: { time, steps: { histogram: bars } }, t } = look;
  const most = Math.max(...bars.map(({ count }) => count));
  const first = bars.findIndex(({ count }) => count);
  const row = ({ below, count }, at) => {
    const least = bars[at - 1]?.below ?? 0;
    const name = boundsText({ least, below }, t);
    return html`<tr><th scope="row">${name}</th><td>${number(look, {
      text: t.number(count), about: name, count, rows: rowsOf(time, { least: least || null, below }),
    })}</td><td class="report-bar-cell">${bar(count, most)}</td></tr>`;
  };
  return grid("report-histogram", t("reports.histogram"), [t("reports.duration"), t("reports.count"), ""],
    bars.map(row).slice(Math.max(0, first), 1 + bars.findLastIndex(({ count }) => count)));
}

// The hours of a week as a table, tinted by their numbers. It is one stop of the tab key: arrows walk over it.
const DAYS = 7;
const HOURS = 24;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Week {
  #at = 0; // the hour that the tab key comes to
  #narrow = window.matchMedia("(max-width: 720px)");

  // changed(): paints, until `signal` is aborted.
  /** @param {{changed(): void, signal: AbortSignal}} given */
  constructor({ changed, signal }) {
    this.changed = changed;
    this.#narrow.addEventListener("change", changed, { signal });
  }

  /** @param {ReportLook} look @param {(shown: string) => void} show chooses the percentile */
  content(look, show) {
    const { shown: { state, steps, parts }, t, words } = look;
    const { values } = parts ?? steps;
    const numbers = Array.from({ length: WEEK_HOURS }, (_, hour) => numberOf(values[hour], state.shown));
    const levels = levelsOf(numbers);
    const cell = (hour) => this.#cell(look, hour, numbers[hour], countOf(values[hour] ?? null), levels[hour]);
    const days = Array.from({ length: DAYS }, (_, day) => day);
    const hours = Array.from({ length: HOURS }, (_, hour) => hour);
    // On a phone hours stand below each other.
    const [across, down] = this.#narrow.matches ? [days, hours] : [hours, days];
    const name = (one, isDay) => (isDay ? words.weekday(one) : words.hour(one));
    const at = (one, other) => (this.#narrow.matches ? other * HOURS + one : one * HOURS + other);
    return html`${measureOf(state.metric) === "durations" ? html`<div class="report-choice" role="group"
        aria-label=${t("reports.week.shown")}>${PERCENTILES.map((one) => html`<button type="button" class="button"
          aria-pressed=${String(one === state.shown)} @click=${() => show(one)}>${t(`reports.${one}`)}</button>`)}</div>` : ""}
      <div class="report-scroll"><table class="report-week" role="grid" aria-label=${t("reports.week")}
        @keydown=${(event) => this.#key(event)}>
        <thead><tr><td></td>${across.map((one) => html`<th scope="col">${name(one, this.#narrow.matches)}</th>`)}</tr></thead>
        <tbody>${down.map((one) => html`<tr><th scope="row">${name(one, !this.#narrow.matches)}</th>
          ${across.map((other) => cell(at(one, other)))}</tr>`)}</tbody></table></div>`;
  }

  #cell(look, hour, value, count, level) {
    const { shown: { state, time }, t, words, open } = look;
    const rows = rowsOf(time, { part: String(hour) });
    const timed = isTimed(state.metric);
    const about = `${words.hourOfWeek(hour)}: ${numberText(value, timed, t)}`;
    const text = !value ? "" : timed ? shortDuration(value, t) : t.compact(value);
    return html`<td class="report-hour" data-level=${level} data-hour=${hour} data-rows=${keyOf(rows, look.shown)} title=${about}
      tabindex=${hour === this.#at ? "0" : "-1"} ?data-opens=${Boolean(open && count)}
      @click=${() => { this.#at = hour; if (open && count) open(rows); else this.changed(); }}
      >${text}<span class="unseen">${text ? ", " : ""}${about}</span></td>`;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, target } = event;
    if (key === "Enter" || key === " ") target.click();
    else if (STEPS[key] || key === "Home" || key === "End") this.#walk(key, event.currentTarget);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #walk(key, table) {
    const isNarrow = this.#narrow.matches;
    const [day, hour] = [Math.floor(this.#at / HOURS), this.#at % HOURS];
    const [x, y] = isNarrow ? [day, hour] : [hour, day];
    const [right, below] = isNarrow ? [DAYS, HOURS] : [HOURS, DAYS];
    const [byX, byY] = STEPS[key] ?? [key === "Home" ? -x : right - 1 - x, 0];
    const [toX, toY] = [Math.min(right - 1, Math.max(0, x + byX)), Math.min(below - 1, Math.max(0, y + byY))];
    this.#at = isNarrow ? toX * HOURS + toY : toY * HOURS + toX;
    this.changed();
    table.querySelector(`[data-hour="${this.#at}"]`).focus();
  }
}
