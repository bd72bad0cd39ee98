// The form of one calendar: its name and time zone, the week as a picture and in fields, its holidays, and
// how many threads would be late with it.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { faultAt, faultText, LateCheck, withCalendar } from "../../core/hours/policies.js";
import { WeekDraft } from "../../core/hours/week-edit.js";
import {
  blocksOf, datesBetween, DAY, DAYS, EXCEPTIONS_MAX, intervalsIn, intervalsText, isDate,
  openMinutes, openNowOf, split, withDates,
} from "../../core/hours/week.js";
import { wallAt } from "../../core/hours/zones.js";
import { zoneText } from "../../core/time.js";
import { letterOf } from "../../core/keymap.js";
import { shown } from "../../core/names.js";
import { ICONS } from "../elements/icons.js";
import { CALENDARS, lateBy, lateLine, Saving, store } from "./saving.js";
import { dayHours, WeekPicture } from "./week-picture.js";
import { blockText, dateText, momentText, stateText, weekText } from "./words.js";
import { ZoneField } from "./zone-field.js";

const NAME_MAX = 80;
const MINUTE_MS = 60_000;
const FIELDS = ["/name", "/timezone", "/week", "/exceptions"];

export class CalendarForm {
  #name;
  #told = "";
  #saved; // the saved fields as text
  #times = null; // the edited calendar without its name

  /** @param {Pick<Page, "net" | "ui"> & {
   *   area: FormArea, calendar: CalendarFields & { id?: number; changed_at?: number | null }, policies: Policy[],
   *   left(saved: Calendar | null): void,
   * }} page */
  constructor({ net, ui, area, calendar, policies, left }) {
    this.area = area;
    this.net = net;
    this.ui = ui;
    this.policies = policies; // all, in order; empty if none uses the calendar
    this.left = left;
    this.check = new LateCheck({
      ask: lateBy(net.api.http), changed: () => this.#paint(),
    });
    this.saving = new Saving({
      kind: "calendar", fields: FIELDS, root: () => area.root, language: ui.language,
      changed: () => this.#paint(), gone: () => this.#gone(),
    });
    this.#begin(calendar);
  }

  get title() { return this.ui.language.t(this.isNew ? "hours.new" : "hours.edit"); }
  get isNew() { return this.calendar.id === undefined; }
  get #isUsed() { return this.policies.some(({ calendar }) => calendar === this.calendar.id); }
  get name() { return this.#name.trim(); }
  get isDirty() {
    return this.week.wrong !== null || this.holidays.isWriting || JSON.stringify(this.#fields()) !== this.#saved;
  }

  end() {
    this.check.stop();
    this.picture.end();
  }

  #begin(calendar) {
    const { area, net: { now }, ui: { language } } = this;
    const tell = (text) => this.#tell(text);
    this.calendar = calendar;
    this.#name = calendar.name;
    this.week = new WeekDraft({
      week: calendar.week, changed: () => this.#changed(), chosen: () => this.#paint(),
    });
    this.picture = new WeekPicture({ root: () => area.root, week: this.week, tell, language });
    this.zone = new ZoneField({
      zone: calendar.timezone, language, now, changed: () => this.#paint(), chosen: () => this.#changed(),
    });
    this.holidays = new Holidays({
      exceptions: calendar.exceptions, language, changed: () => this.#changed(), tell,
    });
    this.#saved = JSON.stringify(this.#fields());
    this.#times = null;
  }

  // Returns the fields in the form that the server takes.
  #fields() {
    return {
      name: this.name, timezone: this.zone.zone, week: this.week.week, exceptions: this.holidays.exceptions,
    };
  }

  content() {
    const { t } = this.ui.language;
    const fault = (field) => faultText(faultAt(this.saving.faults, field), t);
    queueMicrotask(() => this.zone.after());
    return html`<form class="form calendar-form" novalidate @submit=${(event) => this.#submit(event)}
        @keydown=${(event) => this.#keys(event)}>
      <div class="calendar-head"><label>${t("hours.name")}<input name="name" id="calendar-name" required
          maxlength=${NAME_MAX} autocomplete="off" dir="auto" placeholder=${t("hours.name.example")}
          aria-invalid=${String(fault("/name") !== "")} aria-describedby="calendar-name-said" .value=${this.#name}
          @input=${({ target }) => { this.#name = target.value; this.#changed(); }}>
          <span class="field-said" id="calendar-name-said">${fault("/name")}</span></label>
        <div>${this.zone.content({ problem: fault("/timezone") })}
          <span class="field-said" id="zone-said">${fault("/timezone")}</span></div></div>
      <p class="calendar-now">${this.#now()}</p>
      <div class="calendar-week"><div>
          ${this.picture.content({ now: this.#place(), wrong: this.#wrongDays() })}
          <p class="week-foot"><span>${t("hours.week.sum", { hours: hoursIn(openMinutes(this.week.blocks), t) })}</span>
            <span class="week-help">${t("hours.week.help")}</span>
            <button type="button" class="button week-undo" ?disabled=${!this.week.canUndo}
              aria-keyshortcuts="Control+z" @click=${() => this.#undo()}>${t("hours.undo")}</button></p></div>
        ${this.#dayHours(fault("/week"))}</div>
      ${this.holidays.content({ today: this.#today(), problem: fault("/exceptions") })}
      <p class="unseen" role="status">${this.#told}</p>
      <div class="form-foot">${this.#isUsed ? html`<section aria-label=${t("late")}>${lateLine(this.check, t)}</section>` : ""}
        ${this.#foot()}</div></form>`;
  }

