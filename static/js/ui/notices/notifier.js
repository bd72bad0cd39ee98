// Tells an admin of new work: a sound, and a notification while no window of theirs is looked at.
// Both come from one tab only, together for all that came at about the same time.

import { Growth, OwnMessages, Pace } from "../../core/notice.js";
import { listKey } from "../../core/route.js";
import { nameOf } from "../elements/avatar.js";

const OWN = { view: "arrival", sort: "arrival", filter: "mine" };
const HEAD = 10; // of a list that grew
const OWN_HEAD = 100;
const LINES = 4; // of one notification
const LATELY_MS = 15_000; // a message this old may be why a closed thread came back

export class Notifier {
  #growth = new Growth();
  #own = new OwnMessages();
  #pace = new Pace();
  #entries = new Map(); // thread → {row, at} since a window was looked at
  #grown = new Map(); // view → how many threads more
  #timer = null;
  #shown = null; // the notification on screen
  #watching = false; // whether the own threads are subscribed to by this part
  #connected = false;

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

  connected() {
    this.#connected = true;
    this.#watching = false;
    this.look();
  }

  // What changes while the connection is lost is no news.
  disconnected() {
    this.#connected = false;
    this.#growth.forget();
  }

  // Another list is shown, another tab leads, or the settings changed: subscribes to the own threads
  // where they are to be told of and not on screen anyway.
  async look() {
    const { prefs: { notify, kept }, call } = this.parts;
    const wanted = kept.notify_own && (notify.sound || notify.desktop) && this.parts.tabs().leads
      && !this.#isShown(OWN);
    if (!this.#connected || wanted === this.#watching) return;
    this.#watching = wanted;
    // A list that is shown is closed by who shows it.
    if (!wanted) return this.#isShown(OWN) ? undefined : call("list:close", OWN).catch(() => {});
    const answer = await call("list:open", { ...OWN, limit: OWN_HEAD }).catch(() => null);
    if (answer) this.#own.begin(answer.rows);
    else this.#watching = false;
    return undefined;
  }

  // A list changed: maybe that of the own threads.
  /** @param {Frame} frame */
  async frame(frame) {
    const { api, prefs, thread, tabs, now } = this.parts;
    if (listKey(frame) !== listKey(OWN) || !prefs.kept.notify_own) return;
    const known = Object.values(frame.rows);
    const missing = frame.set.map(([id]) => id).filter((id) => !frame.rows[id]);
    const fetched = missing.length && missing.length <= HEAD
      ? await api.rows(missing).catch(() => ({ rows: [] })) : { rows: [] };
    const news = this.#own.news([...known, ...fetched.rows], now() - LATELY_MS)
      .filter(({ id }) => id !== thread.id || !tabs().anyLookedAt);
    for (const row of news) this.#entries.set(row.id, { row, at: now() });
    if (news.length) this.#tellSoon();
  }

  // Somebody looks at a window, or no thread waits any more.
  clear() {
    this.#entries.clear();
    this.#shown?.close();
    this.#shown = null;
  }

  #isShown(list) { return listKey(this.parts.lists.list) === listKey(list); }

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
    const may = globalThis.Notification?.permission === "granted" && prefs.notify.desktop;
    if (!may || tabs().anyLookedAt) return this.#entries.clear();
    for (const [name, more] of counts) await this.#learn(name, more);
    const rows = [...this.#entries.values()].sort((a, b) => b.at - a.at).map(({ row }) => row);
    const view = grown[0] ?? "arrival";
    const count = totals.of(view, "all") ?? 0;
    const general = {
      title: t("notify.news"),
      body: grown.length ? `${t(`view.${view}`)}: ${t("header.total", { count })}`
        : t("notify.own"),
    };
    const { title, body } = rows.length && prefs.kept.notify_text ? saying(rows, t) : general;
    const shown = new Notification(title, { body, tag: "lineup", icon: icon.dataset.plain });
    shown.onclick = () => this.#clicked(shown, grown[0], rows);
    this.#shown = shown;
    return undefined;
  }

  // One thread is opened; of several the list.
  #clicked(shown, view, rows) {
    const { goView, open } = this.parts;
    window.focus();
    if (view) goView(view);
    if (rows.length === 1) open(rows[0].id);
    shown.close();
    this.#entries.clear();
  }

  // Which threads a view that grew has got: those with the newest messages.
  async #learn(view, count) {
    const rows = await this.#head({ view, sort: "arrival", filter: "all" });
    for (const row of rows.slice(0, count)) {
      if (!this.#entries.has(row.id)) this.#entries.set(row.id, { row, at: row.recent_at });
    }
  }

  async #head(list) {
    const { lists, rows, call } = this.parts;
    if (this.#isShown(list) && lists.sync.order) {
      const ids = Array.from(lists.sync.order.ids()).slice(0, HEAD);
      return ids.map((id) => rows.get(id)).filter(Boolean);
    }
    const answer = await call("list:open", { ...list, limit: HEAD }).catch(() => null);
    if (answer && !this.#isShown(list)) call("list:close", list).catch(() => {});
    return answer?.rows ?? [];
  }
}

// The name and the text of one customer, or a line for each.
/** @param {Row[]} rows @param {Translate} t */
function saying(rows, t) {
  const text = (row) => row.preview?.body.replace(/\s+/g, " ") || t("row.attachment");
  if (rows.length === 1) return { title: nameOf(rows[0], t), body: text(rows[0]) };
  const lines = rows.slice(0, LINES).map((row) => `${nameOf(row, t)}: ${text(row)}`);
  return { title: t("notify.many", { count: rows.length }), body: lines.join("\n") };
}
