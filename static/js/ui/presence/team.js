// The panel of the team: colleagues, the threads they have open, and this admin's own status.

import { html } from "lit-html";

import { initial } from "../../core/initials.js";
import { shown } from "../../core/shown.js";
import { hueStep, nameOf } from "../elements/avatar.js";
import { ACTIVITY_NAMES, presenceLine } from "./words.js";
import { refusalOf } from "../elements/refusal.js";

const STATUSES = ["auto", "away", "busy", "dnd", "invisible"];
const VISIBILITIES = ["everyone", "contacts", "nobody"];
const UNTIL_MINUTES = [0, 30, 60, 240, 480];
const REFRESH_MS = 10_000;
const SURE_MS = 8000; // as long the second press counts, which signs a colleague out

export class TeamPanel {
  members = [];
  settings = null;
  failed = false;
  #timer = null;
  #leavingId = null; // who is signed out by one more press

  /** @param {TeamPanelParts} parts */
  constructor({ api, call, presence, admin, now, painter, toasts, language, open, limits, handOverAll }) {
    this.api = api;
    this.call = call;
    this.presence = presence;
    this.admin = admin;
    this.now = now;
    this.painter = painter;
    this.toasts = toasts;
    this.language = language;
    this.open = open;
    this.limits = limits;
    this.handOverAll = handOverAll;
  }

  /** @param {boolean} open */
  toggled(open) {
    clearInterval(this.#timer);
    if (!open) return this.presence.want("admin", "team", []);
    this.#timer = setInterval(() => this.#load(), REFRESH_MS);
    return Promise.all([this.#load(), this.#set({})]);
  }

  async #load() {
    try {
      this.members = (await this.api.team()).team;
      this.failed = false;
      this.presence.want("admin", "team", this.members.map(({ id }) => id));
    } catch {
      this.failed = true;
    }
    this.painter.ask("presence");
  }

  async #set(changes) {
    try {
      this.settings = (await this.call("presence:set", changes)).settings;
    } catch {
      this.toasts.show(this.language.t("presence.not_set"));
    }
    this.painter.ask("presence");
  }

  render() {
    const { t } = this.language;
    return html`<h2 class="panel-title">${t("team")}</h2>
      ${this.settings ? this.#own() : ""}
      ${this.failed ? html`<p class="panel-note">${t("error.network")}</p>` : ""}
      <ul class="people">${this.members.map((one) => this.#member(one))}</ul>`;
  }

  #own() {
    const { t } = this.language;
    const { settings } = this;
    return html`<div class="own">
      ${this.#choice("status", STATUSES, settings.status, (value) => t(`status.${value}`))}
      ${this.#choice("activity", ["", ...ACTIVITY_NAMES], settings.activity, (value) => t(`activity.${value}`))}
      <label class="own-field"><span>${t("own.text")}</span>
        <input type="text" maxlength=${this.limits.status_characters} .value=${settings.text}
          @change=${(event) => this.#set({ text: event.target.value })}></label>
      ${this.#until()}
      ${this.#choice("visibility", VISIBILITIES, settings.visibility, (value) => t(`visibility.${value}`))}</div>`;
  }

  #choice(field, values, chosen, named) {
    const { t } = this.language;
    return html`<label class="own-field"><span>${t(`own.${field}`)}</span>
      <select @change=${(event) => this.#set({ [field]: event.target.value })}>
        ${values.map((value) => html`<option value=${value} ?selected=${value === chosen}
          >${value ? named(value) : t("own.none")}</option>`)}
      </select></label>`;
  }

  #until() {
    const { t, words } = this.language;
    const { until } = this.settings;
    const choose = (minutes) => this.#set({
      until: minutes ? Math.round(this.now()) + minutes * 60_000 : null,
    });
    return html`<label class="own-field"><span>${t("own.until")}</span>
      <select @change=${(event) => choose(Number(event.target.value))}>
        ${until === null ? "" : html`<option selected>${words.exact(until)}</option>`}
        ${UNTIL_MINUTES.map((minutes) => html`<option value=${minutes}
          ?selected=${until === null && minutes === 0}
          >${minutes ? t("own.minutes", { count: minutes }) : t("own.no_end")}</option>`)}
      </select></label>`;
  }

  // Nothing tells this press from one meant for oneself: only the second one does it.
  async #signOut(id) {
    const isSure = this.#leavingId === id;
    this.#leavingId = isSure ? null : id;
    this.painter.ask("presence");
    if (!isSure) {
      setTimeout(() => {
        if (this.#leavingId === id) this.#leavingId = null;
        this.painter.ask("presence");
      }, SURE_MS);
      return;
    }
    try {
      await this.api.signOthersOut(id);
    } catch (error) {
      this.toasts.show(refusalOf(error, this.language.t));
    }
  }

  // One's own threads, and for supervisors those of anybody, as of a colleague who is absent.
  #givingAll({ id, name, assigned }) {
    const { admin, language: { t } } = this;
    if (!assigned || (admin.role !== "supervisor" && id !== admin.id)) return "";
    return html`<button type="button" class="person-thread" @click=${() => this.handOverAll.open({ id, name })}
      >${t("hand.all")}</button>`;
  }

  // Supervisors may sign out a colleague who forgot to.
  #leaving({ id, name }) {
    const { admin, presence, language: { t } } = this;
    const here = (presence.of("admin", id)?.status ?? "offline") !== "offline";
    if (!here || admin.role !== "supervisor" || id === admin.id) return "";
    const said = t(this.#leavingId === id ? "team.sign_out.sure" : "team.sign_out", { name: shown(name) });
    return html`<button type="button" class="person-thread person-leave" @click=${() => this.#signOut(id)}
      >${said}</button>`;
  }

  #member(one) {
    const { id, name, threads, assigned } = one;
    const { presence, language: { t } } = this;
    const known = presence.of("admin", id) !== undefined; // a moment after the names are
    return html`<li class="person">
      <span class="avatar" data-hue=${hueStep(`admin/${id}`)} aria-hidden="true"
        ><span class="avatar-letter">${initial(name)}</span>
        <span class="dot" data-dot=${known ? presence.dot("admin", id) : "none"}></span></span>
      <span class="person-text"><bdi translate="no" class="person-name">${shown(name)}</bdi>
        <span class="person-state">${[
          known ? presenceLine(presence, "admin", id, t) : "",
          assigned === null ? "" : t("hand.has", { count: assigned }),
        ].filter(Boolean).join(" · ")}</span>
        ${threads.map((thread) => html`<button type="button" class="person-thread"
          @click=${() => this.open(thread.id)}
          >${t("team.in", { name: nameOf(thread, t) })}</button>`)}
        ${this.#givingAll(one)}
        ${this.#leaving(one)}
      </span></li>`;
  }
}