  #dayHours(fault) {
    const { week, ui: { language } } = this;
    return dayHours({
      week, language, problem: week.wrong ? language.t("hours.time.wrong") : fault,
      write: (one, edge, text) => this.#written(week.write(one, edge, text)),
      remove: (one) => this.#remove(one), add: () => this.#add(), copy: (all) => this.#copy(all),
    });
  }

  #wrongDays() {
    return this.saving.faults.flatMap(({ pointer }) => {
      const at = DAYS.indexOf(/^\/week\/(\w+)/.exec(pointer)?.[1] ?? "");
      return at < 0 ? [] : [at];
    });
  }

  // The current time there, and whether the calendar is open.
  #now() {
    const { net: { now }, ui: { language } } = this;
    const { zone } = this.zone;
    if (!zone) return language.t("hours.zone.unknown");
    const at = now();
    this.#times ??= this.#fields();
    const state = openNowOf(this.#times, at);
    const there = language.t("hours.now", { zone: zoneText(zone), time: momentText(zone, at, at - 7 * DAY * MINUTE_MS, language) });
    return html`<span class="open-mark" data-open=${state.open} aria-hidden="true"></span>
      <strong role="status">${stateText(state, zone, at, language)}</strong> <span>${there}</span>`;
  }

  #today() { return wallAt(this.zone.zone || "UTC", this.net.now()).date; }

  #place() {
    if (!this.zone.zone) return null;
    const { date, ms } = wallAt(this.zone.zone, this.net.now());
    return { day: (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7, minute: ms / MINUTE_MS };
  }

  #paint() { this.area.paint(); }

  #tell(text) {
    this.#told = text;
    this.#paint();
  }

  #changed() {
    this.saving.clear();
    this.#times = null;
    this.look();
    this.#paint();
  }

  // Asks how many threads would be late with the edited calendar.
  look(waitMs = undefined) {
    const { id } = this.calendar;
    const fields = this.#fields();
    const isAsked = this.#isUsed && fields.timezone !== "";
    this.check.look(isAsked && !this.picture.isDragging
      ? withCalendar(this.policies, id, { ...fields, name: fields.name || this.calendar.name }) : null, waitMs);
  }

  #undo() {
    if (this.week.undo()) this.#tell(this.ui.language.t("hours.undone"));
  }

  #keys(event) {
    const isText = event.target instanceof HTMLInputElement;
    if (letterOf(event) !== "z" || !(event.ctrlKey || event.metaKey) || isText) return;
    event.preventDefault();
    this.#undo();
  }

  #written(one) { if (one) this.#tell(blockText(one, this.ui.language)); }

  #remove(one) {
    this.week.remove(one);
    /** @type {HTMLElement} */ (this.area.root.querySelector(".day-add"))?.focus();
  }

  #add() {
    const { language } = this.ui;
    const one = this.week.add();
    this.#tell(one ? blockText(one, language) : language.t("hours.no_room"));
    if (one) /** @type {HTMLInputElement} */ (document.getElementById(`day-from-${one.key}`))?.select();
  }

  #copy(all) {
    this.week.copy(all);
    this.#tell(weekText(this.week.blocks, this.ui.language));
  }

  #foot() {
    const { language, language: { t } } = this.ui;
    return this.saving.foot({
      shown: (theirs) => [[t("hours.name"), shown(theirs.name)], [t("hours.zone"), zoneText(theirs.timezone)],
        [t("hours.week"), weekText(blocksOf(theirs.week), language)],
        [t("hours.holidays"), t("hours.holidays.count", { count: theirs.exceptions.length })]],
      take: (theirs) => {
        this.#begin(theirs);
        this.#changed();
      },
      replace: ({ changed_at }) => {
        this.calendar = { ...this.calendar, changed_at };
        this.#save();
      },
      cancel: () => this.left(null),
    });
  }

  #submit(event) {
    event.preventDefault();
    const fault = (pointer, code) => ({ pointer, code });
    if (this.holidays.isWriting && !this.holidays.add()) return;
    this.saving.faults = [
      ...(this.name ? [] : [fault("/name", "empty_text")]),
      ...(this.zone.zone ? [] : [fault("/timezone", "unknown_value")]),
    ];
    if (this.week.wrong || this.saving.faults.length) this.#focusFault();
    else this.#save();
  }

  #focusFault() {
    this.#paint();
    const wrongDay = this.#wrongDays()[0];
    if (wrongDay !== undefined) this.week.choose(wrongDay, null);
    this.saving.focus('[aria-invalid="true"], [data-wrong="true"] .week-day');
  }

  async #save() {
    await this.saving.run(async () => {
      const fields = this.#fields();
      const { calendar } = await store(this.net.api.http, CALENDARS, this.calendar, fields);
      this.#saved = JSON.stringify(fields);
      this.left(calendar);
    });
    if (this.saving.faults.length) this.#focusFault();
  }

  // The calendar was deleted meanwhile: it can be saved as a new one.
  #gone() {
    const { id, changed_at, ...fields } = this.calendar;
    this.calendar = fields;
    return this.ui.language.t("hours.gone");
  }
}

// "45.5"
const hoursIn = (minutes, t) => t.number(Math.round((minutes / 60) * 100) / 100);

// The dates on which a calendar differs from its week: a list to add to and to remove from.
class Holidays {
  #from = "";
  #to = "";
  #hours = ""; // with `isOther`: the opening hours on that date
  #isOther = false;
  #problem = "";
  #unfolded = false;

  /** @param {HolidaysOptions} options */
  constructor({ exceptions, language, changed, tell }) {
    this.exceptions = exceptions;
    this.language = language;
    this.changed = changed; // () → called after a change, or to repaint
    this.tell = tell;
  }

  // Whether a date is being typed that is not added yet.
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

  // Enter adds the date, instead of saving the calendar.
  #enter(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    this.add();
  }

  // Returns false if the typed date cannot be added.
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
