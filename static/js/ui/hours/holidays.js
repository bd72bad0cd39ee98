// The dates on which a calendar differs from its week: listed, added, taken away.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import {
  datesBetween, EXCEPTIONS_MAX, intervalsIn, intervalsText, isDate, split, withDates,
} from "../../core/hours/exceptions.js";
import { ICONS } from "../elements/icons.js";
import { dateText } from "./words.js";

export class Holidays {
  #from = "";
  #to = "";
  #hours = ""; // with `isOther`: when it is open then
  #isOther = false;
  #problem = "";
  #unfolded = false;

  /** @param {HolidaysParts} parts */
  constructor({ exceptions, language, changed, tell }) {
    this.exceptions = exceptions;
    this.language = language;
    this.changed = changed; // () → they are others, or something is to be painted
    this.tell = tell;
  }

  // What is being written and not yet added.
  get isWriting() { return this.#from !== "" || this.#to !== "" || this.#hours !== ""; }

  /** @param {{today: string, problem: string}} given */
  content({ today, problem }) {
    const { t } = this.language;
    const { past, ahead } = split(this.exceptions, today);
    return html`<fieldset class="holidays"><legend>${t("hours.holidays")}</legend>
      <p class="help-note">${t("hours.holidays.about")}</p>
      ${this.#adding(today)}
      <p class="form-problem" id="holiday-problem" role="alert">${this.#problem || problem}</p>
      ${ahead.length ? this.#list(ahead) : html`<p class="holidays-none">${t("hours.holidays.none")}</p>`}
      ${past.length ? html`<details class="holidays-past" ?open=${this.#unfolded}
        @toggle=${({ target }) => { this.#unfolded = target.open; }}><summary>${
          t("hours.holidays.past", { count: past.length })}</summary>${this.#list(past)}</details>` : ""}</fieldset>`;
  }

  #adding(today) {
    const { t } = this.language;
    const isWrong = String(this.#problem !== "");
    const date = (name, value, set, least) => html`<label>${t(`hours.holidays.${name}`)}<input type="date"
      name=${`holiday-${name}`} id=${`holiday-${name}`} min=${least} max="2100-12-31" aria-invalid=${isWrong}
      aria-describedby="holiday-problem" .value=${value} @input=${({ target }) => set(target.value)}
      @keydown=${(event) => this.#enter(event)}></label>`;
    return html`<div class="holiday-new">
      ${date("date", this.#from, (value) => { this.#from = value; }, "2000-01-01")}
      ${date("until", this.#to, (value) => { this.#to = value; }, this.#from || today)}
      <label>${t("hours.holidays.kind")}<select name="holiday-kind" @change=${({ target }) => this.#kind(target.value)}
        ><option value="closed" ?selected=${!this.#isOther}>${t("hours.closed")}</option>
        <option value="other" ?selected=${this.#isOther}>${t("hours.holidays.other")}</option></select></label>
      ${this.#isOther ? html`<label>${t("hours.holidays.hours")}<input name="holiday-hours" id="holiday-hours"
        placeholder="09:00–12:00, 13:00–15:00" autocomplete="off" aria-invalid=${isWrong}
        aria-describedby="holiday-problem" .value=${this.#hours}
        @input=${({ target }) => { this.#hours = target.value; }} @keydown=${(event) => this.#enter(event)}></label>` : ""}
      <button type="button" class="button holiday-add" @click=${() => this.add()}>${ICONS.add}
        ${t("hours.holidays.add")}</button></div>`;
  }

  #list(exceptions) {
    const { language } = this;
    const { t } = language;
    return html`<ul class="holiday-list">${repeat(exceptions, ({ date }) => date, ({ date, intervals }) => {
      const name = dateText(date, language);
      return html`<li class="holiday" data-date=${date}><span class="holiday-date">${name}</span>
        <span class="holiday-hours" data-closed=${!intervals.length}>${intervalsText(intervals) || t("hours.closed")}</span>
        <button type="button" class="icon-button" aria-label=${t("hours.holidays.remove", { date: name })}
          title=${t("hours.holidays.remove", { date: name })} @click=${(event) => this.#remove(event, date)}
          >${ICONS.close}</button></li>`;
    })}</ul>`;
  }

  #kind(value) {
    this.#isOther = value === "other";
    this.changed();
  }

  // Enter adds the date; it does not save the calendar.
  #enter(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    this.add();
  }

  // Returns whether what was written is added, or nothing was written.
  add() {
    const { t } = this.language;
    const intervals = this.#isOther ? intervalsIn(this.#hours) : [];
    const dates = isDate(this.#from) ? datesBetween(this.#from, isDate(this.#to) ? this.#to : this.#from) : [];
    const known = this.exceptions.filter(({ date }) => !dates.includes(date)).length;
    this.#problem = !isDate(this.#from) ? t("hours.holidays.no_date")
      : !dates.length ? t("hours.holidays.reversed")
        : !intervals || (this.#isOther && !intervals.length) ? t("hours.holidays.no_hours")
          : known + dates.length > EXCEPTIONS_MAX ? t("hours.holidays.many", { count: EXCEPTIONS_MAX }) : "";
    if (!this.#problem) {
      this.exceptions = withDates(this.exceptions, dates, intervals);
      this.tell(t("hours.holidays.added", { count: dates.length }));
      this.#from = "";
      this.#to = "";
      this.#hours = "";
    }
    this.changed();
    document.getElementById(this.#problem && isDate(this.#from) && this.#isOther ? "holiday-hours" : "holiday-date")?.focus();
    return !this.#problem;
  }

  #remove({ currentTarget }, date) {
    const item = currentTarget.closest("li");
    const beside = item.nextElementSibling ?? item.previousElementSibling;
    const next = /** @type {HTMLElement | null} */ (beside)?.dataset.date;
    this.exceptions = this.exceptions.filter((each) => each.date !== date);
    this.tell(this.language.t("hours.holidays.removed", { date: dateText(date, this.language) }));
    this.changed();
    const place = next ? `[data-date="${next}"] button` : "#holiday-date";
    /** @type {HTMLElement} */ (document.querySelector(place))?.focus();
  }
}
