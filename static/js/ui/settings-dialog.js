// What an admin can set, in the dialog.

import { html } from "lit-html";

import { languageName, LOCALES } from "../core/i18n.js";
import { DENSITIES, FOLLOW, SEND_KEYS } from "../core/prefs.js";
import { PAGES } from "../core/route.js";
import { THEMES } from "./theme.js";

export class SettingsDialog {
  constructor({ desk }) {
    this.desk = desk;
  }

  open() {
    const { dialog, language } = this.desk;
    dialog.open(() => language.t("settings"), () => this.#content());
  }

  #content() {
    const { t, admin, theme, language, density, settings, prefs, keymap } = this.desk;
    return html`<div class="settings">
      ${this.#choice("theme", THEMES, theme.name, (name) => settings.theme(name))}
      ${this.#select(t("language"), LOCALES.map((name) => [name, languageName(name)]),
        language.locale, (name) => settings.language(name))}
      ${this.#choice("density", DENSITIES, prefs.kept.density, (name) => density.choose(name))}
      ${this.#choice("follow", FOLLOW, prefs.kept.follow, (follow) => settings.change({ follow }))}
      ${this.#choice("send_key", SEND_KEYS, prefs.kept.send_key,
        (key) => settings.change({ send_key: key }))}
      ${this.#switch(t("keys"), keymap.lettersOn, (on) => settings.keys(on))}
      ${this.#notify(prefs.notify)}
      <div class="form-acts">
        <span class="settings-who"><bdi>${admin.name}</bdi> · ${admin.email}</span>
        <button type="button" class="button" @click=${() => this.desk.cannedDialog.open()}
          >${t("canned.title")}</button>
        ${admin.role === "supervisor"
          ? html`<a class="button" href="/webhooks">${t("webhooks")}</a>` : ""}
        <button type="button" class="button"
          @click=${() => settings.signOut()}>${t("sign_out")}</button></div>
    </div>`;
  }

  #notify(notify) {
    const { t, settings, notice } = this.desk;
    const change = (changes) => settings.notify({ ...notify, ...changes });
    const has = (name) => notify.pages.includes(name);
    const page = (name) => this.#switch(t(`page.${name}`), has(name), (on) => change({
      pages: PAGES.filter((other) => (other === name ? on : has(other))),
    }));
    return html`<fieldset class="settings-group"><legend>${t("notify")}</legend>
        ${notice.quiet ? html`<p class="panel-note">${t("notify.quiet")}</p>` : ""}
        ${this.#switch(t("notify.title"), notify.title, (on) => change({ title: on }))}
        ${this.#switch(t("notify.sound"), notify.sound, (on) => change({ sound: on }))}
        ${this.#switch(t("notify.desktop"), notify.desktop, (on) => change({ desktop: on }))}
      </fieldset>
      <fieldset class="settings-group"><legend>${t("notify.pages")}</legend>
        ${PAGES.map(page)}</fieldset>`;
  }

  // kind: the family of the texts
  #choice(kind, names, current, run) {
    const { t } = this.desk;
    return this.#select(t(kind), names.map((name) => [name, t(`${kind}.${name}`)]), current, run);
  }

  #select(label, options, current, run) {
    return html`<label class="setting"><span>${label}</span>
      <select @change=${(event) => this.#changed(() => run(event.target.value))}>
        ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === current}
          >${text}</option>`)}</select></label>`;
  }

  #switch(label, on, run) {
    return html`<label class="choice"><input type="checkbox" .checked=${on}
      @change=${(event) => this.#changed(() => run(event.target.checked))}
      ><span>${label}</span></label>`;
  }

  async #changed(run) {
    await run();
    this.desk.dialog.paint();
  }
}
