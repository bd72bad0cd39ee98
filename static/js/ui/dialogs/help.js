// The dialog of keyboard shortcuts, and what changes an admin's settings: for commands and the pages of settings.

import { html } from "lit-html";

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

// With the switch for single-letter keys.
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
    const first = () => {
      dialog.close();
      this.ui.firstSteps.open({ again: true });
    };
    const keys = () => content(language.t, keymap, switched, first);
    dialog.open(() => language.t("help.title"), keys);
  }
}

// All keys with what they do.
/** @param {Translate} t @param {Ui["keymap"]} keymap */
export function keyList(t, { help }) {
  const texts = [...new Set(help.map(([, name]) => name))];
  return html`<dl class="help-keys">${texts.map((name) => html`<div class="help-key">
      <dt>${help.filter(([, other]) => other === name).flatMap(([keys]) => keys).map(chord)}</dt>
      <dd>${t(keyText(name))}</dd></div>`)}</dl>`;
}

// The keys of a place have the place's name.
const keyText = (name) => (name.startsWith("view:") ? name.replace(":", ".") : `key.${name}`);

function content(t, keymap, switched, first) {
  const { lettersOn } = keymap;
  return html`${keyList(t, keymap)}
    <label class="choice"><input type="checkbox" .checked=${lettersOn} @change=${switched}
      ><span>${t("keys")}</span></label>
    <p class="help-note">${t("help.note")}</p>
    <p class="help-note"><a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a> ·
      <button type="button" class="button" @click=${first}>${t("first.title")}</button></p>`;
}

export const chord = (keys) => html`<span class="chord"
  >${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
