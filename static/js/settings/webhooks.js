// The page of webhooks: lists, creates and revokes them, and shows their deliveries.

import { html } from "lit-html";

import { momentOfFields, ownZone } from "../core/time.js";
import { field, formActs, given, rowMenu, SettingsPage, table } from "./elements.js";

const API = "/admin/api/webhooks";
const CHOICES = "/admin/api/settings/choices";
const LOOK_MS = 5000;

export class WebhooksPage extends SettingsPage {
  #webhooks = null;
  #choices = null; // what the form offers
  #logOf = null; // the webhook with its deliveries on screen
  #attempts = [];
  #more = false;

  get isWide() { return this.form === null; }
  get action() { return this.#choices && { text: this.t("webhooks.new"), run: () => this.#new() }; }

  async begin() {
    [this.#choices] = await Promise.all([this.http.get(CHOICES), this.#load()]);
    this.every(LOOK_MS, async () => {
      if (document.visibilityState !== "visible") return;
      await this.#load();
      this.area.paint();
    });
  }

  async #load() { this.#webhooks = (await this.http.get(API)).webhooks; }

  async #loadLog(before = null) {
    const id = this.#logOf;
    if (id === null) return;
    const found = await this.http.get(`${API}/${id}/log?limit=50${before ? `&before=${before}` : ""}`);
    if (id !== this.#logOf) return;
    this.#attempts = before ? [...this.#attempts, ...found.attempts] : found.attempts;
    this.#more = found.more;
  }

  // Runs the work, and reads the webhooks and the deliveries again.
  // run: `run`, or `send` for a form.
  #act(work, run = this.run) {
    return run.call(this, async () => {
      await work();
      await this.#load();
      await this.#loadLog();
    });
  }

  content() {
    const { t } = this;
    if (!this.#webhooks) return html`<p class="set-help">${t("loading")}</p>`;
    return html`<p class="set-help area-about">${t("webhooks.about")}</p>
      ${this.#webhooks.length ? table({
        className: "webhooks", label: t("settings.webhooks"), actions: t("webhooks.acts"),
        columns: ["webhooks.source", "webhooks.events.short", "webhooks.state"].map((name) => t(name)),
        rows: this.#webhooks.map((webhook) => this.#row(webhook)),
      }) : html`<p>${t("webhooks.none")}</p>`}
      ${this.#logOf === null ? "" : html`<section id="log">${this.#log()}</section>`}`;
  }

  #row(webhook) {
    const { t } = this;
    const { id, source, url, events, waiting } = webhook;
    const [kind, text] = this.#standing(webhook);
    return html`<tr class="webhook" data-id=${id} data-state=${kind}>
      <td><span class="set-name"><bdi translate="no">${source}</bdi><bdi class="set-help webhook-url"
        translate="no">${url}</bdi></span></td>
      <td>${events ? events.join(", ") : t("webhooks.all_events")}</td>
      <td><span class="set-name"><span class="webhook-state">${text}</span>
        <span class="set-help">${t("webhooks.waiting", { count: waiting })}</span></span></td>
      <td>${rowMenu({ id: `webhook-menu-${id}`, label: `${t("webhooks.acts")}: ${url}`,
        items: this.#items(webhook, kind) })}</td></tr>`;
  }

  #items(webhook, kind) {
    const { t } = this;
    const { id } = webhook;
    return [
      { text: t("webhooks.test"), run: () => this.#act(() => this.#test(id)) },
      { text: t("webhooks.log"), run: () => this.#show(id) },
      { text: t("webhooks.replay"), run: () => this.#replayForm(webhook) },
      { text: t("webhooks.rotate"), run: () => this.#act(() => this.#rotate(id)) },
      ...(kind === "off" ? [{ text: t("webhooks.enable"),
        run: () => this.#act(() => this.http.post(`${API}/${id}/enable`)) }] : []),
      { text: t("webhooks.revoke"), isRed: true, run: () => this.#revoke(webhook) },
    ];
  }

  #standing({ disabled_at: off, disabled_why: why, failing_since: failing }) {
    const { t } = this;
    const time = (at) => this.ui.language.words.dated(at, this.net.now());
    if (off) return ["off", t("webhooks.off", { time: time(off), why: t.named("webhooks.why", why) })];
    if (failing) return ["failing", t("webhooks.failing", { time: time(failing) })];
    return ["good", t("webhooks.active")];
  }

  async #test(id) {
    const answer = await this.http.post(`${API}/${id}/test`);
    this.area.say(this.t("webhooks.tested", { answer: inWords(answer, this.t), took: answer.took_ms }));
  }

  #show(id) {
    this.#logOf = id;
    return this.run(() => this.#loadLog());
  }

  async #rotate(id) {
    const { secret } = await this.http.post(`${API}/${id}/rotate`);
    this.area.say(this.t("webhooks.rotated"), secret, this.t("webhooks.copy"));
  }

  async #revoke({ id, url }) {
    const { t } = this;
    const yes = t("webhooks.revoke");
    if (!await this.sure({ title: t("webhooks.revoke.title"), text: t("webhooks.revoke.sure", { url }),
      yes })) return;
    if (this.#logOf === id) this.#logOf = null;
    await this.#act(() => this.http.delete(`${API}/${id}`));
  }

  #replayForm({ id, url }) {
    const { t } = this;
    this.openForm({
      title: t("webhooks.replay"),
      content: () => html`<form class="set-form webhook-replay"
        @submit=${(event) => this.#replayTime(event, id)}>
        <p class="set-help"><bdi translate="no">${url}</bdi></p>
        ${field(t("webhooks.replay.from"), html`<input type="datetime-local" name="since" required>`)}
        ${field(t("webhooks.replay.to"), html`<input type="datetime-local"
          name="until">`, t("webhooks.replay.to.help"))}
        ${formActs({ save: t("webhooks.replay"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #replayTime(event, id) {
    const values = given(event);
    const ms = (name) => {
      const [date, time] = String(values.get(name)).split("T");
      return time ? momentOfFields(date, time, ownZone()) : null;
    };
    return this.#act(async () => {
      await this.#replay(id, { since: ms("since"), until: ms("until") }, () => this.closeForm());
    }, this.send);
  }

  async #replay(id, which, done = () => {}) {
    const { replayed } = await this.http.post(`${API}/${id}/replay`, which);
    done();
    this.area.say(this.t("webhooks.replayed", { count: replayed }));
  }

  #new() {
    const { t } = this;
    const { sources, event_types: types } = this.#choices;
    this.openForm({
      title: t("webhooks.new"),
      content: () => html`<form class="set-form" id="new" @submit=${(event) => this.#create(event)}>
        ${field(t("webhooks.source"), html`<input name="source" required pattern="[a-z0-9\\-]{1,64}"
          maxlength="64" autocomplete="off"
          list="sources"><datalist id="sources">${sources.map((name) => html`<option
            value=${name}></option>`)}</datalist>`)}
        ${field(t("webhooks.address"), html`<input name="url" type="url" required maxlength="2048"
          placeholder="https://bot.example/lineup">`)}
        <fieldset class="set-checks"><legend class="set-label">${t("webhooks.events")}</legend>${
          types.map((type) => html`<label class="choice"
          ><input type="checkbox" name="events" value=${type}> ${type}</label>`)}</fieldset>
        ${formActs({ save: t("webhooks.create"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #create(event) {
    const values = given(event);
    const events = values.getAll("events");
    return this.#act(async () => {
      const { secret } = await this.http.post(API, {
        source: values.get("source"), url: values.get("url"), events: events.length ? events : null,
      });
      this.closeForm();
      this.area.say(this.t("webhooks.created"), secret, this.t("webhooks.copy"));
    }, this.send);
  }

  #log() {
    const { t } = this;
    const attempts = this.#attempts;
    return html`<h2>${t("webhooks.log")}</h2>
      ${attempts.length ? table({
        className: "webhook-log", label: t("webhooks.log"), actions: t("webhooks.acts"),
        columns: ["when", "event", "answer", "took"].map((name) => t(`webhooks.log.${name}`)),
        rows: attempts.map((attempt) => this.#attempt(attempt)),
      }) : html`<p class="set-help">${t("webhooks.log.none")}</p>`}
      ${this.#more ? html`<button type="button" class="button"
        @click=${() => this.run(() => this.#loadLog(attempts.at(-1).id))}>${t("webhooks.log.older")}</button>`
          : ""}`;
  }

  #attempt({ at, took_ms: took, request, status, error, answer, delivery }) {
    const { t } = this;
    const said = inWords({ status, error }, t);
    const event = request.body;
    const about = event && `${event.type} · ${event.thread ?? event.data.customer ?? ""}`;
    const again = delivery?.state === "pending"
      ? html`<span class="set-help">${t("webhooks.log.again",
        { time: this.ui.language.words.dated(delivery.next_at, this.net.now()) })}</span>` : "";
    return html`<tr data-good=${String(isTaken({ status, error }))}>
      <td>${this.when(at)}</td>
      <td><details><summary>${about ?? t("webhooks.test")}</summary>
        <pre tabindex="0">${JSON.stringify(request.headers, null, 2)}

${event ? JSON.stringify(event, null, 2) : ""}</pre></details></td>
      <td>${answer ? html`<details><summary>${said}</summary><pre
        tabindex="0">${answer}</pre></details>` : said}${again}</td>
      <td>${took} ms</td>
      <td>${event ? html`<button type="button" class="button"
        aria-label=${`${t("webhooks.replay")}: ${about}`}
        @click=${() => this.#act(() => this.#replay(this.#logOf,
          { event: event.id }))}>${t("webhooks.replay")}</button>` : ""}</td></tr>`;
  }
}

const isTaken = ({ status, error }) => status >= 200 && status < 300 && !error;

function inWords({ status, error }, t) {
  if (status === null || status === undefined || error) return t.named("webhooks.error", error);
  const given = { status: String(status) };
  return isTaken({ status, error }) ? t("webhooks.answered", given) : t("webhooks.refused", given);
}
