// The dialog of opening hours for supervisors: lists calendars, makes, copies, edits and deletes them.

import { html } from "lit-html";

import { blocksOf, DAYS, openNowOf } from "../../core/hours/week.js";
import { todaysName } from "../../core/hours/zones.js";
import { shown } from "../../core/names.js";
import { isZone, ownZone } from "../../core/time.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { CalendarForm } from "./calendar-form.js";
import { mayDiscard } from "./saving.js";
import { weekThumb } from "./week-picture.js";
import { stateText, weekText, zoneText } from "./words.js";

const LOOK_MS = 15_000; // "open" and "closed" change by time
const WORKDAYS = Object.fromEntries(DAYS.slice(0, 5).map((day) => [day, [["09:00", "18:00"]]]));

export class CalendarsDialog extends PageModule {
  /** @type {Calendar[] | null} */
  #known = null;
  #policies = [];
  #problem = "";
  #told = "";
  #timer = null;
  /** @type {CalendarForm | null} */
  #form = null;

  // Opens the dialog with the unsaved form, if there is one.
  async open() {
    if (!this.#form?.isDirty) this.#leaveForm();
    this.#told = "";
    this.#problem = "";
    this.#show();
    await this.#load();
  }

  #show() {
    const { t } = this.ui.language;
    this.ui.dialog.open(
      () => (this.#form ? t(this.#form.isNew ? "hours.new" : "hours.edit") : t("hours.title")),
      () => this.#content(), () => this.#closed(), () => this.#mayClose(),
    );
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#paint(), LOOK_MS);
  }

  #paint() { if (this.ui.dialog.element.open) this.ui.dialog.paint(); }

  #closed() {
    clearInterval(this.#timer);
    if (!this.#form?.isDirty) this.#leaveForm();
  }

  #leaveForm() {
    this.#form?.end();
    this.#form = null;
  }

  #mayClose() {
    if (!this.#form?.isDirty) return true;
    this.#discard();
    return false;
  }

  // Resolves to whether the form is closed.
  async #discard() {
    clearInterval(this.#timer);
    const sure = await mayDiscard({
      dialog: this.ui.dialog, show: () => this.#show(), name: this.#form.name, t: this.ui.language.t,
    });
    if (sure) this.#leaveForm();
    return sure;
  }

  async #load() {
    try {
      const [{ calendars }, { policies }] = await Promise.all([this.net.api.calendars(), this.net.api.policies()]);
      this.#known = calendars;
      this.#policies = policies;
    } catch (error) {
      this.#problem = refusalOf(error, this.ui.language.t);
    }
    this.#paint();
  }

  #content() {
    const { t } = this.ui.language;
    if (this.#form) return this.#form.content();
    const known = this.#known ?? [];
    return html`<p class="help-note">${t("hours.about")}</p>
      ${this.#known && !known.length ? html`<p class="hours-none">${t("hours.none")}</p>` : ""}
      ${this.#known || this.#problem ? "" : html`<p role="status">${t("loading")}</p>`}
      <ul class="calendar-list">${known.map((calendar) => this.#item(calendar))}</ul>
      <p class="unseen" role="status">${this.#told}</p>
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts"><button type="button" class="button hours-policies"
          @click=${() => this.ui.policiesDialog.open()}>${t("policies.title")}</button>
        <button type="button" class="button button-accent calendar-new"
          @click=${() => this.#edit(fresh(t))}>${t("hours.new")}</button></div>`;
  }

  #item(calendar) {
    const { net: { now }, ui: { language } } = this;
    const { t } = language;
    const { name, timezone, policies } = calendar;
    const state = isZone(timezone) ? openNowOf(calendar, now()) : null;
    const act = (kind, run) => html`<button type="button" class="button calendar-${kind}"
      aria-label=${`${t(`hours.act.${kind}`)}: ${shown(name)}`} @click=${run}>${t(`hours.act.${kind}`)}</button>`;
    const blocks = blocksOf(calendar.week);
    return html`<li class="calendar-item" data-calendar=${calendar.id}>
      ${weekThumb(blocks, language)}
      <span class="calendar-text"><bdi translate="no" class="calendar-name">${shown(name)}</bdi>
        <span class="calendar-hours" aria-hidden="true">${weekText(blocks, language)}</span>
        <span class="calendar-about"><span class="open-mark" data-open=${state?.open} aria-hidden="true"></span>${
          state ? stateText(state, timezone, now(), language) : ""} · ${zoneText(timezone)}</span>
        <span class="calendar-about">${policies.length ? t("hours.used", { policies: policies.map(shown).join(", ") })
          : t("hours.unused")}</span></span>
      <span class="calendar-acts">${act("edit", () => this.#edit(calendar))}
        ${act("copy", () => this.#edit({
          ...calendar, id: undefined, policies: [], name: t("hours.copy_of", { name }).slice(0, 80),
        }))}
        ${act("delete", () => this.#delete(calendar))}</span></li>`;
  }

  // Without an id, edits a new calendar.
  #edit(calendar) {
    const { net, ui, ui: { dialog } } = this;
    this.#problem = "";
    this.#form = new CalendarForm({
      net, ui, calendar, policies: calendar.id === undefined ? [] : this.#policies,
      left: (saved) => this.#left(saved),
    });
    this.#form.look(0);
    dialog.paint();
    /** @type {HTMLInputElement} */ (document.getElementById("calendar-name"))?.select();
  }

  async #left(saved) {
    const { id } = saved ?? this.#form.calendar;
    if (!saved && this.#form.isDirty && !await this.#discard()) return;
    this.#leaveForm();
    this.#told = saved ? this.ui.language.t("hours.saved", { name: saved.name }) : "";
    this.#show();
    if (saved) await this.#load();
    const item = this.ui.dialog.element.querySelector(`[data-calendar="${id}"] .calendar-edit`);
    /** @type {HTMLElement} */ (item ?? this.ui.dialog.element.querySelector(".calendar-new"))?.focus();
  }

  async #delete({ id, name }) {
    const { t } = this.ui.language;
    const sure = await ask(this.ui.dialog, {
      title: t("hours.delete.title", { name }), text: t("hours.delete.text"), yes: t("hours.act.delete"),
    }, t);
    this.#problem = "";
    this.#show();
    if (!sure) return;
    try {
      await this.net.api.dropCalendar(id);
      this.#told = t("hours.deleted", { name });
    } catch (error) {
      this.#problem = error.code === "in_use" ? this.#inUse(id) : refusalOf(error, t);
    }
    await this.#load();
  }

  #inUse(id) {
    const { t } = this.ui.language;
    const names = this.#known.find((calendar) => calendar.id === id)?.policies ?? [];
    return names.length ? t("hours.in_use", { policies: names.map(shown).join(", ") }) : t("hours.in_use.others");
  }
}

const fresh = (t) => ({
  id: undefined, name: t("hours.name.first"), timezone: firstZone(), week: WORKDAYS, exceptions: [], policies: [],
});

const firstZone = () => todaysName(ownZone());
