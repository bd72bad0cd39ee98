// The pages of canned replies, which all admins share, of tags, and of desks.

import { html } from "lit-html";

import { shown } from "../core/names.js";
import { field, formActs, given, rowMenu, SettingsPage, table } from "./elements.js";

const CANNED = "/admin/api/canned";

export class CannedPage extends SettingsPage {
  #list = null;

  get action() { return { text: this.t("canned.new"), run: () => this.#edit({ id: undefined, shortcut: "",
    body: "" }) }; }

  begin() { return this.#load(); }

  // The composer keeps the replies, too: they are read again for both.
  async #load() {
    const pane = await this.ui.threadPane.get();
    this.#list = await pane.canned.load({ always: true });
  }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("canned.about")}</p>
      ${this.#list?.length ? table({
        className: "canned-replies", label: t("settings.canned"), actions: t("settings.acts"),
        columns: [t("canned.shortcut.short"), t("canned.body")],
          rows: this.#list.map((one) => this.#row(one)),
      }) : this.#list ? html`<p>${t("canned.none")}</p>` : html`<p class="set-help"
        role="status">${t("loading")}</p>`}`;
  }

  #row(one) {
    const { t } = this;
    return html`<tr class="canned-item" data-id=${one.id}>
      <td><button type="button" class="set-open canned-edit"
        @click=${() => this.#edit(one)}><b>/${one.shortcut}</b></button></td>
      <td><span class="canned-body" dir="auto">${one.body}</span></td>
      <td>${rowMenu({
        id: `canned-menu-${one.id}`, label: `${t("settings.acts")}: /${one.shortcut}`,
        items: [
          { text: t("canned.edit"), run: () => this.#edit(one) },
          { text: t("canned.delete"), isRed: true, run: () => this.#drop(one) },
        ],
      })}</td></tr>`;
  }

  #edit({ id, shortcut, body }) {
    const { t, data: { limits } } = this;
    this.openForm({
      title: id ? t("canned.edit.of", { shortcut }) : t("canned.new"),
      content: () => html`<form class="set-form" @submit=${(event) => this.#save(event, id)}>
        ${field(t("canned.shortcut"), html`<input name="shortcut" required
          maxlength=${limits.shortcut_characters}
          pattern="[a-z0-9\\-]+" autocomplete="off" autocapitalize="off" value=${shortcut}>`)}
        ${field(t("canned.body"), html`<textarea name="body" required rows="5" dir="auto"
          maxlength=${limits.message_characters}
          .defaultValue=${body}></textarea>`, html`${t("canned.placeholders")}
          <code>{{customer.name}}</code> <code>{{admin.name}}</code> <code>{{thread.id}}</code>`)}
        ${formActs({ save: t("save"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #save(event, id) {
    const values = given(event);
    return this.send(async () => {
      const canned = { shortcut: values.get("shortcut"), body: values.get("body") };
      await (id ? this.http.put(`${CANNED}/${id}`, canned) : this.http.post(CANNED, canned));
      this.closeForm();
      this.area.say("");
      await this.#load();
    });
  }

  async #drop({ id, shortcut }) {
    const { t } = this;
    const title = t("canned.delete.title", { shortcut });
    if (!await this.sure({ title, text: t("canned.delete.text"), yes: t("canned.delete") })) return;
    await this.run(async () => {
      await this.http.delete(`${CANNED}/${id}`);
      await this.#load();
    });
  }
}

// The tags that are in use; each opens the list of its threads.
export class TagsPage extends SettingsPage {
  #found = null;

  async begin() { this.#found = await this.net.api.tags(); }

  content() {
    const { t } = this;
    if (!this.#found) return html`<p class="set-help" role="status">${t("loading")}</p>`;
    const { tags, counted } = this.#found;
    return html`<p class="set-help">${t("settings.tags.about", { count: counted })}</p>
      ${tags.length ? table({
        className: "tags", label: t("settings.tags"), actions: t("settings.acts"),
          columns: [t("settings.tag"), t("settings.threads")],
        rows: tags.map(({ tag, threads }) => this.#row(tag, threads)),
      }) : html`<p>${t("settings.tags.none")}</p>`}`;
  }

  #row(tag, threads) {
    const { t } = this;
    return html`<tr data-tag=${tag}><td><bdi translate="no"
      class="tag">${shown(tag)}</bdi></td><td data-label=${t("settings.threads")}>${t.number(threads)}</td>
      <td><button type="button" class="button set-more" aria-label=${`${t("settings.tags.open")}: ${tag}`}
        @click=${() => this.acts.navigation.openQuery(`tag:${JSON.stringify(tag)}`)}
        >${t("settings.tags.open")}</button></td></tr>`;
  }
}

// "Night shift" becomes "night-shift".
const nameOfDesk = (text) => text.toLowerCase().replace(/\s+/g, "-");

export class DesksPage extends SettingsPage {
  #desks = null;

  get action() { return { text: this.t("settings.desks.new"), run: () => this.#new() }; }

  begin() { return this.#load(); }

  async #load() { this.#desks = (await this.net.api.desks()).desks; }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("settings.desks.about")}</p>
      ${this.#desks ? table({
        className: "desks", label: t("settings.desks"),
        columns: [t("settings.desk"), t("settings.desks.sources"), t("settings.desks.accounts")],
        rows: this.#desks.map(({ name, sources, accounts }) => html`<tr data-desk=${name}>
          <td><span class="set-name"><bdi translate="no">${name}</bdi></span></td>
          <td data-label=${t("settings.desks.sources")}><bdi translate="no">${sources.join(", ") || "–"}</bdi></td>
          <td data-label=${t("settings.desks.accounts")}>${t.number(accounts)}</td></tr>`),
      }) : html`<p class="set-help" role="status">${t("loading")}</p>`}`;
  }

  #new() {
    const { t } = this;
    this.openForm({
      title: t("settings.desks.new"),
      content: () => html`<form class="set-form" id="new" @submit=${(event) => this.#create(event)}>
        ${field(t("settings.desks.name"), html`<input name="name" required pattern="[a-z0-9\\-]{1,32}"
          maxlength="32" @change=${({ target }) => { target.value = nameOfDesk(target.value); }}
          autocomplete="off" autocapitalize="off">`, t("settings.desks.name.help"))}
        ${formActs({ save: t("settings.desks.create"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #create(event) {
    const name = String(given(event).get("name"));
    return this.send(async () => {
      await this.http.post("/admin/api/desks", { name });
      this.closeForm();
      await this.#load();
      this.area.say(this.t("settings.desks.created", { name }));
    });
  }
}
