// The controls of a report: the metric, the time, the parts, and the query of its threads.

import { html } from "lit-html";

import { mistakeOf } from "../core/query/text.js";
import { divisionsOf, measureOf, METRIC_GROUPS, OF_QUERY, spansOf, stepOf, stepsOf } from "../core/reports/state.js";
import { zoneText } from "../core/time.js";
import { QueryField, saidOf } from "../ui/query/field.js";

export class Controls {
  /** @type {QueryMistake | null} */
  #mistake = null;
  #applied = ""; // the query of the report

  // changed(changes): the admin chose something; paint(): a suggestion is shown.
  /** @param {{api: any, views(): string[][], language: Ui["language"], changed(changes: Partial<ReportState>): void, paint(): void}} given */
  constructor({ api, views, language, changed, paint }) {
    this.views = views;
    this.language = language;
    this.changed = changed;
    this.field = new QueryField({
      // Later, as the field may lose the focus while it is painted away.
      id: "report-query", api, language, changed: () => queueMicrotask(paint), begins: true,
      typed: () => { this.#mistake = null; paint(); }, entered: () => this.#enter(),
    });
  }

  // Takes the query of an address.
  /** @param {string} query */
  set(query) {
    if (this.field.text.trim() !== query) this.field.set(query);
    this.#mistake = null;
    this.#applied = query;
  }

  // Shows a refusal at its place. Returns whether it has one.
  refuse(problem) {
    this.#mistake = mistakeOf(problem?.body, this.field.text);
    return this.#mistake !== null;
  }

  // A query takes effect when its field is left, too.
  #left({ relatedTarget, currentTarget }) {
    if (!currentTarget.contains(relatedTarget) && this.field.text.trim() !== this.#applied) this.#enter();
  }

  #enter() {
    this.#applied = this.field.text.trim();
    this.changed({ query: this.#applied });
  }

  /** @param {ReportState} state @param {string} lacks what the report needs: see `lacking` */
  content(state, lacks) {
    const { t } = this.language;
    this.field.mistake = this.#mistake;
    queueMicrotask(() => this.#after());
    const measure = measureOf(state.metric);
    const isWrongTime = lacks === "dates";
    return html`<form class="report-controls" aria-label=${t("reports.choose")} @submit=${(event) => event.preventDefault()}>
      <div class="report-line">${this.#metric(state)}
        <div class="report-spans" role="group" aria-label=${t("reports.span")}>${spansOf(state.metric).map((span) => html`<button
          type="button" class="button" aria-pressed=${String(span === state.span)}
          @click=${() => this.changed({ span })}>${t(`reports.span.${span}`)}</button>`)}</div></div>
      ${state.span === "own" ? html`<div class="report-line">${["from", "to"].map((name) => html`<label
        class="report-choose"><span>${t(`reports.${name}`)}</span><input type="date" name=${name} required .value=${state[name]}
          aria-invalid=${String(isWrongTime)} @change=${({ target }) => this.changed({ [name]: target.value })}></label>`)}
        ${isWrongTime ? html`<p class="report-problem" role="alert">${t("reports.dates")}</p>` : ""}</div>` : ""}
      <div class="report-line">
        ${measure === "list" ? this.#select("view", "report-view", state.view, [...this.views(), [OF_QUERY, t("reports.view.query")]])
          : this.#select("by", "", state.by, [["", t("reports.by.none")], ...divisionsOf(state.metric)
          .map((by) => [by, t(`reports.by.${by}`)])])}
        ${this.#select("step", "", stepOf(state), stepsOf(state).map((step) => [step, t(`reports.step.${step}`)]))}
        ${measure === "durations" ? this.#select("hours", "", state.hours, ["clock", "opening"]
          .map((hours) => [hours, t(`reports.hours.${hours}`)])) : ""}
        ${this.#select("timezone", "report-zone", state.timezone, zones(state.timezone).map((zone) => [zone, zoneText(zone)]))}
      </div>
      ${measure === "time" || (measure === "list" && state.view !== OF_QUERY) ? "" : this.#query(state, lacks === "query")}</form>`;
  }

  // Sets the chosen values once the choices are there: a select takes no value before.
  #after() {
    for (const select of document.querySelectorAll(".report-controls select")) {
      const { dataset: { chosen }, value } = /** @type {HTMLSelectElement} */ (select);
      if (value !== chosen) /** @type {HTMLSelectElement} */ (select).value = chosen;
    }
    this.field.after();
  }

  #metric({ metric }) {
    const { t } = this.language;
    return html`<label class="report-choose report-metric"><span class="unseen">${t("reports.metric")}</span><select name="metric" data-chosen=${metric}
      @change=${({ target }) => this.changed({ metric: target.value })}>${Object.entries(METRIC_GROUPS).map(([group,
        metrics]) => html`<optgroup label=${t(`reports.group.${group}`)}>${Object.keys(metrics).map((name) => html`<option
          value=${name}>${t(`reports.metric.${name}`)}</option>`)}</optgroup>`)}</select></label>`;
  }

  #select(name, className, chosen, options) {
    return html`<label class="report-choose ${className}"><span>${this.language.t(`reports.${name}`)}</span><select name=${name}
      data-chosen=${chosen} @change=${({ target }) => this.#chosen(name, target.value)}>${options.map(([value, text]) => html`<option
        value=${value}>${text}</option>`)}</select></label>`;
  }

  // The list of a query begins with one that has threads.
  #chosen(name, value) {
    this.changed(value === OF_QUERY ? { view: value, query: "is:open" } : { [name]: value });
  }

  /** @param {ReportState} state @param {boolean} isMissing */
  #query({ view }, isMissing) {
    const { t } = this.language;
    const [label, placeholder] = view ? ["reports.query.list", ""] : ["reports.query", t("reports.query.hint")];
    return html`<div class="report-query" @focusout=${(event) => this.#left(event)}>${this.field.content({
      label: t(label), placeholder, className: "report-query-box", describedBy: "report-query-said",
    })}<p id="report-query-said" class="report-said" role="status">${this.#mistake
      ? saidOf(this.#mistake, this.field.text, t) : isMissing && !this.field.text.trim() ? t("reports.query.missing") : ""}</p></div>`;
  }
}

let listed = null;

// All zones that the browser knows, and the chosen one.
/** @param {string} chosen */
function zones(chosen) {
  listed ??= Intl.supportedValuesOf("timeZone");
  return [...new Set([chosen, "UTC", ...listed])];
}
