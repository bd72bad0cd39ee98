// The panel of the team: colleagues, the threads they have open, and this admin's own status.

import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { initial, shown } from "../../core/names.js";
import { seenAge } from "../../core/presence.js";
import { calledBy, hueStep, nameOf } from "../elements/avatar.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ACTIVITY_NAMES, presenceLine, seenText } from "./viewers.js";

const STATUSES = ["auto", "away", "busy", "dnd", "invisible"];
const VISIBILITIES = ["everyone", "contacts", "nobody"];
const UNTIL_MINUTES = [0, 30, 60, 240, 480];
const REFRESH_MS = 10_000;
const SURE_MS = 8000; // for so long a second press confirms that a colleague is signed out

export class TeamPanel extends PageModule {
  members = [];
  settings = null;
  failed = false;
  #timer = null;
  #leavingId = null; // the colleague to be signed out by one more press

  /** @param {boolean} open */
  toggled(open) {
    clearInterval(this.#timer);
    if (!open) return this.data.presence.want("admin", "team", []);
    this.#timer = setInterval(() => this.#load(), REFRESH_MS);
    return Promise.all([this.#load(), this.#set({})]);
  }

  async #load() {
    try {
      this.members = (await this.net.api.team()).team;
      this.failed = false;
      this.data.presence.want("admin", "team", this.members.map(({ id }) => id));
    } catch {
      this.failed = true;
    }
    this.ui.painter.ask("presence");
  }

  // The choice is shown at once, and taken back if it is refused.
  async #set(changes) {
    const before = this.settings;
    if (before) this.settings = { ...before, ...changes };
    try {
      this.settings = (await this.net.call("presence:set", changes)).settings;
    } catch {
      this.settings = before;
      this.ui.toasts.show(this.ui.language.t("presence.not_set"));
    }
    this.ui.painter.ask("presence");
  }

  render() {
    const { t } = this.ui.language;
    return html`<h2 class="panel-title">${t("team")}</h2>
      ${this.settings ? this.#own() : ""}
      ${this.failed ? html`<p class="panel-note">${t("error.network")}</p>` : ""}
      <ul class="people">${this.members.map((one) => this.#member(one))}</ul>`;
  }

  #own() {
    const { t } = this.ui.language;
    const { settings } = this;
    return html`<div class="own">
      ${this.#choice("status", STATUSES, settings.status, (value) => t(`status.${value}`))}
      ${this.ui.queues.part?.own()}
      ${this.#choice("activity", ["", ...ACTIVITY_NAMES], settings.activity, (value) => t(`activity.${value}`))}
      <label class="own-field"><span>${t("own.text")}</span>
        <input type="text" maxlength=${this.data.limits.status_characters} .value=${settings.text}
          @change=${(event) => this.#set({ text: event.target.value })}></label>
      ${this.#until()}
      ${this.#choice("visibility", VISIBILITIES, settings.visibility, (value) => t(`visibility.${value}`))}</div>`;
  }

  #choice(field, values, chosen, named) {
    const { t } = this.ui.language;
    return html`<label class="own-field"><span>${t(`own.${field}`)}</span>
      <select @change=${(event) => this.#set({ [field]: event.target.value })}>
        ${values.map((value) => html`<option value=${value} .selected=${live(value === chosen)}
          >${value ? named(value) : t("own.none")}</option>`)}
      </select></label>`;
  }

  #until() {
    const { t, words } = this.ui.language;
    const { until } = this.settings;
    const choose = (minutes) => this.#set({
      until: minutes ? Math.round(this.net.now()) + minutes * 60_000 : null,
    });
    return html`<label class="own-field"><span>${t("own.until")}</span>
      <select @change=${(event) => choose(Number(event.target.value))}>
        ${until === null ? "" : html`<option .selected=${live(true)}>${words.exact(until)}</option>`}
        ${UNTIL_MINUTES.map((minutes) => html`<option value=${minutes}
          .selected=${live(until === null && minutes === 0)}
          >${minutes ? t("own.minutes", { count: minutes }) : t("own.no_end")}</option>`)}
      </select></label>`;
  }

  // A press here may be meant for oneself, so only a second one signs the colleague out.
  async #signOut(id) {
    const isSure = this.#leavingId === id;
    this.#leavingId = isSure ? null : id;
    this.ui.painter.ask("presence");
    if (!isSure) {
      setTimeout(() => {
        if (this.#leavingId === id) this.#leavingId = null;
        this.ui.painter.ask("presence");
      }, SURE_MS);
      return;
    }
    try {
      await this.net.api.signOthersOut(id);
    } catch (error) {
      this.ui.toasts.show(refusalOf(error, this.ui.language.t));
    }
  }

  // The button to hand over all threads: one's own, and for supervisors those of anybody, such as absent ones.
  #givingAll({ id, name, assigned }) {
    const { data: { admin }, ui: { language: { t } } } = this;
    if (!assigned || (admin.role !== "supervisor" && id !== admin.id)) return "";
    return html`<button type="button" class="person-thread" @click=${() => this.ui.handOverAll.open({ id, name })}
      >${t("hand.all")}</button>`;
  }

  // The button by which supervisors sign out a colleague who forgot to.
  #leaving({ id, name }) {
    const { data: { admin, presence }, ui: { language: { t } } } = this;
    const here = (presence.of("admin", id)?.status ?? "offline") !== "offline";
    if (!here || admin.role !== "supervisor" || id === admin.id) return "";
    const said = t(this.#leavingId === id ? "team.sign_out.sure" : "team.sign_out", { name: shown(name) });
    return html`<button type="button" class="person-thread person-leave" @click=${() => this.#signOut(id)}
      >${said}</button>`;
  }

  #member(one) {
    const { id, name, threads, assigned } = one;
    const { data: { presence }, ui: { queues, language: { t } } } = this;
    const known = presence.of("admin", id) !== undefined; // presence comes a moment after the names
    return html`<li class="person">
      <span class="avatar" data-hue=${hueStep(`admin/${id}`)} aria-hidden="true"
        ><span class="avatar-letter">${initial(name)}</span>
        <span class="dot" data-dot=${known ? presence.dot("admin", id) : "none"}></span></span>
      <span class="person-text"><bdi translate="no" class="person-name">${shown(name)}</bdi>
        <span class="person-state">${[
          known ? presenceLine(presence, "admin", id, t) : "",
          assigned === null ? "" : t("hand.has", { count: assigned }),
          queues.part?.loadOf(one),
        ].filter(Boolean).join(" · ")}</span>
        ${threads.map((thread) => html`<button type="button" class="person-thread"
          @click=${() => this.acts.open(thread.id)}
          >${t("team.in", { name: nameOf(thread, t) })}</button>`)}
        ${this.#givingAll(one)}
        ${this.#leaving(one)}
      </span></li>`;
  }
}

