// The form of one policy: its threads, the opening hours, and the target times.

import { html } from "lit-html";

import {
  after, faultAt, faultsOf, faultText, fieldsOf, LateCheck, minutesIn, targetOf, TARGETS, UNITS,
} from "../../core/hours/policies.js";
import { shown } from "../../core/names.js";
import { mistakeOf } from "../../core/query/text.js";
import { refusalOf } from "../elements/language.js";
import { lateBy, lateLine, POLICIES, Saving, store } from "./saving.js";
import { targetsText } from "./words.js";
import { QueryField, saidOf } from "../query/field.js";

const NAME_MAX = 80;
const FIELDS = ["/name", "/query", "/calendar", "/first_reply", "/next_reply"];

export class PolicyForm {
  #name;
  #calendar;
  #targets; // by TARGETS, as typed
  #place;
  #saved;

  /** @param {Pick<Page, "net" | "ui"> & {
   *   area: FormArea, policy: PolicyFields & { id?: number; changed_at?: number | null }, policies: Policy[],
   *   calendars: Calendar[], openCalendars(): void, left(saved: Policy | null): void,
   * }} page */
  constructor({ net, ui, area, policy, left, calendars, policies, openCalendars }) {
    this.area = area;
    this.net = net;
    this.ui = ui;
    this.calendars = calendars;
    this.policies = policies;
    this.openCalendars = openCalendars;
    this.left = left;
    this.check = new LateCheck({
      ask: lateBy(net.api.http), changed: () => this.#checked(),
    });
    this.field = new QueryField({
      id: "policy-query", api: net.api, language: ui.language, changed: () => this.#paint(),
      typed: () => this.#changed(),
      entered: () => /** @type {HTMLFormElement} */ (area.root.querySelector("form"))?.requestSubmit(),
    });
    this.saving = new Saving({
      kind: "policy", fields: FIELDS, root: () => area.root, language: ui.language,
      changed: () => this.#paint(), gone: () => this.#gone(),
    });
    this.#begin(policy);
  }

