// The dialog that creates, edits and deletes canned replies.

import { html } from "lit-html";

import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

const EMPTY = { id: null, shortcut: "", body: "" };

export class CannedDialog extends PageModule {
  #list = [];
  #edited = null;
  #problem = "";

  // loadCanned() fetches the replies again and resolves to them.
  /** @param {Page & { loadCanned: () => Promise<CannedReply[]> }} page */
  constructor({ loadCanned, ...page }) {
    super(page);
    this.loadCanned = loadCanned;
  }

  async open() {
    this.#edit(null);
    this.ui.dialog.open(() => this.ui.language.t("canned.title"), () => this.#content());
    this.#list = await this.loadCanned();
    this.ui.dialog.paint();
  }

  #edit(one) {
    this.#edited = one;
    this.#problem = "";
    this.ui.dialog.paint();
  }

  #content() {
    const { t } = this.ui.language;
    if (this.#edited) return this.#form(this.#edited);
    return html`<p class="help-note">${t("canned.about")}</p>
      <ul class="canned-list">${this.#list.map((one) => html`<li class="canned-item">
        <b>/${one.shortcut}</b><span class="canned-body" dir="auto">${one.body}</span>
        <button type="button" class="button" @click=${() => this.#edit(one)}
          aria-label="${t("canned.edit")} /${one.shortcut}">${t("canned.edit")}</button>
        <button type="button" class="button" @click=${() => this.#drop(one)}
          aria-label="${t("canned.delete")} /${one.shortcut}"
          >${t("canned.delete")}</button></li>`)}</ul>
      ${this.#list.length ? "" : html`<p>${t("canned.none")}</p>`}
      ${this.#problemText()}
      <button type="button" class="button button-accent" @click=${() => this.#edit(EMPTY)}
        >${t("canned.new")}</button>`;
  }

  #form({ shortcut, body }) {
    const { t } = this.ui.language;
    return html`<form class="form" @submit=${(event) => this.#submit(event)}>
      <label>${t("canned.shortcut")}<input name="shortcut" required
        maxlength=${this.data.limits.shortcut_characters}
        pattern="[a-z0-9\\-]+"
        autocomplete="off" autocapitalize="off" .value=${shortcut}></label>
      <label>${t("canned.body")}<textarea name="body" required rows="5" dir="auto"
        maxlength=${this.data.limits.message_characters}
        .value=${body}></textarea></label>
      <p class="help-note">${t("canned.placeholders")}
        <code>{{customer.name}}</code> <code>{{admin.name}}</code> <code>{{thread.id}}</code></p>
      ${this.#problemText()}
      <div class="form-acts"><button type="button" class="button" @click=${() => this.#edit(null)}
          >${t("cancel")}</button>
        <button type="submit" class="button button-accent">${t("save")}</button></div></form>`;
  }

  #problemText() {
    return html`<p class="form-problem" role="alert">${this.#problem}</p>`;
  }

  #submit(event) {
    event.preventDefault();
    const { shortcut, body } = event.target.elements;
    const { id } = this.#edited;
    this.#edited = { id, shortcut: shortcut.value, body: body.value };
    return this.#try(() => this.net.api.saveCanned(this.#edited));
  }

  #drop({ id }) { return this.#try(() => this.net.api.dropCanned(id)); }

  async #try(run) {
    try {
      await run();
      this.#list = await this.loadCanned();
      this.#edit(null);
    } catch (error) {
      this.#problem = refusalOf(error, this.ui.language.t);
      this.ui.dialog.paint();
    }
  }
}
