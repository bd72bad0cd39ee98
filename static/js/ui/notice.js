// Tells of new work: the count on the icon, a sound, a notification of the desktop. One tab does.

import { badge } from "../core/notice.js";

export class NoticeTeller {
  #shown = null; // the notification that stands
  #drawn = "";

  constructor({ desk, tabs, notice, icon }) {
    Object.assign(this, { desk, tabs, notice, icon });
  }

  // Neither sound nor notification nor toast; the count stays.
  get quiet() { return this.desk.presence.doNotDisturb; }

  totals(totals) {
    const { prefs, now } = this.desk;
    this.draw();
    if (!totals.not_respond) this.#clear();
    const news = this.notice.totals(totals, prefs.notify.pages, now());
    if (!news || this.quiet || !this.tabs.leads) return;
    if (prefs.notify.sound) this.chime();
    if (prefs.notify.desktop && !this.tabs.lookedAt) this.#notify(news);
  }

  async mayNotify() {
    if (!globalThis.Notification) return false;
    return await Notification.requestPermission() === "granted";
  }

  // Where the sound cannot be brought, count and notification tell all the same.
  chime() {
    const { now } = this.desk;
    const due = now();
    import("./chime.js").then(({ chime }) => chime(due, now), () => {});
  }

  // The icon with the count of those who wait.
  draw() {
    const { prefs } = this.desk;
    const text = prefs.notify.title ? badge(this.desk.total("not_respond", "all") ?? 0) : "";
    if (text === this.#drawn) return;
    this.#drawn = text;
    if (text) this.icon.href = picture(text);
    else this.icon.href = this.icon.dataset.plain;
  }

  #notify({ page, count }) {
    if (globalThis.Notification?.permission !== "granted") return;
    const { t } = this.desk;
    const told = new Notification(t("notify.news"), {
      body: `${t(`page.${page}`)}: ${t("header.total", { count })}`,
      tag: "lineup",
      icon: this.icon.dataset.plain,
    });
    told.onclick = () => {
      window.focus();
      this.desk.goPage(page);
      told.close();
    };
    this.#shown = told;
  }

  // Nobody waits any more: somebody took care of it.
  #clear() {
    this.#shown?.close();
    this.#shown = null;
  }
}

const picture = (text) => `data:image/svg+xml,${encodeURIComponent(`<svg
  xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9"
  fill="#3b5bdb"/><text x="16" y="23" fill="#fff" text-anchor="middle" font-family="sans-serif"
  font-weight="700" font-size="${text.length > 2 ? 15 : 20}">${text}</text></svg>`)}`;
