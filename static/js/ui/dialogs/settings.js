// The dialog of an admin's settings.

import { html } from "lit-html";

import { languageName, LOCALES } from "../../core/i18n.js";
import { shown } from "../../core/names.js";
import { DENSITIES, FOLLOW, SEND_KEYS, THEMES } from "../../core/prefs.js";
import { AWAKE } from "../../core/query/sorts.js";
import { lacking } from "../elements/lacking.js";
import { PageModule } from "../elements/page-module.js";

// Presence: settings of what colleagues may see, named as in `presence:set`.
const SHOWN = ["show_typing", "show_last_seen"];

export class SettingsDialog extends PageModule {
  #presence = null;
  #health = null;

  /** @param {Page & { settings: Settings }} page */
  constructor({ settings, ...page }) {
    super(page);
    this.settings = settings;
  }

  get #views() { return this.data.choices.views.filter((view) => AWAKE.has(view)); }

  open() {
    const { dialog, language } = this.ui;
    dialog.open(() => language.t("settings"), () => this.#content());
    this.#setPresence({});
    if (this.data.admin.role === "supervisor") this.#loadHealth();
  }

  async #loadHealth() {
    this.#health = await this.net.api.health().catch(() => null);
    this.ui.dialog.paint();
  }

  // Returns whether the order is known to be right, as a text.
  #order() {
    const { language: { t, words } } = this.ui;
    if (!this.#health) return "";
    const { late_since: late, compared_at: at, repairs: count } = this.#health;
    // The order was not compared yet: the server has just started.
    if (late === null && at === null) return "";
    const time = words.moment(late ?? at, this.net.now());
    const state = t(late === null ? "health.equal" : "health.late", { time });
    return html`<p class="settings-health" data-late=${String(late !== null)}>${state}${
      count ? ` ${t("health.repairs", { count })}` : ""}</p>`;
  }

  // Without changes, reads the settings.
  async #setPresence(changes) {
    try {
      this.#presence = (await this.net.call("presence:set", changes)).settings;
    } catch {
      if (Object.keys(changes).length) this.ui.toasts.show(this.ui.language.t("presence.not_set"));
    }
    this.ui.dialog.paint();
  }

  // Returns nothing while presence is away, because the settings are unknown.
  #seen() {
    const { t } = this.ui.language;
    const set = this.#presence;
    return set ? html`<fieldset class="settings-group"><legend>${t("seen_by_others")}</legend>
      ${SHOWN.map((name) => this.#switch(t(`own.${name}`), set[name],
        (on) => this.#setPresence({ [name]: on })))}</fieldset>` : "";
  }

  #content() {
    const { data: { admin, prefs }, ui: { theme, language, density, keymap }, settings } = this;
    const { t } = language;
    return html`<div class="settings">
      ${this.#choice("theme", THEMES, theme.name, (name) => settings.setTheme(name))}
      ${this.#select(t("language"), LOCALES.map((name) => [name, languageName(name)]),
        language.locale, (name) => settings.setLanguage(name))}
      ${this.#choice("density", DENSITIES, prefs.kept.density, (name) => density.choose(name))}
      ${this.#choice("follow", FOLLOW, prefs.kept.follow, (follow) => settings.change({ follow }))}
      ${this.#choice("send_key", SEND_KEYS, prefs.kept.send_key,
        (key) => settings.change({ send_key: key }))}
      ${this.#switch(t("keys"), keymap.lettersOn, (on) => settings.setKeys(on))}
      ${this.#notify(prefs.notify)}
      ${lacking().map((name) => html`<p class="panel-note">${t(`lacking.${name}`)}</p>`)}
      ${this.#seen()}
      ${this.#order()}
      <div class="form-acts">
        <span class="settings-who"><bdi translate="no">${shown(admin.name)}</bdi> · ${admin.email}</span>
        <a class="button" href="/profile">${t("profile")}</a>
        <button type="button" class="button" @click=${() => this.ui.cannedDialog.open()}
          >${t("canned.title")}</button>
        ${admin.role === "supervisor" ? this.#ofSupervisors() : ""}
        <button type="button" class="button"
          @click=${() => settings.signOut()}>${t("sign_out")}</button></div>
    </div>`;
  }

  #ofSupervisors() {
    const { t } = this.ui.language;
    return html`<button type="button" class="button settings-hours"
        @click=${() => this.ui.calendarsDialog.open()}>${t("hours.title")}</button>
      <button type="button" class="button settings-policies"
        @click=${() => this.ui.policiesDialog.open()}>${t("policies.title")}</button>
      <a class="button" href="/team">${t("accounts")}</a>
      <a class="button" href="/keys">${t("keys.api")}</a>
      <a class="button" href="/webhooks">${t("webhooks")}</a>`;
  }

  #notify(notify) {
    const { data: { prefs: { kept } }, ui: { language: { t } }, settings } = this;
    const change = (changes) => settings.setNotify({ ...notify, ...changes });
    const has = (name) => notify.views.includes(name);
    const view = (name) => this.#switch(t(`view.${name}`), has(name), (on) => change({
      views: this.#views.filter((other) => (other === name ? on : has(other))),
    }));
    return html`<fieldset class="settings-group"><legend>${t("notify")}</legend>
        ${this.ui.alerts.quiet ? html`<p class="panel-note">${t("notify.quiet")}</p>` : ""}
        ${this.#switch(t("notify.title"), notify.title, (on) => change({ title: on }))}
        ${this.#switch(t("notify.sound"), notify.sound, (on) => change({ sound: on }))}
        ${this.#switch(t("notify.desktop"), notify.desktop, (on) => change({ desktop: on }))}
        ${this.#switch(t("notify.text"), kept.notify_text,
          (on) => settings.change({ notify_text: on }))}
        ${this.#switch(t("notify.own.switch"), kept.notify_own,
          (on) => settings.change({ notify_own: on }))}
      </fieldset>
      <fieldset class="settings-group"><legend>${t("notify.views")}</legend>
        ${this.#views.map(view)}</fieldset>`;
  }

  // kind: the prefix of the texts
  #choice(kind, names, current, run) {
    const { t } = this.ui.language;
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
    this.ui.dialog.paint();
  }
}

