// The first steps on an empty desk, across the pane, until the first event has come; later from the help.

import { html, nothing, render } from "lit-html";

import { copied } from "../../browser.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

const COPIED_MS = 2000;
// How often it is looked whether a step was done elsewhere: in another tab, or by a command.
// A page that nobody uses stops looking: each look keeps the session alive.
const LOOK_MS = 5000;
const LOOKS_MAX = 60;
const SOURCE = "shop";
const KEYS = "/admin/api/keys";
const NEWEST = { view: "arrival", sort: "arrival" };

// Steps that are done on a page of the settings. isDone(): by the answer of the call.
const SETTINGS = [
  {
    name: "invite", page: "accounts", call: "/admin/api/accounts",
    isDone: ({ accounts, invitations }) => accounts.length + invitations.length > 1,
  },
  {
    name: "webhook", page: "webhooks", call: "/admin/api/webhooks",
    isDone: ({ webhooks }) => webhooks.length > 0,
  },
  {
    name: "hours", page: "hours", call: "/admin/api/calendars",
    isDone: ({ calendars }) => calendars.length > 0,
  },
];

// The shell makes the id and the time; a time ahead of the server's counts as the time of receipt.
/** @param {string} origin @param {string} key */
const firstCommand = (origin, key) => `curl -X POST ${origin}/api/v1/events \\
  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
  -d '{"id": "m-'$(date +%s)'", "type": "message", "thread": "t-1", "occurred_at": "'$(date -u +%FT%T.999Z)'", "role": "client", "customer": {"id": "c-1", "name": "Mai"}, "body": "Hello!"}'`;

// In the demo, the page on which its reader writes as a customer.
const { customerPage } = document.documentElement.dataset;

export class FirstSteps extends PageModule {
  shown = false;
  #again = false;
  #copied = null;
  #key = null; // shown once: the server keeps no more than its hash
  #problem = "";
  #done = new Set();
  #looking = 0; // the timer of the next look
  #looks = 0;

  /** @param {Page & { root: HTMLElement }} page */
  constructor({ root, ...page }) {
    super(page);
    this.root = root;
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    const again = () => this.#lookAgain();
    root.addEventListener("pointerenter", again);
    addEventListener("focus", again);
  }

  // again: from the help, across the pane even though events have come
  /** @param {{again?: boolean}} [given] */
  open({ again = false } = {}) {
    this.shown = true;
    this.#again = again;
    this.#lookAgain();
    this.ui.painter.ask("first");
    if (again) requestAnimationFrame(() => this.root.querySelector("h2")?.focus());
  }

  close() {
    this.shown = false;
    clearTimeout(this.#looking);
    this.ui.painter.ask("first");
  }

  get #arrived() {
    const { listing } = this.data.lists;
    return ["arrival", "history"].some((view) => this.data.totals.of(view) > 0)
      || (listing.ready && listing.painted.total > 0);
  }

  get #isSupervisor() { return this.data.admin.role === "supervisor"; }

  #lookAgain() {
    this.#looks = 0;
    clearTimeout(this.#looking);
    this.#look();
  }

  // Looks at the steps that are done elsewhere, and again after a while.
  async #look() {
    if (!this.shown || !this.#isSupervisor || this.#looks >= LOOKS_MAX) return;
    this.#looks += 1;
    await Promise.all([this.#lookAtKeys(), ...SETTINGS.map((step) => this.#lookAt(step))]);
    clearTimeout(this.#looking);
    this.#looking = window.setTimeout(() => this.#look(), LOOK_MS);
  }

  async #lookAtKeys() {
    const { keys } = await this.#asked(KEYS) ?? { keys: [] };
    this.#tick("key", keys.some((key) => key.revoked_at === null));
  }

  async #lookAt({ name, call, isDone }) {
    const answer = await this.#asked(call);
    if (answer) this.#tick(name, isDone(answer));
  }

  async #asked(call) {
    try {
      return await this.net.api.http.get(call);
    } catch {
      return null;
    }
  }

  #tick(name, isDone) {
    if (!isDone || this.#done.has(name)) return;
    this.#done.add(name);
    this.ui.painter.ask("first");
  }

  paint() {
    const { t } = this.ui.language;
    this.root.hidden = !this.shown;
    const arrived = this.#arrived;
    if (this.shown && arrived && this.root.dataset.arrived !== "true" && !customerPage) {
      this.ui.announce(t("first.arrived"));
    }
    this.root.dataset.arrived = String(arrived);
    const isAcross = this.#again || !arrived;
    this.root.dataset.across = String(isAcross);
    render(this.shown ? this.#card(isAcross ? this.#all(arrived) : this.#left(arrived)) : "", this.root);
  }

  #card(content) {
    const { t } = this.ui.language;
    return html`<section class="first-card" aria-labelledby="first-title">
      <div class="first-head"><h2 id="first-title" tabindex="-1">${t("first.title")}</h2>
        <button type="button" class="icon-button" aria-label=${t("close")}
          @click=${() => this.close()}>${ICONS.close}</button></div>${content}</section>`;
  }

