// The team: colleagues, what they are in, and what one shows of oneself.

import { html } from "lit-html";

import { initial } from "../core/faces.js";
import { hueStep, nameOf } from "./avatar.js";
import { ACTIVITY_NAMES, presenceLine } from "./presence-words.js";
import { refusalOf } from "./refusal.js";

const STATUSES = ["auto", "away", "busy", "dnd", "invisible"];
const VISIBILITIES = ["everyone", "contacts", "nobody"];
const UNTIL_MINUTES = [0, 30, 60, 240, 480];
const REFRESH_MS = 10_000;
const TEXT_MAX = 140;

export class TeamPanel {
  members = [];
  settings = null;
  failed = false;
  #timer = null;

  constructor(desk) {
    this.desk = desk;
  }

  toggled(open) {
    clearInterval(this.#timer);
    if (!open) return this.desk.presence.want("admin", "team", []);
    this.#timer = setInterval(() => this.#load(), REFRESH_MS);
    return Promise.all([this.#load(), this.#set({})]);
  }

  async #load() {
    try {
      this.members = (await this.desk.api.team()).team;
      this.failed = false;
      this.desk.presence.want("admin", "team", this.members.map(({ id }) => id));
    } catch {
      this.failed = true;
    }
    this.desk.ask("presence");
  }

  async #set(changes) {
    try {
      this.settings = (await this.desk.call("presence:set", changes)).settings;
    } catch {
      this.desk.toasts.show(this.desk.t("presence.not_set"));
    }
    this.desk.ask("presence");
  }

  render() {
    const { t } = this.desk;
    return html`<h2 class="panel-title">${t("team")}</h2>
      ${this.settings ? this.#own() : ""}
      ${this.failed ? html`<p class="panel-note">${t("error.network")}</p>` : ""}
      <ul class="people">${this.members.map((one) => this.#member(one))}</ul>`;
  }

  #own() {
    const { t } = this.desk;
    const { settings } = this;
    return html`<div class="own">
      ${this.#choice("status", STATUSES, settings.status, (value) => t(`status.${value}`))}
      ${this.#choice("activity", ["", ...ACTIVITY_NAMES], settings.activity, (value) => t(`activity.${value}`))}
      <label class="own-field"><span>${t("own.text")}</span>
        <input type="text" maxlength=${TEXT_MAX} .value=${settings.text}
          @change=${(event) => this.#set({ text: event.target.value })}></label>
      ${this.#until()}
      ${this.#choice("visibility", VISIBILITIES, settings.visibility, (value) => t(`visibility.${value}`))}</div>`;
  }

  #choice(field, values, chosen, named) {
    const { t } = this.desk;
    return html`<label class="own-field"><span>${t(`own.${field}`)}</span>
      <select @change=${(event) => this.#set({ [field]: event.target.value })}>
        ${values.map((value) => html`<option value=${value} ?selected=${value === chosen}
          >${value ? named(value) : t("own.none")}</option>`)}
      </select></label>`;
  }

  #until() {
    const { t, words } = this.desk;
    const { until } = this.settings;
    const choose = (minutes) => this.#set({
      until: minutes ? Math.round(this.desk.now()) + minutes * 60_000 : null,
    });
    return html`<label class="own-field"><span>${t("own.until")}</span>
      <select @change=${(event) => choose(Number(event.target.value))}>
        ${until === null ? "" : html`<option selected>${words.exact(until)}</option>`}
        ${UNTIL_MINUTES.map((minutes) => html`<option value=${minutes}
          ?selected=${until === null && minutes === 0}
          >${minutes ? t("own.minutes", { count: minutes }) : t("own.no_end")}</option>`)}
      </select></label>`;
  }

  async #signOut(id) {
    try {
      await this.desk.api.signOthersOut(id);
    } catch (error) {
      this.desk.toasts.show(refusalOf(error, this.desk.t));
    }
  }

  // For supervisors: who forgot to leave is taken off.
  #leaving({ id, name }) {
    const { t, admin, presence } = this.desk;
    const here = (presence.of("admin", id)?.status ?? "offline") !== "offline";
    return here && admin.role === "supervisor" && id !== admin.id ? html`<button type="button" class="person-thread"
      aria-label="${t("sign_out")}: ${name}" @click=${() => this.#signOut(id)}>${t("sign_out")}</button>` : "";
  }

  #member(one) {
    const { id, name, threads } = one;
    const { t, presence } = this.desk;
    const known = presence.of("admin", id) !== undefined; // a moment after the names are
    return html`<li class="person">
      <span class="avatar" data-hue=${hueStep(`admin/${id}`)} aria-hidden="true"
        ><span class="avatar-letter">${initial(name)}</span>
        <span class="dot" data-dot=${known ? presence.dot("admin", id) : "none"}></span></span>
      <span class="person-text"><bdi class="person-name">${name}</bdi>
        <span class="person-state">${known ? presenceLine(presence, "admin", id, t) : ""}</span>
        ${threads.map((thread) => html`<button type="button" class="person-thread"
          @click=${() => this.desk.open(thread.id)}
          >${t("team.in", { name: nameOf(thread, t) })}</button>`)}
        ${this.#leaving(one)}
      </span></li>`;
  }
}
