// Changes an admin's settings; they are kept on the server.

import { lacking } from "../elements/lacking.js";

export class Settings {
  /** @param {SettingsParts} parts */
  constructor({ prefs, theme, keymap, alerts, api, painter, toasts, language, signedOut, signedOutAt }) {
    this.prefs = prefs;
    this.theme = theme;
    this.keymap = keymap;
    this.alerts = alerts;
    this.api = api;
    this.painter = painter;
    this.toasts = toasts;
    this.language = language;
    this.signedOut = signedOut;
    this.signedOutAt = signedOutAt; // where signing out leads
  }

  change(changes) {
    this.prefs.change(changes);
    this.painter.askAll();
  }

  /** @param {string} name */
  setTheme(name) {
    this.theme.choose(name);
    this.change({ theme: name });
  }

  /** @param {string} locale */
  async setLanguage(locale) {
    try {
      await this.language.choose(locale);
    } catch {
      this.toasts.show(this.language.t("error.network"));
      return;
    }
    this.change({ locale });
    this.alerts.write();
  }

  /** @param {boolean} on */
  setKeys(on) {
    this.keymap.lettersOn = on;
    this.change({ single_keys: on });
  }

  // Browsers ask for permission to notify only within the click that this is called from.
  async setNotify(notify) {
    if (notify.desktop && !await this.alerts.mayNotify()) {
      const why = lacking().includes("https") ? "lacking.https" : "notify.refused";
      this.toasts.show(this.language.t(why));
      this.change({ notify: { ...notify, desktop: false } });
      return;
    }
    this.change({ notify });
    if (notify.sound) this.alerts.chime();
    this.alerts.write();
  }

  async signOut() {
    try {
      await this.api.signOut();
    } catch (error) {
      if (error.status === 0) {
        this.toasts.show(this.language.t("error.network"));
        return;
      }
    }
    this.signedOut();
    location.replace(this.signedOutAt);
  }
}