  #all(arrived) {
    const { t } = this.ui.language;
    if (!this.#isSupervisor) return html`<p>${t("first.about.admin")}</p>${this.#state(arrived)}`;
    const command = firstCommand(location.origin, this.#key ?? "$KEY");
    return html`<p>${t("first.about")}</p>
      <ol class="first-list">${customerPage ? this.#step("customer", false, this.#customerLink()) : ""}
        ${this.#step("key", this.#done.has("key"), this.#keyStep())}
        ${this.#step("post", arrived, html`${this.#command("post", command)}${this.#state(arrived)}`)}
        ${SETTINGS.map((step) => this.#step(step.name, this.#done.has(step.name), this.#link(step)))}</ol>
      <p>${t("first.next")} <a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a> ·
        <code>examples/chatbot/</code></p>`;
  }

  // Once the first event has come, below the list: it, and the steps that are left.
  #left(arrived) {
    if (customerPage) return html`${this.#customerText()}<p class="first-more">${this.#customerLink()}</p>`;
    const left = this.#isSupervisor ? SETTINGS.filter(({ name }) => !this.#done.has(name)) : [];
    return html`${this.#state(arrived)}${left.length
      ? html`<p class="first-more">${left.map((step) => this.#link(step, `first.${step.name}`))}</p>` : ""}`;
  }

  #customerText() {
    const { t } = this.ui.language;
    return html`<p><b>${t("first.customer")}.</b> ${t("first.customer.text")}</p>`;
  }

  #customerLink() {
    // What is written there is on top of the newest messages.
    return html`<a class="button button-accent" href=${customerPage} target="_blank" rel="noopener"
      @click=${() => this.acts.navigation.goList(NEWEST)}>${this.ui.language.t("first.customer.act")}</a>`;
  }

  #link({ name, page }, text = `first.${name}.act`) {
    const { t } = this.ui.language;
    return html`<a class="button" href="/settings/${page}" aria-label=${t(`first.${name}`)}>${t(text)}</a>`;
  }

  #step(name, isDone, content) {
    const { t } = this.ui.language;
    return html`<li class="first-step" data-step=${name} data-done=${String(isDone)}>
      <span class="first-tick" aria-hidden="true">${isDone ? ICONS.check : nothing}</span>
      <div class="first-what"><div><h3>${t(`first.${name}`)}${isDone
        ? html`<span class="unseen">, ${t("first.done")}</span>` : ""}</h3>
        <p>${t(`first.${name}.text`)}</p></div>${content}</div></li>`;
  }

  #state(arrived) {
    const { t } = this.ui.language;
    return html`<p class="first-state" data-arrived=${String(arrived)}>
      <span class="first-dot" aria-hidden="true"></span>${t(arrived ? "first.arrived" : "first.waiting")}
      ${arrived ? html`<button type="button" class="button button-accent" @click=${() => this.#show()}
        >${t("first.show")}</button>` : ""}</p>`;
  }

  #keyStep() {
    const { t } = this.ui.language;
    if (this.#key) {
      return html`${this.#command("key", this.#key)}<p class="first-once">${t("first.key.once")}</p>`;
    }
    return html`<form class="first-make" @submit=${(event) => this.#make(event)}>
      <label>${t("first.key.source")}<input name="source" required maxlength="64" autocomplete="off"
        spellcheck="false" translate="no" .defaultValue=${SOURCE}></label>
      <button type="submit" class="button button-accent">${t("first.key.act")}</button></form>
      <p class="form-problem" role="alert">${this.#problem}</p>`;
  }

  async #make(event) {
    event.preventDefault();
    const { t } = this.ui.language;
    const source = String(new FormData(event.target).get("source")).trim();
    try {
      const { key } = await this.net.api.http.post(KEYS, { source });
      this.#key = key;
      this.#problem = "";
      this.#tick("key", true);
      this.ui.announce(t("first.key.made"));
    } catch (error) {
      this.#problem = refusalOf(error, t);
    }
    this.ui.painter.ask("first");
    // The form with the focus is gone.
    if (this.#key) requestAnimationFrame(() => this.#button("key").focus());
  }

  #command(name, text) {
    const { t } = this.ui.language;
    return html`<div class="first-command"><pre tabindex="0" translate="no" aria-label=${t(`first.${name}`)}><code>${text}</code></pre>
      <button type="button" class="button" data-copies=${name} @click=${() => this.#copy(name, text)}
        >${t(this.#copied === name ? "first.copied" : "first.copy")}</button></div>`;
  }

  /** @returns {HTMLButtonElement} */
  #button(name) { return this.root.querySelector(`[data-copies="${name}"]`); }

  async #copy(name, text) {
    const shown = this.#button(name).previousElementSibling;
    if (!await copied(text, shown)) return;
    this.#copied = name;
    this.ui.announce(this.ui.language.t("first.copied"));
    this.ui.painter.ask("first");
    setTimeout(() => {
      this.#copied = null;
      this.ui.painter.ask("first");
    }, COPIED_MS);
  }

  #show() {
    this.close();
    this.acts.navigation.goList(NEWEST);
  }
}
