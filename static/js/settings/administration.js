// The pages of API keys and of health.

import { html } from "lit-html";

import { field, formActs, given, rowMenu, SettingsPage, table } from "./elements.js";

const API = "/admin/api/keys";
const CHOICES = "/admin/api/settings/choices";
const LOOK_MS = 5000;

export class KeysPage extends SettingsPage {
  #keys = null;
  #choices = null; // what the form offers

  get isWide() { return this.form === null; }
  get action() { return this.#choices && { text: this.t("keys.new"), run: () => this.#new() }; }

  async begin() { [this.#choices] = await Promise.all([this.http.get(CHOICES), this.#load()]); }

  async #load() { this.#keys = (await this.http.get(API)).keys; }

  content() {
    const { t } = this;
    if (!this.#keys) return html`<p class="set-help">${t("loading")}</p>`;
    return html`<p class="set-help">${t("keys.about")}</p>
      ${this.#keys.length ? table({
        className: "keys", label: t("settings.keys"), actions: t("keys.acts"),
        columns: ["keys.source", "keys.scopes", "keys.desk", "keys.made", "keys.used"].map((name) => t(name)),
        rows: this.#keys.toReversed().map((key) => this.#row(key)),
      }) : html`<p>${t("keys.none")}</p>`}`;
  }

  #row(key) {
    const { t } = this;
    const { id, prefix, source, scopes, handoff, desk, rate, created_at: made, last_used_at: used,
      revoked_at: off } = key;
    const may = scopes.map((scope) => t.named("keys.scope", scope)).join(", ");
    return html`<tr data-id=${id} data-off=${String(off !== null)}>
      <td><span class="set-name"><bdi translate="no">${source}</bdi><code>lu_${prefix}</code></span></td>
      <td><span class="set-name"><span>${may}</span>${rate === null ? ""
        : html`<span class="set-help">${t("keys.rate.shown", { count: rate })}</span>`}</span></td>
      <td><span class="set-name"><bdi translate="no">${desk}</bdi>${handoff
        ? html`<span class="set-help">${t("keys.waits.handoff")}</span>` : ""}</span></td>
      <td data-label=${t("keys.made")}>${this.when(made)}</td>
      ${off === null && used !== null ? html`<td data-label=${t("keys.used")}>${this.when(used)}</td>`
        : html`<td>${off === null ? t("keys.unused") : html`${t("keys.revoked")} ${this.when(off)}`}</td>`}
      <td>${off === null ? rowMenu({
        id: `key-menu-${id}`, label: `${t("keys.acts")}: lu_${prefix}`,
        items: [{ text: t("keys.revoke"), isRed: true, run: () => this.#revoke(key) }],
      }) : ""}</td></tr>`;
  }

  async #revoke({ id, prefix, source }) {
    const { t } = this;
    const key = `lu_${prefix}`;
    const title = t("keys.revoke.of", { key });
    if (!await this.sure({ title, text: t("keys.revoke.sure", { key, source }),
      yes: t("keys.revoke") })) return;
    await this.run(async () => {
      await this.http.delete(`${API}/${id}`);
      await this.#load();
      this.area.say(t("keys.revoke.done", { key }));
    });
  }

  #new() {
    const { t } = this;
    const { sources, desks, scopes, rate_max: most } = this.#choices;
    this.openForm({
      title: t("keys.new"),
      content: () => html`<form class="set-form" id="new" @submit=${(event) => this.#create(event)}>
        ${field(t("keys.source"), html`<input name="source" required pattern="[a-z0-9\\-]{1,64}"
          maxlength="64" autocomplete="off"
          list="sources"><datalist id="sources">${sources.map((name) => html`<option
            value=${name}></option>`)}</datalist>`, t("keys.source.help"))}
        ${field(t("keys.desk"), html`<input name="desk" pattern="[a-z0-9\\-]{1,32}" maxlength="32"
          autocomplete="off" list="desks"
          placeholder=${t("keys.desk.same")}><datalist id="desks">${desks.map((name) => html`<option
            value=${name}></option>`)}</datalist>`)}
        ${field(t("keys.rate"), html`<input name="rate" type="number" min="1" max=${most}
          placeholder=${t("keys.rate.none")}>`)}
        <fieldset class="set-checks"><legend class="set-label">${t("keys.scopes")}</legend>${
          scopes.map((scope) => html`<label class="choice"
          ><input type="checkbox" name="scopes" value=${scope}
          ?checked=${scope !== "reports"}> ${t.named("keys.scope",
            scope)}</label>`)}</fieldset>
        <label class="choice"><input type="checkbox" name="handoff"> ${t("keys.handoff")}</label>
        ${formActs({ save: t("keys.create"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #create(event) {
    const { t } = this;
    const values = given(event);
    return this.send(async () => {
      const { key } = await this.http.post(API, {
        source: values.get("source"), scopes: values.getAll("scopes"), handoff: values.has("handoff"),
        desk: values.get("desk") || null, rate: values.get("rate") ? Number(values.get("rate")) : null,
      });
      await this.#load();
      this.closeForm();
      this.area.say(t("keys.created"), key, t("keys.copy"));
    });
  }
}

// Whether the lists equal the database, and which chatbots cannot be reached.
export class HealthPage extends SettingsPage {
  #health = null;

  async begin() {
    await this.#load();
    this.every(LOOK_MS, async () => {
      await this.#load();
      this.area.paint();
    });
  }

  async #load() { this.#health = await this.http.get("/admin/api/health"); }

  content() {
    const { t, net: { connectionState: { failing } } } = this;
    if (!this.#health) return html`<p class="set-help">${t("loading")}</p>`;
    const { late_since: late, compared_at: at, repairs } = this.#health;
    const state = late !== null ? "late" : at === null ? "unknown" : "equal";
    return html`<div class="set-lines">
      ${this.#fact("order", html`<span class="settings-health"
        data-late=${String(late !== null)}>${t(`health.state.${state}`)}</span>`)}
      ${this.#fact("compared", at === null ? "–" : this.when(at))}
      ${late === null ? "" : this.#fact("late_since", this.when(late))}
      ${this.#fact("repairs", t.number(repairs))}
      ${this.#fact("sources", failing.length ? failing.map(({ source, since }) => html`<span
        class="settings-health" data-late="true"
        ><bdi translate="no">${source}</bdi> ${this.when(since)}</span>`) : t("health.sources.none"))}</div>`;
  }

  #fact(name, value) {
    const { t } = this;
    return html`<div class="set-line"><div class="set-text"><span
      class="set-label">${t(`health.${name}`)}</span>
      <span class="set-help">${t(`health.${name}.help`)}</span></div><span
        class="set-value">${value}</span></div>`;
  }
}
