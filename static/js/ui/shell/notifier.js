// Announces new work and changes of the admin's own threads: by a sound, and by a notification while no window
// of the admin is looked at. Only one tab does so, once for all that came at about the same time. Notices of
// own threads and mentions are also shown in the window that is looked at, or is looked at next; mentions, and
// what colleagues gave, are marked on their rows.

import { notification, notificationPermission, storage } from "../../browser.js";
import { shown } from "../../core/names.js";
import { listCall, listKey } from "../../core/route.js";
import { previewText } from "../../core/row-texts.js";
import { calledBy, nameOf } from "../elements/avatar.js";
import { PageModule } from "../elements/page-module.js";

const HEAD = 10; // rows at the head of a list that grew, which are looked at
const SHOW_AFTER_MS = 300; // notices within this time are shown together
const TOASTS = 3; // with more threads, one toast says how many
const SHOWN_MS = 12_000;
const SILENT_MS = 60_000; // for so long a lost connection may stay unnoticed
const MENTIONS = 100; // threads with unread mentions that are marked
const MENTIONED = { view: "mentions", sort: "arrival" };

export class Notifier extends PageModule {
  #growth = new Growth();
  #heard = new Heard();
  #pace = new Pace();
  #entries = new Map(); // thread → {id, name, text, at}: new since a window was looked at
  #grown = new Map(); // view → number of additional threads
  #timer = null;
  #shown = null; // the notification that is shown
  #came = new Map(); // thread → the notice to be shown in the page, maybe when somebody looks at it again
  #mentioned = new Set(); // threads with unread mentions of this admin
  #mentions = 0; // their number, as the server counts them
  #given = new Set(); // threads that colleagues gave this admin, who has not opened them since
  #showTimer = null;
  #lostAt = null; // when the connection was lost

