// The hours of a week as a table, tinted by their numbers. It is one stop of the tab key: arrows walk over it.

import { html } from "lit-html";

import { isTimed, measureOf, PERCENTILES, rowsOf } from "../core/reports/state.js";
import { countOf, levelsOf, numberOf, numberText, shortLength, WEEK_HOURS } from "../core/reports/words.js";
import { keyOf } from "./figures.js";

const DAYS = 7;
const HOURS = 24;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Week {
  #at = 0; // the hour that the tab key comes to
  #narrow = window.matchMedia("(max-width: 720px)");

  /** @param {() => void} changed paints */
  constructor(changed) {
    this.changed = changed;
    this.#narrow.addEventListener("change", changed);
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
    return html`${measureOf(state.metric) === "lengths" ? html`<div class="report-choice" role="group"
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
    const about = `${words.weekday(Math.floor(hour / HOURS))} ${words.hour(hour % HOURS)}: ${numberText(value, timed, t)}`;
    const text = !value ? "" : timed ? shortLength(value, t) : t.compact(value);
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