// Changes an admin's settings, which are stored on the server.
export class Settings extends PageModule {
  change(changes) {
    this.data.prefs.change(changes);
    this.ui.painter.askAll();
  }

  /** @param {string} name */
  setTheme(name) {
    this.ui.theme.choose(name);
    this.change({ theme: name });
  }

  /** @param {string} locale */
  async setLanguage(locale) {
    try {
      await this.ui.language.choose(locale);
    } catch {
      this.ui.toasts.show(this.ui.language.t("error.network"));
      return;
    }
    this.change({ locale });
    this.ui.alerts.write();
  }

  /** @param {boolean} on */
  setKeys(on) {
    this.ui.keymap.lettersOn = on;
    this.change({ single_keys: on });
  }

  // Must be called within a click: browsers ask for the permission to notify only then.
  async setNotify(notify) {
    if (notify.desktop && !await this.ui.alerts.mayNotify()) {
      const why = lacking().includes("https") ? "lacking.https" : "notify.refused";
      this.ui.toasts.show(this.ui.language.t(why));
      this.change({ notify: { ...notify, desktop: false } });
      return;
    }
    this.change({ notify });
    if (notify.sound) this.ui.alerts.chime();
    this.ui.alerts.write();
  }

  async signOut() {
    try {
      await this.net.api.signOut();
    } catch (error) {
      if (error.status === 0) {
        this.ui.toasts.show(this.ui.language.t("error.network"));
        return;
      }
    }
    this.net.connectionState.end("session");
    location.replace(this.data.signedOutAt);
  }
}

// The dialog of keyboard shortcuts, with the switch for single-letter keys.
export class HelpDialog extends PageModule {
  /** @param {Page & { settings: Settings }} page */
  constructor({ settings, ...page }) {
    super(page);
    this.settings = settings;
  }

  open() {
    const { ui: { dialog, language, keymap }, settings } = this;
    const switched = () => {
      settings.setKeys(!keymap.lettersOn);
      dialog.paint();
    };
    const keys = () => content(language.t, keymap, switched);
    dialog.open(() => language.t("help.title"), keys);
  }
}

function content(t, { help, lettersOn }, switched) {
  const texts = [...new Set(help.map(([, name]) => name))];
  return html`<dl class="help-keys">${texts.map((name) => html`<div class="help-key">
      <dt>${help.filter(([, other]) => other === name).flatMap(([keys]) => keys).map(chord)}</dt>
      <dd>${t(keyText(name))}</dd></div>`)}</dl>
    <label class="choice"><input type="checkbox" .checked=${lettersOn} @change=${switched}
      ><span>${t("keys")}</span></label>
    <p class="help-note">${t("help.note")}</p>
    <p class="help-note"><a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a></p>`;
}

// The keys of a place have the place's name.
const keyText = (name) => (name.startsWith("view:") ? name.replace(":", ".") : `key.${name}`);

export const chord = (keys) => html`<span class="chord"
  >${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