  // memory: what the tab keeps while it is reloaded, if it can.
  /** @param {Page & { icon: HTMLLinkElement, tabs: import("../../net/tabs.js").Tabs, memory?: TabMemory }} page */
  constructor({ tabs, icon, memory, ...page }) {
    super(page);
    this.tabs = tabs;
    this.icon = icon;
    this.memory = memory;
    this.#given = new Set(memory?.read("given") ?? []);
    if (this.#given.size) this.#marked();
    addEventListener("focus", () => this.clear());
    // A window that comes back gets the focus, but may be looked at only after the first press in it.
    for (const name of ["focus", "pointerdown", "keydown"]) addEventListener(name, () => this.#showSoon());
  }

  // The mark of a thread's row: "mention", "given" or "".
  /** @param {number} id */
  markOf(id) { return this.#mentioned.has(id) ? "mention" : this.#given.has(id) ? "given" : ""; }
  // The number of threads that were given and not opened.
  get given() { return this.#given.size; }

  // Takes new totals of all threads.
  /** @param {ViewTotals} totals */
  totals(totals) {
    if (!totals.not_respond) this.clear();
    const grown = this.#growth.of(totals, this.data.prefs.notify.views);
    if (!grown.length) return;
    for (const [view, count] of grown) this.#grown.set(view, (this.#grown.get(view) ?? 0) + count);
    this.#tellSoon();
  }

  // Announces in short what happened while the connection was lost.
  async connected() {
    const { call } = this.net;
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
    this.#lostAt ??= this.net.now();
  }

  // Another thread may be open: tells other windows.
  look() {
    this.tabs.tell();
    const { id } = this.data.thread;
    if (id !== null && this.#given.delete(id)) this.#marked();
  }

  // Another window is looked at, and shows what came.
  toldElsewhere() { this.#came.clear(); }

  // Takes a notice for this admin: a customer wrote, a thread was handed over, or a note mentions them.
  /** @param {Notice} notice */
  notice(notice) {
    const { data: { prefs }, ui: { language: { t } }, tabs } = this;
    if (!this.#heard.isNew(notice)) return;
    this.#mark(notice);
    if (this.ui.alerts.quiet) return;
    if (notice.kind === "message" && !prefs.kept.notify_own) return;
    if (tabs.isThreadLookedAt(notice.thread_id)) return;
    this.#entries.set(notice.thread_id, entryOf(notice, t));
    // A thread from a queue has a notice of its own in the page.
    if (notice.kind !== "queue" && (tabs.isLookedAt() || !tabs.anyLookedAt)) {
      this.#came.set(notice.thread_id, notice);
      this.#showSoon();
    }
    this.#tellSoon();
  }

  #mark({ kind, by, thread_id: id }) {
    if (kind === "mention") this.#mentioned.add(id);
    else if ((kind === "queue" || (kind === "assigned" && by)) && id !== this.data.thread.id) this.#given.add(id);
    else return;
    this.#marked();
  }

  #marked() {
    this.memory?.write("given", [...this.#given]);
    this.ui.painter.ask("list", "nav");
  }

  // The number of threads with unread mentions may have changed.
  async counted() {
    const count = this.data.totals.of(MENTIONED.view) ?? 0;
    if (count === this.#mentions) return;
    this.#mentions = count;
    const ids = count ? await this.#idsOf(MENTIONED, MENTIONS) : [];
    if (!ids || this.#mentions !== count) return;
    this.#mentioned = new Set(ids);
    this.#marked();
  }

  // Somebody looks at a window, or no thread waits any more.
  clear() {
    this.#entries.clear();
    this.#shown?.close();
    this.#shown = null;
  }

  #showSoon() {
    if (this.#came.size && this.tabs.isLookedAt()) {
      this.#showTimer ??= setTimeout(() => this.#show(), SHOW_AFTER_MS);
    }
  }

  #show() {
    const { tabs, ui: { toasts, announce, language: { t } }, acts: { open, navigation } } = this;
    this.#showTimer = null;
    if (!tabs.isLookedAt()) return;
    const came = [...this.#came.values()].filter(({ thread_id: id }) => !tabs.isThreadLookedAt(id));
    this.#came.clear();
    if (!came.length) return;
    const offer = came.some(({ kind }) => kind !== "message") ? this.#offer() : [];
    if (came.length <= TOASTS) {
      for (const notice of came) {
        const run = () => open(notice.thread_id);
        const more = notice === came.at(-1) ? offer : [];
        toasts.show(toastText(notice, t), [{ text: t("notice.open"), run }, ...more], { shownMs: SHOWN_MS });
      }
      announce(came.map((notice) => toastText(notice, t)).join(" "));
      return;
    }
    const isMentions = came.every(({ kind }) => kind === "mention");
    const run = () => navigation.goView(isMentions ? "mentions" : "mine");
    const text = t("notice.many", { count: came.length });
    toasts.show(text, [{ text: t("notice.show"), run }, ...offer], { shownMs: SHOWN_MS });
    announce(text);
  }

  // Offers notifications of the system at the first notice from a colleague, once in this browser.
  /** @returns {ToastAction[]} */
  #offer() {
    const { data: { adminId, prefs }, ui: { language: { t } } } = this;
    const key = `lineup:offered:${adminId}`;
    if (prefs.notify.desktop || notificationPermission() !== "default" || storage().getItem(key)) return [];
    try {
      storage().setItem(key, "1");
    } catch {
      return []; // else it would be offered each time
    }
    return [{ text: t("notice.offer"), run: () => void this.#allow() }];
  }

  // Must be called within a click: browsers ask for the permission only then.
  async #allow() {
    const { data: { prefs }, ui: { alerts, toasts, language: { t } } } = this;
    const isAllowed = await alerts.mayNotify();
    if (isAllowed) prefs.change({ notify: { ...prefs.notify, desktop: true } });
    toasts.show(t(isAllowed ? "notice.allowed" : "notify.refused"));
  }

  #tellSoon() {
    const { net: { now }, tabs } = this;
    if (this.ui.alerts.quiet || !tabs.leads) return this.#forget();
    const when = this.#pace.of(now());
    if (when === "now") this.#tell();
    else if (when === "along") this.#notify();
    else this.#timer ??= setTimeout(() => this.#tell(), when);
    return undefined;
  }

  #tell() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const { data: { prefs }, net: { now } } = this;
    if (this.ui.alerts.quiet) return this.#forget();
    this.#pace.told(now());
    if (prefs.notify.sound) this.ui.alerts.chime();
    return this.#notify();
  }

  #forget() {
    this.#grown.clear();
    this.#entries.clear();
  }

  // Shows one notification about everything; it replaces the one before.
  async #notify() {
    const { data: { prefs, totals }, ui: { language: { t } }, tabs, icon } = this;
    const grown = [...this.#grown.keys()];
    const counts = new Map(this.#grown);
    this.#grown.clear();
    const may = notificationPermission() === "granted" && prefs.notify.desktop;
    if (!may || tabs.anyLookedAt) return this.#entries.clear();
    for (const [name, more] of counts) await this.#learn(name, more);
    const entries = [...this.#entries.values()].sort((a, b) => b.at - a.at);
    const view = grown[0] ?? "arrival";
    const count = totals.of(view) ?? 0;
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

  // A press opens the thread if there is only one; else the list.
  #clicked(shown, view, entries) {
    const { navigation, open } = this.acts;
    window.focus();
    if (view) navigation.goView(view);
    if (entries.length === 1) open(entries[0].id);
    shown.close();
    this.#entries.clear();
  }

  // Finds the threads that a view has gained: those with the newest messages.
  async #learn(view, count) {
    const { language: { t } } = this.ui;
    const rows = await this.#head({ view, sort: "arrival" });
    for (const row of rows.slice(0, count)) {
      if (this.#entries.has(row.id)) continue;
      const text = row.preview ? previewText(row.preview, t) : t("row.attachment");
      this.#entries.set(row.id, { id: row.id, name: nameOf(row, t), text, at: row.recent_at, wrote: true });
    }
  }

  async #head(list) {
    const { rows } = this.data;
    const answer = this.#shownIds(list) ? null : await this.#opened(list, HEAD);
    if (answer) return answer.rows;
    return (this.#shownIds(list) ?? []).slice(0, HEAD).map((id) => rows.get(id)).filter(Boolean);
  }

  // Resolves to the ids of the first threads of a list, or to null.
  async #idsOf(list, limit) { return this.#shownIds(list) ?? (await this.#opened(list, limit))?.ids ?? null; }

  // Returns the threads of the list on screen, in order; null if it is another one.
  #shownIds(list) {
    const { lists } = this.data;
    const { order } = lists.sync;
    return listKey(lists.list) === listKey(list) && order ? Array.from(order.ids()) : null;
  }

  async #opened(list, limit) {
    const { data: { lists }, net: { call } } = this;
    const asked = listCall(list);
    const answer = await call("list:open", { ...asked, limit }).catch(() => null);
    if (answer && listKey(lists.list) !== listKey(list)) call("list:close", asked).catch(() => {});
    return answer;
  }
}

// Notices in words: the customer's name, the colleague's, and the first words.
const LINES = 4; // of one notification

/** @param {Notice} notice @param {Translate} t */
const facts = ({ customer, thread_id: id, by, text }, t) => ({
  name: shown(calledBy(customer?.name, customer?.id ?? String(id), t)), by: by ? shown(by.name) : "",
  text: shown(text || t("row.attachment")),
});

// The sentence for a toast in the page.
/** @param {Notice} notice @param {Translate} t */
function toastText(notice, t) {
  const kind = notice.kind === "assigned" && !notice.by ? "assigned.nobody" : notice.kind;
  return t(`notice.${kind}`, facts(notice, t));
}

// The line for a notification of the system.
/** @param {Notice} notice @param {Translate} t */
function entryOf(notice, t) {
  const { name, by, text } = facts(notice, t);
  const said = notice.kind === "message" || !by ? text
    : t(notice.kind === "mention" ? "notice.mention.by" : "notice.assigned.by", { by, text });
  return { id: notice.thread_id, name, text: said, at: notice.at, wrote: notice.kind === "message" };
}

// Returns the name and the text of one customer, or a line for each.
/** @param {{name: string, text: string, wrote: boolean}[]} entries @param {Translate} t */
export function saying(entries, t) {
  if (entries.length === 1) return { title: entries[0].name, body: entries[0].text };
  const lines = entries.slice(0, LINES).map(({ name, text }) => `${name}: ${text}`);
  const many = entries.every(({ wrote }) => wrote) ? "notify.many" : "notify.many.news";
  return { title: t(many, { count: entries.length }), body: lines.join("\n") };
}

// Decides what is announced to an admin who looks elsewhere, and how often.
const GATHER_MS = 2000; // news within this time after an announcement belongs to it
const LEAST_MS = 4000; // between two announcements
const MOST_MS = 30_000; // between two, if there is always something to announce
const HEARD_MAX = 1000; // notices that are remembered
const QUIET_MS = 60_000; // after this time without news, the next announcement comes at once

// Finds the growth, by their totals, of the views for which an admin wants notifications.
export class Growth {
  #known = null; // view → total

  // Returns the views that have more threads than before: [view, how many more].
  /** @param {ViewTotals} totals @param {string[]} views @returns {[string, number][]} */
  of(totals, views) {
    const known = this.#known;
    this.#known = totals;
    return known ? views
      .map((name) => /** @type {[string, number]} */ ([name, Number(totals[name]) - Number(known[name])]))
      .filter(([, count]) => count > 0) : [];
  }

  // After a reconnection, a difference to earlier totals is no news.
  forget() { this.#known = null; }
}

// Spaces announcements: at once after a quiet time, then less and less often.
export class Pace {
  #toldAt = -Infinity;
  #gapMs = LEAST_MS;

  // Returns "now", "along" (it belongs to the last announcement), or the ms to wait.
  /** @param {number} now @returns {"now" | "along" | number} */
  of(now) {
    const passed = now - this.#toldAt;
    if (passed < GATHER_MS) return "along";
    return passed >= this.#gapMs ? "now" : this.#gapMs - passed;
  }

  /** @param {number} now */
  told(now) {
    const isAgain = now - this.#toldAt < QUIET_MS;
    this.#gapMs = isAgain ? Math.min(MOST_MS, this.#gapMs * 2) : LEAST_MS;
    this.#toldAt = now;
  }
}

// Remembers notices: after a reconnection some come again.
export class Heard {
  #keys = new Set();

  /** @param {Notice} notice */
  isNew({ kind, id }) {
    const key = `${kind} ${id}`;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > HEARD_MAX) this.#keys.delete(this.#keys.values().next().value);
    return true;
  }
}

// The sound of new work: two soft tones, computed here without a file.
const TONES = [[660, 0], [880, 0.12]]; // [Hz, seconds from now]
const TONE_SECONDS = 0.22;
const LATE_MS = 1000; // a later sound would mislead

let audio = null;

// due: when it should sound, by the clock `now`; more than LATE_MS later it is left out.
/** @param {number} due @param {() => number} now */
export async function chime(due, now) {
  audio ??= new AudioContext();
  await audio.resume(); // resolves after the first click or key in the page
  if (now() - due > LATE_MS) return;
  for (const [hertz, after] of TONES) tone(hertz, audio.currentTime + after);
}

function tone(hertz, at) {
  const source = new OscillatorNode(audio, { frequency: hertz });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + TONE_SECONDS);
  source.connect(volume).connect(audio.destination);
  source.start(at);
  source.stop(at + TONE_SECONDS);
}
