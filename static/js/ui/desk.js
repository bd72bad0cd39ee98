// What the page shows and every verb on it. Parts read from here and call here alone.

import { format, listKey, parse } from "../core/route.js";
import { nextUnread } from "./unread.js";

const CHECK_MS = 30_000;

export class Desk {
  totals = {}; // filter → {arrival, not_respond, history}
  late = null; // since when the order may be late, or null
  ended = null; // "session" or "protocol": nothing works until the page is loaded anew
  failing = []; // sources whose chatbots cannot be reached: {source, since}
  online = navigator.onLine;
  panel = "list"; // on narrow screens: "list" or "thread"
  #committedAt = 0;
  #narrow = window.matchMedia("(max-width: 720px)");

  // parts: see main.js, which builds them all.
  constructor(parts) {
    Object.assign(this, parts);
    setInterval(() => this.#check(), CHECK_MS);
  }

  get place() { return this.lists.current.listing.list; }
  get listing() { return this.lists.current.listing; }
  get sync() { return this.lists.current.sync; }
  get threadId() { return this.thread.id; }
  get row() { return this.threadId === null ? undefined : this.rows.get(this.threadId); }
  get t() { return this.language.t; }
  get words() { return this.language.words; }

  ask(...parts) { this.painter.ask(...parts); }

  mayMove(now = this.now()) {
    if (this.hold.state(now) !== "live") return false;
    return now - this.#committedAt >= this.hold.pace(now);
  }

  committed() { this.#committedAt = this.now(); }

  // Until the order may move again by time alone.
  holdWait(now) {
    const pace = this.hold.pace(now);
    const typing = this.listing.view?.held && pace ? this.#committedAt + pace - now : null;
    return this.hold.wait(now) ?? (typing === null ? null : Math.max(0, typing));
  }

  rowLook(now) {
    const { page, sort } = this.place;
    const { presence, t, words } = this;
    return { page, sort, now, t, words, presence, adminId: this.admin.id };
  }

  onScreen(ids, end) {
    this.sync.need(end);
    const open = this.threadId === null || ids.includes(this.threadId) ? [] : [this.threadId];
    this.lists.look([...ids, ...open]);
    this.#lookWho([...open, ...ids]);
  }

  #lookWho(ids) {
    const customers = ids.map((id) => this.rows.get(id)?.customer?.id).filter(Boolean);
    this.presence.want("customer", "rows", customers);
    this.presence.onScreen(ids);
  }

  // Takes an address. deep: someone came by a link, so the thread is shown in the list too.
  goTo(hash, { deep }) {
    const wanted = parse(hash);
    const page = wanted.page ?? this.prefs.kept.page ?? "arrival";
    const sort = wanted.sort ?? this.prefs.sortOf(page);
    const filter = wanted.filter ?? (wanted.page ? "all" : this.prefs.filterOf(page));
    this.#show({ page, sort, filter });
    if (wanted.thread === null) this.#closeThread();
    else this.#openThread(wanted.thread);
    if (deep && wanted.thread !== null) this.showInList({ quiet: true });
  }

  goPage(page) {
    this.#go({ page, sort: this.prefs.sortOf(page), filter: this.prefs.filterOf(page) });
  }

  goSort(sort) { this.#go({ ...this.place, sort }); }
  goFilter(filter) { this.#go({ ...this.place, filter }); }

  #go(place) {
    this.panel = "list";
    if (this.search.shown) this.search.close();
    this.ask("shell");
    if (!this.#show(place)) return;
    this.#remember("push");
    this.announce(this.t("announce.list", {
      page: this.t(`page.${place.page}`), sort: this.t(`sort.${place.sort}`),
    }));
  }

  #show(place) {
    if (this.lists.current && listKey(this.place) === listKey(place)) return false;
    this.picks.clear();
    this.hold.release();
    this.lists.show(place);
    this.prefs.place(place);
    this.title();
    this.painter.askAll();
    return true;
  }

  #remember(how) {
    const hash = format({ ...this.place, thread: this.threadId });
    if (hash === location.hash) return;
    if (how === "push") history.pushState({ ours: true }, "", hash);
    else history.replaceState({ ours: true }, "", hash);
  }

  open(id) {
    this.panel = "thread";
    this.#openThread(id);
    this.#remember("push");
  }

  nextUnread(step) { return nextUnread(this, step); }
  help() { return this.helpDialog.open(); }

  back() {
    if (this.picks.size) {
      this.picks.clear();
      return;
    }
    if (this.search.shown && !(this.panel === "thread" && this.#narrow.matches)) {
      this.search.back();
      return;
    }
    if (this.panel === "thread" && this.#narrow.matches) {
      this.panel = "list";
      this.ask("shell");
    }
    this.listPane.focus();
  }

  #openThread(id) {
    this.panel = "thread";
    this.listing.fresh.drop(id);
    this.listing.news.delete(id);
    this.thread.open(id);
    this.painter.askAll();
  }

  #closeThread() {
    this.panel = "list";
    this.thread.close();
    this.painter.askAll();
  }

