// Where canned replies are written, changed and thrown away.

import { html } from "lit-html";

import { refusalOf } from "./refusal.js";

const EMPTY = { id: null, shortcut: "", body: "" };

export class CannedDialog {
  #edited = null;
  #problem = "";

  constructor({ desk }) {
    this.desk = desk;
  }

  async open() {
    const { dialog, canned, language } = this.desk;
    this.#edit(null);
    dialog.open(() => language.t("canned.title"), () => this.#content());
    await canned.load({ anew: true });
    dialog.paint();
  }

  #edit(one) {
    this.#edited = one;
    this.#problem = "";
    this.desk.dialog.paint();
  }

  #content() {
    const { t, canned } = this.desk;
    if (this.#edited) return this.#form(this.#edited);
    return html`<p class="help-note">${t("canned.about")}</p>
      <ul class="canned-list">${canned.list.map((one) => html`<li class="canned-item">
        <b>/${one.shortcut}</b><span class="canned-body" dir="auto">${one.body}</span>
        <button type="button" class="button" @click=${() => this.#edit(one)}
          aria-label="${t("canned.edit")} /${one.shortcut}">${t("canned.edit")}</button>
        <button type="button" class="button" @click=${() => this.#drop(one)}
          aria-label="${t("canned.delete")} /${one.shortcut}"
          >${t("canned.delete")}</button></li>`)}</ul>
      ${canned.list.length ? "" : html`<p>${t("canned.none")}</p>`}
      ${this.#said()}
      <button type="button" class="button button-accent" @click=${() => this.#edit(EMPTY)}
        >${t("canned.new")}</button>`;
  }

  #form({ shortcut, body }) {
    const { t } = this.desk;
    return html`<form class="form" @submit=${(event) => this.#submit(event)}>
      <label>${t("canned.shortcut")}<input name="shortcut" required maxlength="32"
        pattern="[a-z0-9\\-]+"
        autocomplete="off" autocapitalize="off" .value=${shortcut}></label>
      <label>${t("canned.body")}<textarea name="body" required rows="5" maxlength="20000" dir="auto"
        .value=${body}></textarea></label>
      <p class="help-note">${t("canned.placeholders")}
        <code>{{customer.name}}</code> <code>{{admin.name}}</code> <code>{{thread.id}}</code></p>
      ${this.#said()}
      <div class="form-acts"><button type="button" class="button" @click=${() => this.#edit(null)}
          >${t("cancel")}</button>
        <button type="submit" class="button button-accent">${t("save")}</button></div></form>`;
  }

  #said() {
    return html`<p class="form-problem" role="alert">${this.#problem}</p>`;
  }

  #submit(event) {
    event.preventDefault();
    const { shortcut, body } = event.target.elements;
    const { id } = this.#edited;
    this.#edited = { id, shortcut: shortcut.value, body: body.value };
    return this.#try(() => this.desk.api.saveCanned(this.#edited));
  }

  #drop({ id }) { return this.#try(() => this.desk.api.dropCanned(id)); }

  async #try(run) {
    const { desk } = this;
    try {
      await run();
      await desk.canned.load({ anew: true });
      this.#edit(null);
    } catch (error) {
      this.#problem = refusalOf(error, desk.t);
      desk.dialog.paint();
    }
  }
}
