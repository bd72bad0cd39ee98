// The choices of an admin: each is kept on the server.

export class Settings {
  constructor(desk) {
    this.desk = desk;
    this.desk.keymap.lettersOn = desk.prefs.kept.single_keys;
  }

  change(changes) {
    this.desk.prefs.change(changes);
    this.desk.painter.askAll();
  }

  theme(name) {
    this.desk.theme.choose(name);
    this.change({ theme: name });
  }

  async language(locale) {
    try {
      await this.desk.language.choose(locale);
    } catch {
      this.desk.toasts.show(this.desk.t("error.network"));
      return;
    }
    this.change({ locale });
    this.desk.title();
  }

  keys(on) {
    this.desk.keymap.lettersOn = on;
    this.change({ single_keys: on });
  }

  // Asking for leave to notify needs the press that this is called from.
  async notify(notify) {
    if (notify.desktop && !await this.desk.notice.mayNotify()) {
      this.desk.toasts.show(this.desk.t("notify.refused"));
      this.change({ notify: { ...notify, desktop: false } });
      return;
    }
    this.change({ notify });
    if (notify.sound) this.desk.notice.chime();
    this.desk.title();
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
}