  // However deep it stands; says so where it is not on this list.
  async showInList({ quiet = false } = {}) {
    const id = this.threadId;
    const { sync, listing } = this.lists.current;
    if (id === null) return;
    await sync.ready();
    const found = await sync.through(id);
    if (listing !== this.listing || id !== this.threadId) return;
    if (found) {
      if (listing.view.indexOf(id) < 0) listing.commit();
      this.listPane.showThread(id);
    } else if (found === false) this.#notHere(quiet);
  }

  #notHere(quiet) {
    const page = this.row?.open === false ? "history" : "arrival";
    const text = this.t("toast.not_here", { page: this.t(`page.${this.place.page}`) });
    const elsewhere = page !== this.place.page || this.place.filter !== "all";
    const action = elsewhere ? {
      text: this.t("toast.open_in", { page: this.t(`page.${page}`) }),
      run: () => {
        this.#go({ page, sort: this.prefs.sortOf(page), filter: "all" });
        this.showInList({ quiet: true });
      },
    } : null;
    if (!quiet || action) this.toasts.show(text, action);
  }

  toTop() {
    this.listPane.toTop();
    this.ask("header");
  }

  togglePause() {
    this.hold.pause(!this.hold.paused);
    this.announce(this.t(this.hold.paused ? "announce.paused" : "announce.live"));
    this.ask("list", "header");
  }

  menuOpen(open) {
    this.hold.menu(open);
    this.ask("list", "header");
  }

  connected() {
    const back = this.wasConnected === true;
    this.wasConnected = true;
    this.lists.connected();
    this.presence.connected();
    this.thread.connected();
    this.outbox.retryWaiting();
    if (back) this.announce(this.t("announce.connected"));
    this.painter.askAll();
  }

  disconnected() {
    this.notice.notice.forget();
    this.lists.disconnected();
    this.presence.disconnected();
    this.thread.disconnected();
    this.announce(this.t("announce.disconnected"));
    this.painter.askAll();
  }

  // The window was looked at again, or the network is back.
  cameBack() {
    if (this.ended === "session") this.#resume();
    if (this.ended) return;
    this.connection.tryNow();
    this.painter.askAll();
  }

  // What seemed connected is most likely dead, and finding out would take longer than dialling.
  slept() {
    if (this.ended) return;
    this.connection.renew();
    this.painter.askAll();
  }

  setOnline(online) {
    this.online = online;
    this.ask("banner", "nav");
  }

  // The handshake failed. Browsers do not say why: an ordinary request does.
  async refused(error) {
    if (error.data?.code === "protocol_mismatch") this.end("protocol");
    else if (!this.ended) await this.api.me().catch(() => {});
    this.ask("banner", "nav", "header");
  }

  end(why) {
    if (this.ended) return;
    this.ended = why;
    this.connection.stop();
    this.lists.disconnected();
    this.thread.disconnected();
    this.painter.askAll();
  }

  // Someone may have signed in again in another tab.
  async #resume() {
    const me = await this.api.me().catch(() => null);
    if (!me || this.ended !== "session") return;
    if (me.id !== this.admin.id) location.reload();
    this.ended = null;
    this.connection.start();
    this.painter.askAll();
  }

  setLate({ late, since }) {
    this.late = late ? since ?? this.now() : null;
    if (!late) this.sync.orderIsBack();
    this.ask("banner");
  }

  setFailing(sources) {
    this.failing = sources;
    this.ask("banner");
  }

  setTotals(totals) {
    this.totals[totals.filter ?? "all"] = totals;
    this.painter.ask("nav", "header");
    this.title();
    this.colleagues.ask();
    if ((totals.filter ?? "all") === "all") this.notice.totals(totals);
  }

  total(page, filter) { return this.totals[filter]?.[page]; }

  title() {
    const waiting = this.prefs.notify.title ? this.total("not_respond", "all") : 0;
    this.notice.draw();
    const page = this.t(`page.${this.place.page}`);
    document.title = `${waiting ? `(${this.t.number(waiting)}) ` : ""}${page} · Lineup`;
  }

  // After silence nothing may be wrong, or everything: asking costs little.
  #check() {
    const { syncedAt } = this.sync;
    if (syncedAt !== null && this.now() - syncedAt >= CHECK_MS - 1000) this.sync.check();
    this.ask("nav", "banner");
  }
}
