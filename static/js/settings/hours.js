// The page of opening hours for supervisors: lists calendars, makes, copies, edits and deletes them.

import { html } from "lit-html";

import { blocksOf, DAYS, openNowOf } from "../core/hours/week.js";
import { todaysName } from "../core/hours/zones.js";
import { shown } from "../core/names.js";
import { isZone, ownZone, zoneText } from "../core/time.js";
import { refusalOf } from "../ui/elements/language.js";
import { CalendarForm } from "../ui/hours/calendar-form.js";
import { CALENDARS, POLICIES } from "../ui/hours/saving.js";
import { weekThumb } from "../ui/hours/week-picture.js";
import { stateText, weekText } from "../ui/hours/words.js";
import { rowMenu, SettingsPage } from "./elements.js";

const LOOK_MS = 15_000; // "open" and "closed" change by time
const WORKDAYS = Object.fromEntries(DAYS.slice(0, 5).map((day) => [day, [["09:00", "18:00"]]]));

export class HoursPage extends SettingsPage {
  /** @type {Calendar[] | null} */
  #known = null;
  #policies = [];

  get isWide() { return true; }
  get action() { return this.#known && { text: this.t("hours.new"), run: () => this.#edit(fresh(this.t)) }; }

  async begin() {
    this.every(LOOK_MS, () => this.area.paint());
    await this.#load();
  }

  async #load() {
    const [{ calendars }, { policies }] = await Promise.all([this.http.get(CALENDARS), this.http.get(POLICIES)]);
    this.#known = calendars;
    this.#policies = policies;
  }

  content() {
    const { t } = this;
    const known = this.#known ?? [];
    return html`<p class="set-help area-about">${t("hours.about")}
        <a href="/settings/policies" @click=${(event) => this.area.followLink(event,
          "policies")}>${t("settings.policies")}</a></p>
      ${this.#known && !known.length ? html`<p class="hours-none">${t("hours.none")}</p>` : ""}
      ${this.#known ? "" : html`<p role="status">${t("loading")}</p>`}
      <ul class="calendar-list">${known.map((calendar) => this.#item(calendar))}</ul>`;
  }

  #item(calendar) {
    const { t, net: { now }, ui: { language } } = this;
    const { id, name, timezone, policies } = calendar;
    const state = isZone(timezone) ? openNowOf(calendar, now()) : null;
    const blocks = blocksOf(calendar.week);
    const copy = { ...calendar, id: undefined, policies: [], name: t("hours.copy_of", { name }).slice(0,
      80) };
    return html`<li class="calendar-item" data-calendar=${id}>
      ${weekThumb(blocks, language)}
      <span class="calendar-text"><button type="button" class="set-open calendar-edit"
        @click=${() => this.#edit(calendar)}
          ><bdi translate="no" class="calendar-name">${shown(name)}</bdi></button>
        <span class="calendar-hours" aria-hidden="true">${weekText(blocks, language)}</span>
        <span class="calendar-about"><span class="open-mark" data-open=${state?.open}
          aria-hidden="true"></span>${
          state ? stateText(state, timezone, now(), language) : ""} · ${zoneText(timezone)}</span>
        <span class="calendar-about">${policies.length ? t("hours.used",
          { policies: policies.map(shown).join(", ") })
          : html`${t("hours.unused")} <a href="/settings/policies" @click=${(event) => this.area.followLink(event,
            "policies")}>${t("hours.use")}</a>`}</span></span>
      ${rowMenu({
        id: `calendar-menu-${id}`, label: `${t("settings.acts")}: ${shown(name)}`,
        items: [
          { text: t("hours.act.edit"), run: () => this.#edit(calendar) },
          { text: t("hours.act.copy"), run: () => this.#edit(copy) },
          { text: t("hours.act.delete"), isRed: true, run: () => this.#delete(calendar) },
        ],
      })}</li>`;
  }

  // Without an id, edits a new calendar.
  #edit(calendar) {
    const { net, ui, area } = this;
    const form = new CalendarForm({
      net, ui, area, calendar, policies: calendar.id === undefined ? [] : this.#policies,
      left: (saved) => (saved ? this.#saved(saved) : area.leaveForm()),
    });
    form.look(0);
    this.openForm(form);
  }

  #saved({ name }) {
    this.closeForm();
    return this.run(async () => {
      await this.#load();
      this.area.say(this.t("hours.saved", { name }));
    });
  }

  async #delete({ id, name }) {
    const { t } = this;
    const sure = await this.sure({
      title: t("hours.delete.title", { name }), text: t("hours.delete.text"), yes: t("hours.act.delete"),
    });
    if (!sure) return;
    await this.run(async () => {
      try {
        await this.http.delete(`${CALENDARS}/${id}`);
        this.area.say(t("hours.deleted", { name }));
      } catch (error) {
        this.area.say(error.code === "in_use" ? this.#inUse(id) : refusalOf(error, t));
      }
      await this.#load();
    });
  }

  #inUse(id) {
    const { t } = this;
    const names = this.#known.find((calendar) => calendar.id === id)?.policies ?? [];
    return names.length ? t("hours.in_use", { policies: names.map(shown).join(", ") })
      : t("hours.in_use.others");
  }
}

const fresh = (t) => ({
  id: undefined, name: t("hours.name.first"), timezone: todaysName(ownZone()), week: WORKDAYS,
  exceptions: [], policies: [],
});
