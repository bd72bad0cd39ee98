// The choices in the settings menu: each is kept on the server, but for the keys' switch.

const KEYS_OFF = "lineup:keys-off";

export class Settings {
  constructor(desk) {
    this.desk = desk;
    this.desk.keymap.lettersOn = this.#storage()?.getItem(KEYS_OFF) !== "1";
  }

  theme(name) {
    this.desk.theme.choose(name);
    this.desk.prefs.change({ theme: name });
    this.desk.ask("nav");
  }

  async language(locale) {
    try {
      await this.desk.language.choose(locale);
    } catch {
      this.desk.toasts.show(this.desk.t("error.network"));
      return;
    }
    this.desk.prefs.change({ locale });
    this.desk.title();
    this.desk.painter.askAll();
  }

  // Of the keyboard at hand, not of the person: kept in this browser.
  keys(on) {
    this.desk.keymap.lettersOn = on;
    this.#storage()?.setItem(KEYS_OFF, on ? "0" : "1");
    this.desk.ask("nav");
  }

  async signOut() {
    try {
      await this.desk.api.signOut();
    } catch (error) {
      if (error.status === 0) {
        this.desk.toasts.show(this.desk.t("error.network"));
        return;
      }
    }
    location.assign("/login");
  }

  #storage() {
    try {
      return window.localStorage;
    } catch {
      return null;
    }
  }
}
