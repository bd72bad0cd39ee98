// The page of the audit log: filters kept in the address, entries newest first, and exports.

import { html } from "lit-html";

import { fieldsOf, ownZone } from "../core/time.js";
import { fromAddress, linesOf, toAddress, toRequest } from "./audit-entries.js";
import { field, SettingsPage } from "./elements.js";

const API = "/admin/api/audit";
const CHOICES = "/admin/api/settings/choices";
const LOOK_MS = 10_000;
// Below this scroll position, new entries are not inserted by themselves.
const AT_TOP_PX = 80;

export class AuditPage extends SettingsPage {
  #filters = fromAddress(location.search);
  #choices = null; // what the filters offer
  #entries = null;
  #next = null; // the cursor of older entries
  #parts = 0;
  #newer = false;
  #asked = 0;
  #exports = false;

  get isWide() { return this.form === null; }
  async begin() {
    [this.#choices] = await Promise.all([this.http.get(CHOICES), this.#load()]);
    this.every(LOOK_MS, () => this.#look());
  }

  // Filters have their effect at once: nothing is lost with them.
  get isDirty() { return false; }

  // before: the cursor of older entries; without it the newest entries replace all.
  async #load(before = null) {
    const asked = ++this.#asked;
    const found = await this.#ask(before);
    if (asked !== this.#asked) return;
    this.#entries = before ? [...this.#entries, ...found.entries] : found.entries;
    this.#next = found.next;
    this.#parts = before ? this.#parts + 1 : 1;
    this.#newer = false;
  }

  #ask(cursor = null) {
    const asked = new URLSearchParams(Object.entries(toRequest(this.#filters)).map(([name, value]) => [name,
      String(value)]));
    if (cursor) asked.set("cursor", cursor);
    return this.http.get(`${API}?${asked}`);
  }

  // Shows new entries at once, unless somebody reads further down.
  async #look() {
    if (document.visibilityState !== "visible" || this.#newer || !this.#parts) return;
    const asked = this.#asked;
    const { entries, next } = await this.#ask();
    if (asked !== this.#asked || entries[0]?.id === this.#entries[0]?.id) return;
    const { root } = this.area;
    const list = root.querySelector(".audit-list");
    const isReading = this.#parts > 1 || root.querySelector(".area-main").scrollTop > AT_TOP_PX
      || list?.querySelector("[open]") || list?.contains(document.activeElement);
    if (isReading) this.#newer = true;
    else {
      this.#entries = entries;
      this.#next = next;
    }
    this.area.paint();
  }

  content() {
    const { t } = this;
    if (!this.#choices || !this.#entries) return html`<p class="set-help">${t("loading")}</p>`;
    return html`<p class="set-help area-about">${t("audit.about")}</p>
      ${this.#form()}
      <div class="audit-bar">${["csv", "jsonl"].map((format) => html`<button class="button" type="button"
        data-export=${format}
        ?disabled=${this.#exports} @click=${() => this.#export(format)}
        >${t(`audit.export.${format}`)}</button>`)}</div>
      <div id="newer" role="status">${this.#newer ? html`<button type="button" class="button"
        @click=${() => this.#newest()}
        >${t("audit.newer")}</button>` : ""}</div>
      ${this.#entries.length ? html`<ol class="audit-list"
        aria-label=${t("audit.entries")}>${this.#entries.map((entry) => this.#entry(entry))}</ol>
        ${this.#next ? html`<button type="button" class="button"
          @click=${() => this.run(() => this.#load(this.#next))}
          >${t("audit.older")}</button>` : ""}` : html`<p class="audit-none">${t("audit.none_found")}</p>`}`;
  }

  #form() {
    const { t } = this;
    const { actors, kinds } = this.#choices;
    const { actor, target, from, to } = this.#filters;
    return html`<form id="filters" aria-label=${t("audit.filters")} @submit=${(event) => this.#written(event)}
        @change=${(event) => this.#written(event)} @reset=${(event) => this.#reset(event)}>
      ${field(t("audit.actor"), html`<input name="actor" maxlength="254" autocomplete="off" list="actors"
        .value=${actor}>
        <datalist id="actors">${actors.map((email) => html`<option value=${email}></option>`)}</datalist>`)}
      ${field(t("audit.what"), html`<select name="action"
        .value=${this.#filters.action}>${this.#actions()}</select>`)}
      ${field(t("audit.target"), html`<input name="target" maxlength="254" autocomplete="off" list="kinds"
        .value=${target}>
        <datalist id="kinds">${kinds.map((kind) => html`<option value=${kind}></option>`)}</datalist>`)}
      ${field(t("audit.from"), html`<input name="from" type="date" .value=${from}>`)}
      ${field(t("audit.to"), html`<input name="to" type="date" .value=${to}>`)}
      <div class="audit-bar"><button class="button button-accent" type="submit">${t("audit.show")}</button>
        <button class="button" type="reset">${t("audit.reset")}</button></div></form>`;
  }

  #actions() {
    const { t } = this;
    const chosen = this.#filters.action;
    const option = (value, text) => html`<option value=${value}
      ?selected=${value === chosen}>${text}</option>`;
    return html`${option("", t("audit.action.any"))}${Object.entries(this.#choices.actions).map(([group,
      names]) => {
      const kind = t.named("audit.kind", group);
      return html`<optgroup label=${kind}>${names.length > 1 ? option(group, t("audit.action.all_of",
        { kind })) : ""}${
        names.map((name) => option(name, t.named("audit.action", name)))}</optgroup>`;
    })}`;
  }

  #entry({ id, at, action, actor, target, data }) {
    const { t, ui: { language: { words } } } = this;
    const lines = linesOf(data, t, { format: words.exact });
    return html`<li class="audit-entry" data-id=${id} data-action=${action}>
      ${this.when(at)}
      <div class="audit-what">
        <p><strong>${t.named("audit.action", action)}</strong> ${this.#target(target)}</p>
        ${lines.length ? html`<dl>${lines.map(({ name, text }) => html`<div><dt>${name}</dt>
          <dd><bdi>${text}</bdi></dd></div>`)}</dl>` : ""}
      </div>
      <div class="audit-who">${this.#who(actor)}
        <span class="audit-where">${this.#where(actor)}</span>
        ${actor.user_agent ? html`<details><summary>${t("audit.browser")}</summary>
          <bdi translate="no">${actor.user_agent}</bdi></details>` : ""}
      </div>
    </li>`;
  }

  #who({ email, name }) {
    if (!email && !name) return html`<span>${this.t("audit.nobody")}</span>`;
    return this.#filtering(name || email, { actor: email || name }, email && email !== name ? email : "");
  }

  #where({ via, address }) {
    if (via === "command") return this.t("audit.via.command", { host: address });
    return via === "provider" ? this.t("audit.via.provider") : address;
  }

  #target({ kind, id, name }) {
    const shown = name || (id === null ? "" : `${this.t.named("audit.kind", kind)} ${id}`);
    return shown ? this.#filtering(shown, { target: id === null ? name : `${kind}:${id}` }) : "";
  }

  // A name that filters the list when it is pressed.
  #filtering(shown, narrower, title = "") {
    return html`<button type="button" class="audit-name" title=${title}
      aria-label=${this.t("audit.narrow", { name: shown })}
      @click=${() => this.#choose({ ...this.#filters, ...narrower })}><bdi
        translate="no">${shown}</bdi></button>`;
  }

  #newest() {
    this.area.root.querySelector(".area-main").scrollTop = 0;
    this.run(() => this.#load());
  }

  // Each choice has an address: the browser's buttons lead back to the one before.
  #choose(filters) {
    this.#filters = filters;
    this.area.rename(toAddress(filters));
    this.area.say("");
    return this.run(() => this.#load());
  }

  #written(event) {
    const form = event.currentTarget;
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name,
      String(value).trim()]));
    this.#choose(/** @type {import("./audit-entries.js").Filters} */ (values));
  }

  #reset(event) {
    event.preventDefault();
    this.#choose(fromAddress(""));
  }

  async #export(format) {
    this.#exports = true;
    await this.run(() => this.#save(format));
    this.#exports = false;
    this.area.paint();
  }

  async #save(format) {
    const texts = [];
    let count = 0;
    /** @type {object | null} */
    let asked = { ...toRequest(this.#filters), format };
    do {
      const part = await this.http.post(`${API}/export`, asked);
      texts.push(part.text);
      count += part.entries;
      asked = part.next && { cursor: part.next };
      this.area.say(this.t("audit.exported", { count }));
    } while (asked);
    this.area.download(texts, format === "csv" ? "text/csv" : "application/jsonl",
      `lineup-audit-${fieldsOf(Date.now(), ownZone()).date}.${format}`);
  }
}
