// Tells an admin of new work and of what is theirs: a sound, and a notification while no window of theirs
// is looked at. Both come from one tab only, together for all that came at about the same time. Notices of
// one's own threads and mentions are shown in the window that is looked at, too.

import { notification, notificationPermission } from "../../browser.js";
import { shown } from "../../core/names.js";
import { listKey } from "../../core/route.js";
import { calledBy, nameOf } from "../elements/avatar.js";
import { PageModule } from "../elements/page-module.js";

const HEAD = 10; // of a list that grew
const SHOW_AFTER_MS = 300; // notices that come this soon after each other are shown together
const TOASTS = 3; // of more threads, one toast says how many
const SHOWN_MS = 12_000;
const SILENT_MS = 60_000; // a connection may have been lost so long before that is known

export class Notifier extends PageModule {
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

  /** @param {Page & { icon: HTMLLinkElement, tabs: import("../../net/tabs.js").Tabs }} page */
  constructor({ tabs, icon, ...page }) {
    super(page);
    this.tabs = tabs;
    this.icon = icon;
    addEventListener("focus", () => this.clear());
  }

  // New totals of all threads came.
  /** @param {ViewTotals} totals */
  totals(totals) {
    if (!totals.not_respond) this.clear();
    const grown = this.#growth.of(totals, this.data.prefs.notify.views);
    if (!grown.length) return;
    for (const [view, count] of grown) this.#grown.set(view, (this.#grown.get(view) ?? 0) + count);
    this.#tellSoon();
  }

  // What happened while the connection was lost is told once, in short.
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

  // Another thread is open: other windows know.
  look() { this.tabs.tell(); }

  // Something concerns this admin: a customer wrote, a thread was handed over, a note mentions them.
  /** @param {Notice} notice */
  notice(notice) {
    const { data: { prefs }, ui: { language: { t } }, tabs } = this;
    if (!this.#heard.isNew(notice) || this.ui.alerts.quiet) return;
    if (notice.kind === "message" && !prefs.kept.notify_own) return;
    if (tabs.isThreadLookedAt(notice.thread_id)) return;
    this.#entries.set(notice.thread_id, entryOf(notice, t));
    if (tabs.isLookedAt() || (tabs.leads && !tabs.anyLookedAt)) {
      this.#came.set(notice.thread_id, notice);
      this.#showTimer ??= setTimeout(() => this.#show(), SHOW_AFTER_MS);
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
    const { ui: { toasts, announce, language: { t } }, acts: { open, navigation } } = this;
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
    const run = () => (isMentions ? navigation.goView("mentions") : navigation.goList({
      view: "arrival", sort: this.data.prefs.sortOf("arrival"), filter: "mine",
    }));
    const text = t("notice.many", { count: came.length });
    toasts.show(text, { text: t("notice.show"), run }, SHOWN_MS);
    announce(text);
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

  // The notification replaces the one before and says all of it.
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
    const { navigation, open } = this.acts;
    window.focus();
    if (view) navigation.goView(view);
    if (entries.length === 1) open(entries[0].id);
    shown.close();
    this.#entries.clear();
  }

  // Which threads a view that grew has got: those with the newest messages.
  async #learn(view, count) {
    const { language: { t } } = this.ui;
    const rows = await this.#head({ view, sort: "arrival", filter: "all" });
    for (const row of rows.slice(0, count)) {
      if (this.#entries.has(row.id)) continue;
      const text = row.preview?.body.replace(/\s+/g, " ") || t("row.attachment");
      this.#entries.set(row.id, { id: row.id, name: nameOf(row, t), text, at: row.recent_at });
    }
  }

  async #head(list) {
    const { data: { lists, rows }, net: { call } } = this;
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

// Notices in words: by the name of the customer, of the colleague, and the first words.
const LINES = 4; // of one notification

/** @param {Notice} notice @param {Translate} t */
const facts = ({ customer, thread_id: id, by, text }, t) => ({
  name: shown(calledBy(customer?.name, customer?.id ?? String(id), t)), by: by ? shown(by.name) : "",
  text: shown(text || t("row.attachment")),
});

// In the page: one sentence.
/** @param {Notice} notice @param {Translate} t */
function toastText(notice, t) {
  const kind = notice.kind === "assigned" && !notice.by ? "assigned.nobody" : notice.kind;
  return t(`notice.${kind}`, facts(notice, t));
}

// A line of a notification of the system.
/** @param {Notice} notice @param {Translate} t */
function entryOf(notice, t) {
  const { name, by, text } = facts(notice, t);
  const said = notice.kind === "message" || !by ? text
    : t(notice.kind === "mention" ? "notice.mention.by" : "notice.assigned.by", { by, text });
  return { id: notice.thread_id, name, text: said, at: notice.at };
}

// The name and the text of one customer, or a line for each.
/** @param {{name: string, text: string}[]} entries @param {Translate} t */
export function saying(entries, t) {
  if (entries.length === 1) return { title: entries[0].name, body: entries[0].text };
  const lines = entries.slice(0, LINES).map(({ name, text }) => `${name}: ${text}`);
  return { title: t("notify.many", { count: entries.length }), body: lines.join("\n") };
}

// What is worth telling an admin who looks elsewhere, and how often.
const GATHER_MS = 2000; // what comes this soon after a telling belongs to it
const LEAST_MS = 4000; // between two tellings
const MOST_MS = 30_000; // between two, where there is always something to tell
const HEARD_MAX = 1000; // notices that are remembered
const QUIET_MS = 60_000; // after it the next telling comes at once again

// Finds growth of the views that an admin chose to be notified of, by their totals.
export class Growth {
  #known = null; // view → total

  // The views that have more threads than before: [view, how many more].
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

// Spaces what is told: at once after a quiet time, then more and more seldom.
export class Pace {
  #toldAt = -Infinity;
  #gapMs = LEAST_MS;

  // "now", "along" (it belongs to what was just told), or the ms until it is to be told.
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

// Which notices came already: those of a reconnection may have come before.
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

// The sound of new work: two soft tones, computed here, without a file.
const TONES = [[660, 0], [880, 0.12]]; // [Hz, seconds from now]
const TONE_SECONDS = 0.22;
const LATE_MS = 1000; // a later sound would mislead

let audio = null;

// due: when it should sound, by the clock `now`; later than LATE_MS it is left out.
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
