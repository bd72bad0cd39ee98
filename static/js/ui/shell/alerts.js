// The count in the title and on the icon; ui/shell/notifier.js, loaded later, announces new work.

import { askToNotify } from "../../browser.js";
import { badge } from "../../core/totals.js";
import { PageModule } from "../elements/page-module.js";

export class Alerts extends PageModule {
  #badge = "";
  #early = []; // totals that came before the notifier: the first, and the latest

  /** @param {Page & { icon: HTMLLinkElement }} page */
  constructor({ icon, ...page }) {
    super(page);
    this.icon = icon;
  }

  // Whether sounds, notifications and toasts are off; the count stays.
  get quiet() { return this.data.presence.doNotDisturb; }

  // Takes new totals of all threads.
  /** @param {ViewTotals} totals */
  update(totals) {
    this.write();
    if (this.ui.notifier.part) this.ui.notifier.part.totals(totals);
    else if (this.#early.length) this.ui.notifier.preload();
    this.#early = [this.#early[0] ?? totals, totals];
    // A hidden page paints no list.
    if (document.hidden) {
      this.ui.notifier.preload();
      this.acts.unsent.preload();
    }
  }

  begin(notifier) {
    for (const totals of this.#early) notifier.totals(totals);
  }

  end() {
    this.ui.notifier.part?.clear();
    this.#draw("");
  }

  forget() {
    this.#early = [];
    this.ui.notifier.part?.disconnected();
  }

  connected() { this.ui.notifier.part?.connected(); }

  mayNotify() { return askToNotify(); }

  // If the script of the sound cannot be loaded, the count and the notification are enough.
  chime() {
    const { now } = this.net;
    const due = now();
    import("./notifier.js").then(({ chime }) => chime(due, now), () => {});
  }

  // Writes title and icon: the number of waiting threads and of unsent replies.
  write() {
    const { t } = this.ui.language;
    this.ui.notifier.part?.look();
    const waiting = this.data.prefs.notify.title ? this.data.totals.of("not_respond") : 0;
    this.#draw(badge(waiting ?? 0));
    const late = this.acts.unsent.part?.outbox.late.length;
    const place = this.ui.settings.part?.title || t(`view.${this.data.lists.list.view}`);
    const places = [late ? t("unsent.count", { count: late }) : "", place];
    document.title = `${waiting ? `(${t.number(waiting)}) ` : ""}${[
      ...places.filter(Boolean), "Lineup"].join(" · ")}`;
  }

  #draw(text) {
    if (text === this.#badge) return;
    this.#badge = text;
    this.icon.href = text ? picture(text) : this.icon.dataset.plain;
  }
}

const picture = (text) => `data:image/svg+xml,${encodeURIComponent(`<svg
  xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9"
  fill="#3b5bdb"/><text x="16" y="23" fill="#fff" text-anchor="middle" font-family="sans-serif"
  font-weight="700" font-size="${text.length > 2 ? 15 : 20}">${text}</text></svg>`)}`;