  get title() { return this.ui.language.t(this.isNew ? "policies.new" : "policies.edit"); }
  get isNew() { return this.policy.id === undefined; }
  get name() { return this.#name.trim(); }
  get isDirty() { return this.#written() !== this.#saved; }

  end() {
    this.check.stop();
  }

  #begin(policy) {
    this.policy = policy;
    this.#name = policy.name;
    this.#calendar = policy.calendar || this.calendars[0]?.id || "";
    this.#targets = Object.fromEntries(TARGETS.map((name) => [name, targetOf(policy[name])]));
    this.#place = this.policies.length;
    this.field.set(policy.query);
    this.#saved = this.#written();
  }

  #written() { return JSON.stringify([this.#name, this.#calendar, this.#targets, this.#place, this.field.text]); }

  // Returns the fields in the form that the server takes; unreadable targets are undefined.
  #fields() {
    const targets = Object.fromEntries(TARGETS.map((name) => [name, minutesIn(this.#targets[name])]));
    return fieldsOf({
      name: this.name, query: this.field.text, calendar: Number(this.#calendar), first_reply: targets.first_reply,
      next_reply: targets.next_reply,
    });
  }

  content() {
    const { ui: { language: { t } }, calendars } = this;
    queueMicrotask(() => this.field.after());
    return html`<form class="form policy-form" novalidate @submit=${(event) => this.#submit(event)}>
      <label>${t("policies.name")}<input name="name" id="policy-name" required maxlength=${NAME_MAX} autocomplete="off"
        dir="auto" placeholder=${t("policies.name.example")} aria-invalid=${String(this.#said("/name") !== "")}
        aria-describedby="policy-name-said" .value=${this.#name}
        @input=${({ target }) => { this.#name = target.value; this.#changed(); }}>${this.#saying("/name", "policy-name")}</label>
      <div class="form-field"><span aria-hidden="true">${t("policies.query")}</span>${this.field.content({
        label: t("policies.query"), placeholder: t("policies.query.all"), describedBy: "policy-query-said",
      })}<span class="field-said" id="policy-query-said" role="alert">${this.field.mistake
        ? saidOf(this.field.mistake, this.field.text, t) : this.#said("/query")}</span></div>
      <fieldset class="policy-targets"><legend>${t("policies.targets")}</legend>
        <p class="help-note">${t("policies.targets.about")}</p>
        ${TARGETS.map((name) => this.#target(name))}</fieldset>
      <label>${t("policies.calendar")}${calendars.length ? html`<select name="calendar" id="policy-calendar"
          aria-describedby="policy-calendar-said" @change=${({ target }) => { this.#calendar = Number(target.value); this.#changed(); }}
          >${calendars.map(({ id, name }) => html`<option value=${id} ?selected=${id === this.#calendar}>${
            shown(name)}</option>`)}</select>` : html`<span class="help-note">${t("policies.calendar.none")}</span>`}
        ${this.#saying("/calendar", "policy-calendar")}</label>
      <div><button type="button" class="button policy-hours" @click=${() => this.openCalendars()}>${
        t(calendars.length ? "policies.calendar.manage" : "hours.new")}</button></div>
      ${this.isNew && this.policies.length ? this.#placing() : ""}
      <div class="form-foot"><section class="policy-late" aria-label=${t("late")}>${this.#late()}</section>
        ${this.#foot()}</div></form>`;
  }

  // A mistake shown at a field is not repeated here.
  #late() {
    const { t } = this.ui.language;
    const { state, error } = this.check;
    const isElsewhere = state === "refused" && error.status === 422;
    return isElsewhere || !this.#isWhole() ? html`<p class="late-line" role="status">${t("late.incomplete")}</p>`
      : lateLine(this.check, t);
  }

  #target(name) {
    const { t } = this.ui.language;
    const { value, unit } = this.#targets[name];
    const set = (changes) => {
      this.#targets = { ...this.#targets, [name]: { ...this.#targets[name], ...changes } };
      this.#changed();
    };
    return html`<div class="policy-target"><label for=${name}>${t(`policies.${name}`)}</label>
      <input id=${name} name=${name} inputmode="decimal" autocomplete="off" maxlength="8"
        placeholder=${t("policies.none")} aria-invalid=${String(this.#said(`/${name}`) !== "")}
        aria-describedby=${`${name}-said`} .value=${value} @input=${({ target }) => set({ value: target.value })}>
      <select aria-label=${`${t(`policies.${name}`)}: ${t("policies.unit")}`} @change=${({ target }) => set({ unit: target.value })}
        >${Object.keys(UNITS).map((one) => html`<option value=${one} ?selected=${one === unit}>${
          t(`policies.unit.${one}`)}</option>`)}</select>
      ${this.#saying(`/${name}`, name)}</div>`;
  }

  #placing() {
    const { ui: { language: { t } }, policies } = this;
    return html`<label>${t("policies.place")}<select name="place" id="policy-place"
      @change=${({ target }) => { this.#place = Number(target.value); this.#changed(); }}>${[
        ...policies.map(({ name }, at) => [at, t("policies.place.before", { place: at + 1, name: shown(name) })]),
        [policies.length, t("policies.place.last", { place: policies.length + 1 })],
      ].map(([at, text]) => html`<option value=${at} ?selected=${at === this.#place}>${text}</option>`)}</select></label>`;
  }

  #saying(pointer, name) { return html`<span class="field-said" id=${`${name}-said`} role="alert">${this.#said(pointer)}</span>`; }

  #said(pointer) {
    const { t } = this.ui.language;
    const fault = faultAt(this.saving.faults, pointer);
    if (!fault || (pointer === "/query" && this.field.mistake)) return "";
    if (fault.code === "unreadable") return t("policies.minutes.wrong");
    return faultText(fault, t);
  }

  #paint() { this.area.paint(); }

  #isWhole() {
    const { first_reply: first, next_reply: next, calendar } = this.#fields();
    return first !== undefined && next !== undefined && calendar > 0;
  }

  #changed() {
    this.saving.clear(TARGETS.filter((name) => minutesIn(this.#targets[name]) === undefined)
      .map((name) => ({ pointer: `/${name}`, code: "unreadable" })));
    this.field.mistake = null;
    this.look();
    this.#paint();
  }

  get #index() {
    const { policies } = this;
    return this.isNew ? this.#place : policies.findIndex(({ id }) => id === this.policy.id);
  }

  // Asks how many threads would be late with the edited policy.
  look(waitMs = undefined) {
    const { policies } = this;
    const { id = null } = this.policy;
    const fields = { ...this.#fields(), name: this.name || "?" };
    this.check.look(this.#isWhole() ? after(policies, { id, fields, place: this.#place }) : null, waitMs);
  }

  // Shows mistakes at their fields before the policy is saved.
  #checked() {
    const { state, error } = this.check;
    if (state === "refused" && error.status === 422) {
      const own = `/policies/${this.#index}`;
      const found = faultsOf(error.body).filter(({ pointer }) => pointer.startsWith(`${own}/`) && pointer !== `${own}/name`);
      this.saving.faults = found.map(({ pointer, code }) => ({ pointer: pointer.slice(own.length), code }));
      this.#markQuery(error);
      if (!found.length) this.saving.problem = refusalOf(error, this.ui.language.t);
    }
    this.#paint();
  }

  #markQuery(error) {
    if (faultAt(this.saving.faults, "/query")) this.field.mistake = mistakeOf(error.body, this.field.text);
  }

  #foot() {
    const { ui: { language, language: { t } }, calendars } = this;
    const nameOf = (id) => calendars.find((calendar) => calendar.id === id)?.name ?? "";
    return this.saving.foot({
      shown: (theirs) => [[t("policies.name"), shown(theirs.name)], [t("policies.query"), shown(theirs.query) || t("query.all")],
        [t("policies.targets"), targetsText(theirs, language)], [t("policies.calendar"), shown(nameOf(theirs.calendar))]],
      take: (theirs) => {
        this.#begin(theirs);
        this.#changed();
      },
      replace: ({ changed_at }) => {
        this.policy = { ...this.policy, changed_at };
        this.#save();
      },
      cancel: () => this.left(null),
    });
  }

  #submit(event) {
    event.preventDefault();
    const { faults } = this.saving;
    if (!this.name) faults.push({ pointer: "/name", code: "empty_text" });
    if (!Number(this.#calendar)) faults.push({ pointer: "/calendar", code: "missing_field" });
    if (faults.length) this.#focusFault();
    else this.#save();
  }

  #focusFault() {
    this.#paint();
    this.saving.focus('form [aria-invalid="true"]');
  }

  async #save() {
    const { net: { api: { http } }, policies } = this;
    const refused = await this.saving.run(async () => {
      const fields = this.#fields();
      const { policy } = await store(http, POLICIES, this.policy, fields);
      const isPlaced = this.isNew && this.#place < policies.length;
      this.#saved = this.#written();
      // New policies come last, so nothing changes until the policy has its place.
      const placed = [...policies.slice(0, this.#place), policy, ...policies.slice(this.#place)];
      if (isPlaced) await http.put(`${POLICIES}/order`, { ids: placed.map(({ id }) => id) });
      this.left(policy);
    });
    if (refused) this.#markQuery(refused);
    if (this.saving.faults.length) this.#focusFault();
  }

  // The policy was deleted meanwhile: it can be saved as a new one.
  #gone() {
    const { id, changed_at, ...fields } = this.policy;
    this.policy = fields;
    return this.ui.language.t("policies.gone");
  }
}
