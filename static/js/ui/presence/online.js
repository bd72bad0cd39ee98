// The panel of customers seen in the last minutes, newest first; scrolling loads more.

import { html } from "lit-html";

import { initial } from "../../core/initials.js";
import { seenAge } from "../../core/presence.js";
import { shown } from "../../core/shown.js";
import { calledBy, hueStep } from "../elements/avatar.js";
import { seenText } from "./words.js";

const WITHIN_MINUTES = [1, 5, 15];
const PAGE = 50;
const NEAR_END_PX = 200;
const REFRESH_MS = 15_000;

export class OnlinePanel {
  minutes = 5;
  customers = [];
  total = null;
  failed = false;
  #next = null;
  #loading = false;
  #scrolled = false;
  #timer = null;

  /** @param {OnlinePanelParts} parts */
  constructor({ api, now, painter, language, open }) {
    this.api = api;
    this.now = now;
    this.painter = painter;
    this.language = language;
    this.open = open;
  }

  /** @param {boolean} open */
  toggled(open) {
    clearInterval(this.#timer);
    if (!open) return;
    this.#timer = setInterval(() => { if (!this.#scrolled) this.#begin(); }, REFRESH_MS);
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
      const page = await this.api.online(minutes * 60, PAGE, cursor);
      this.customers = cursor ? [...this.customers, ...page.customers] : page.customers;
      this.total = page.total;
      this.#next = page.next;
      this.failed = false;
    } catch {
      this.failed = true;
    }
    this.#loading = false;
    if (minutes !== this.minutes) this.#begin();
    this.painter.ask("presence");
  }

  render() {
    const { t } = this.language;
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
    const { t } = this.language;
    const called = shown(calledBy(name, id, t));
    const dot = { green: "online", yellow: "lately", grey: "offline" }[colour];
    const seen = seenText(seenAge({ status: "offline", last_seen: lastSeen }, this.now()), t);
    return html`<li><button type="button" class="person" ?disabled=${threadId === null}
      @click=${() => this.open(threadId)}>
      <span class="avatar" data-hue=${hueStep(id)} aria-hidden="true"
        ><span class="avatar-letter">${initial(called)}</span><span class="dot" data-dot=${dot}></span></span>
      <span class="person-text"><bdi translate="no" class="person-name" ?data-nameless=${!name}>${called}</bdi>
        <span class="person-state">${seen}</span></span></button></li>`;
  }
}
