// The dialog of keyboard shortcuts, and what changes an admin's settings: for commands and the pages of settings.

import { html } from "lit-html";

import { HELP_GROUPS } from "../../core/keymap.js";
import { lacking } from "../elements/lacking.js";
import { PageModule } from "../elements/page-module.js";

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

// In groups, with the switch for single-letter keys.
export class HelpDialog extends PageModule {
  /** @param {Page & { settings: Settings }} page */
  constructor({ settings, ...page }) {
    super(page);
    this.settings = settings;
  }

  open() {
    const { dialog, language } = this.ui;
    dialog.open(() => language.t("help.title"), () => this.#content());
  }

  #content() {
    const { keymap, language: { t } } = this.ui;
    return html`${keyList(t, keymap)}
      <label class="choice"><input type="checkbox" .checked=${keymap.lettersOn} @change=${() => this.#switch()}
        ><span>${t("keys")}</span></label>
      <p class="help-note">${t("help.note")}</p>
      <p class="help-note"><a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a> ·
        <button type="button" class="button" @click=${() => this.#first()}>${t("first.title")}</button></p>`;
  }

  #first() {
    this.ui.dialog.close();
    this.ui.firstSteps.open({ again: true });
  }

  #switch() {
    this.settings.setKeys(!this.ui.keymap.lettersOn);
    this.ui.dialog.paint();
  }
}

// All keys with what they do, in groups.
/** @param {Translate} t @param {Ui["keymap"]} keymap */
export const keyList = (t, keymap) => html`<div class="help-keys">${
  HELP_GROUPS.map((group) => keyGroup(group, t, keymap))}</div>`;

function keyGroup(group, t, keymap) {
  const help = keymap.helpOf(group);
  const verbs = [...new Set(help.map(([, verb]) => verb))];
  return html`<section class="help-group"><h3>${t(`help.${group}`)}</h3><dl>${verbs.map((verb) => html`
    <div class="help-key"><dt>${
      help.filter(([, other]) => other === verb).flatMap(([keys]) => keys).map(chord)}</dt>
      <dd>${textOf(verb, t)}</dd></div>`)}</dl></section>`;
}

// Places and sorts are called as everywhere on the page.
/** @param {string} verb @param {Translate} t */
export function textOf(verb, t) {
  const [kind, name] = verb.split(":");
  if (kind === "view") return t(`view.${name}`);
  return kind === "sort" ? `${t("sort")}: ${t(`sort.${name}`)}` : t(`key.${verb}`);
}

export const chord = (keys) => html`<span class="chord"
  >${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