// The panel of customers seen in the last minutes, newest first; scrolling loads more.
const WITHIN_MINUTES = [1, 5, 15];
const PAGE = 50;
const NEAR_END_PX = 200;
const ONLINE_REFRESH_MS = 15_000;

export class OnlinePanel extends PageModule {
  minutes = 5;
  customers = [];
  total = null;
  failed = false;
  #next = null;
  #loading = false;
  #scrolled = false;
  #timer = null;

  /** @param {boolean} open */
  toggled(open) {
    clearInterval(this.#timer);
    if (!open) return;
    this.#timer = setInterval(() => { if (!this.#scrolled) this.#begin(); }, ONLINE_REFRESH_MS);
    this.#begin();
  }

  /** @param {HTMLElement} element */
  scrolled(element) {
    this.#scrolled = element.scrollTop > 0;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (left < NEAR_END_PX && this.#next) this.#load(this.#next);
  }

  #choose(minutes) {
    this.minutes = minutes;
    this.#begin();
  }

  #begin() { return this.#load(null); }

  async #load(cursor) {
    if (this.#loading) return;
    this.#loading = true;
    const { minutes } = this;
    try {
      const page = await this.net.api.online(minutes * 60, PAGE, cursor);
      this.customers = cursor ? [...this.customers, ...page.customers] : page.customers;
      this.total = page.total;
      this.#next = page.next;
      this.failed = false;
    } catch {
      this.failed = true;
    }
    this.#loading = false;
    if (minutes !== this.minutes) this.#begin();
    this.ui.painter.ask("presence");
  }

  render() {
    const { t } = this.ui.language;
    return html`<h2 class="panel-title">${t("online")}
      <span class="panel-count">${this.total === null ? "" : t.number(this.total)}</span></h2>
      <div class="tabs" role="group" aria-label=${t("online")}>${WITHIN_MINUTES.map((minutes) => html`
        <button type="button" class="button" aria-pressed=${String(this.minutes === minutes)}
          @click=${() => this.#choose(minutes)}>${t("online.within", { count: minutes })}</button>`)}</div>
      ${this.failed ? html`<p class="panel-note">${t("presence.delayed")}</p>` : ""}
      ${this.total === 0 ? html`<p class="panel-note">${t("online.nobody")}</p>` : ""}
      <ul class="people">${this.customers.map((one) => this.#customer(one))}</ul>`;
  }

  #customer({ id, name, last_seen: lastSeen, colour, thread_id: threadId }) {
    const { t } = this.ui.language;
    const called = shown(calledBy(name, id, t));
    const dot = { green: "online", yellow: "lately", grey: "offline" }[colour];
    const seen = seenText(seenAge({ status: "offline", last_seen: lastSeen }, this.net.now()), t);
    return html`<li><button type="button" class="person" ?disabled=${threadId === null}
      @click=${() => this.acts.open(threadId)}>
      <span class="avatar" data-hue=${hueStep(id)} aria-hidden="true"
        ><span class="avatar-letter">${initial(called)}</span><span class="dot" data-dot=${dot}></span></span>
      <span class="person-text"><bdi translate="no" class="person-name" ?data-nameless=${!name}>${called}</bdi>
        <span class="person-state">${seen}</span></span></button></li>`;
  }
}
