// Tells an admin of new work and of what is theirs: a sound, and a notification while no window of theirs
// is looked at. Both come from one tab only, together for all that came at about the same time. Notices of
// one's own threads and mentions are shown in the window that is looked at, too.

import { notification, notificationPermission } from "../../browser.js";
import { Growth, Heard, Pace } from "../../core/notice.js";
import { listKey } from "../../core/route.js";
import { nameOf } from "../elements/avatar.js";
import { entryOf, saying, toastText } from "./words.js";

const HEAD = 10; // of a list that grew
const GATHER_MS = 300; // notices that come this soon after each other are shown together
const TOASTS = 3; // of more threads, one toast says how many
const SHOWN_MS = 12_000;
const SILENT_MS = 60_000; // a connection may have been lost so long before that is known

export class Notifier {
  #growth = new Growth();
  #heard = new Heard();
  #pace = new Pace();
  #entries = new Map(); // thread → {id, name, text, at} since a window was looked at
  #grown = new Map(); // view → how many threads more
  #timer = null;
  #shown = null; // the notification on screen
  #came = new Map(); // thread → the notice that is to be shown in the page
  #showTimer = null;
  #lostAt = null; // when the connection was lost

  /** @param {NotifierParts} parts */
  constructor(parts) {
    this.parts = parts;
    addEventListener("focus", () => this.clear());
  }

  // New totals of all threads came.
  /** @param {ViewTotals} totals */
  totals(totals) {
    if (!totals.not_respond) this.clear();
    const grown = this.#growth.of(totals, this.parts.prefs.notify.views);
    if (!grown.length) return;
    for (const [view, count] of grown) this.#grown.set(view, (this.#grown.get(view) ?? 0) + count);
    this.#tellSoon();
  }

  // What happened while the connection was lost is told once, in short.
  async connected() {
    const { call } = this.parts;
    this.look();
    if (this.#lostAt === null) return;
    const since = Math.max(0, Math.round(this.#lostAt - SILENT_MS));
    const answer = await call("notices:since", { since }).catch(() => null);
    if (!answer) return; // the next connection asks again, from the same time on
    this.#lostAt = null;
    for (const notice of answer.notices) this.notice(notice);
  }

  disconnected() {
    this.#growth.forget();
    this.#lostAt ??= this.parts.now();
  }

  // Another thread is open: other windows know.
  look() { this.parts.tabs().tell(); }

  // Something concerns this admin: a customer wrote, a thread was handed over, a note mentions them.
  /** @param {Notice} notice */
  notice(notice) {
    const { prefs, quiet, tabs, language: { t } } = this.parts;
    if (!this.#heard.isNew(notice) || quiet()) return;
    if (notice.kind === "message" && !prefs.kept.notify_own) return;
    if (tabs().isThreadLookedAt(notice.thread_id)) return;
    this.#entries.set(notice.thread_id, entryOf(notice, t));
    if (tabs().isLookedAt() || (tabs().leads && !tabs().anyLookedAt)) {
      this.#came.set(notice.thread_id, notice);
      this.#showTimer ??= setTimeout(() => this.#show(), GATHER_MS);
    }
    this.#tellSoon();
  }

  // Somebody looks at a window, or no thread waits any more.
  clear() {
    this.#entries.clear();
    this.#shown?.close();
    this.#shown = null;
  }

  #show() {
    const { toasts, open, goView, goOwn, announce, language: { t } } = this.parts;
    const came = [...this.#came.values()];
    this.#came.clear();
    this.#showTimer = null;
    if (came.length <= TOASTS) {
      for (const notice of came) {
        const run = () => open(notice.thread_id);
        toasts.show(toastText(notice, t), { text: t("notice.open"), run }, SHOWN_MS);
      }
      announce(came.map((notice) => toastText(notice, t)).join(" "));
      return;
    }
    const isMentions = came.every(({ kind }) => kind === "mention");
    const run = () => (isMentions ? goView("mentions") : goOwn());
    const text = t("notice.many", { count: came.length });
    toasts.show(text, { text: t("notice.show"), run }, SHOWN_MS);
    announce(text);
  }

  #tellSoon() {
    const { quiet, tabs, now } = this.parts;
    if (quiet() || !tabs().leads) return this.#forget();
    const when = this.#pace.of(now());
    if (when === "now") this.#tell();
    else if (when === "along") this.#notify();
    else this.#timer ??= setTimeout(() => this.#tell(), when);
    return undefined;
  }

  #tell() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const { quiet, prefs, chime, now } = this.parts;
    if (quiet()) return this.#forget();
    this.#pace.told(now());
    if (prefs.notify.sound) chime();
    return this.#notify();
  }

  #forget() {
    this.#grown.clear();
    this.#entries.clear();
  }

  // The notification replaces the one before and says all of it.
  async #notify() {
    const { prefs, tabs, totals, icon, language: { t } } = this.parts;
    const grown = [...this.#grown.keys()];
    const counts = new Map(this.#grown);
    this.#grown.clear();
    const may = notificationPermission() === "granted" && prefs.notify.desktop;
    if (!may || tabs().anyLookedAt) return this.#entries.clear();
    for (const [name, more] of counts) await this.#learn(name, more);
    const entries = [...this.#entries.values()].sort((a, b) => b.at - a.at);
    const view = grown[0] ?? "arrival";
    const count = totals.of(view, "all") ?? 0;
    const general = {
      title: t("notify.news"),
      body: grown.length ? `${t(`view.${view}`)}: ${t("header.total", { count })}`
        : t("notify.own"),
    };
    const { title, body } = entries.length && prefs.kept.notify_text ? saying(entries, t) : general;
    const shown = notification(title, { body, tag: "lineup", icon: icon.dataset.plain });
    if (!shown) return this.#entries.clear();
    shown.onclick = () => this.#clicked(shown, grown[0], entries);
    this.#shown = shown;
    return undefined;
  }

  // One thread is opened; of several the list.
  #clicked(shown, view, entries) {
    const { goView, open } = this.parts;
    window.focus();
    if (view) goView(view);
    if (entries.length === 1) open(entries[0].id);
    shown.close();
    this.#entries.clear();
  }

  // Which threads a view that grew has got: those with the newest messages.
  async #learn(view, count) {
    const { language: { t } } = this.parts;
    const rows = await this.#head({ view, sort: "arrival", filter: "all" });
    for (const row of rows.slice(0, count)) {
      if (this.#entries.has(row.id)) continue;
      const text = row.preview?.body.replace(/\s+/g, " ") || t("row.attachment");
      this.#entries.set(row.id, { id: row.id, name: nameOf(row, t), text, at: row.recent_at });
    }
  }

  async #head(list) {
    const { lists, rows, call } = this.parts;
    const isShown = () => listKey(lists.list) === listKey(list);
    if (isShown() && lists.sync.order) {
      const ids = Array.from(lists.sync.order.ids()).slice(0, HEAD);
      return ids.map((id) => rows.get(id)).filter(Boolean);
    }
    const answer = await call("list:open", { ...list, limit: HEAD }).catch(() => null);
    if (answer && !isShown()) call("list:close", list).catch(() => {});
    return answer?.rows ?? [];
  }
}
