// What the page shows of queues: the switch and the load of the admin, "Take next", the notices of given threads,
// and the loads of colleagues. Loaded once the server says that there are queues.

import { html, render } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { repeat } from "lit-html/directives/repeat.js";

import {
  countDown, explanation, GivenThreads, isTooMany, loadText, QueueBoard, returnedText, secondsLeft,
} from "../../core/queues.js";
import { shown } from "../../core/names.js";
import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";

const API = "/admin/api";
const REASON_MAX = 500; // characters
const NOT_HERE = new Set(["away", "busy", "dnd"]); // queues give nothing to admins with these statuses

export class Queues extends PageModule {
  board = new QueueBoard();
  #busy = false; // whether a thread is being taken
  #root = document.createElement("div");

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.given = new GivenNotices({ ...page, accept: () => this.accept(true) });
    document.getElementById("queue-bar").replaceChildren(this.#root);
    this.ui.painter.add("queues", () => this.paint());
  }

  get http() { return this.net.api.http; }

  // Reads the queues and the admin's load, after an event was lost.
  async #read() {
    const [{ queues, next }, me] = await Promise.all([
      this.http.get(`${API}/queues`), this.http.get(`${API}/me/accepting`),
    ]);
    this.board.take({ queues, ids: queues.map(({ id }) => id), me, next });
    this.changed();
  }

  changed() { this.ui.painter.ask("queues", "nav", "presence", "hand-over", "thread", "area"); }

  // Events of the server, by their names.
  /** @param {QueuesState} state */
  state(state) {
    if (this.board.take(state)) this.#read().catch(() => {}); // the next event tries again
    this.given.accepting(this.board.me?.accepting ?? false);
    if (state.given) this.given.keep(state.given);
    this.changed();
  }

  /** @param {GivenThread} thread */
  gave(thread) { this.given.add(thread); }

  // It was opened in another window, or need not be opened any more.
  /** @param {{thread_id: number}} taken */
  taken({ thread_id: id }) { this.given.drop(id); }

  /** @param {ReturnedThread} returned */
  returned(returned) {
    if (this.board.me) this.board.me.accepting = returned.accepting;
    this.given.returned(returned);
    this.changed();
  }

  // The key of a verb: false where it has nothing to do here.
  /** @param {string} verb */
  press(verb) {
    if (verb === "open") return this.given.openFirst();
    if (!this.board.pulled.length) return false;
    return void this.next();
  }

  // Switches whether queues may give the admin threads.
  /** @param {boolean} accepting */
  accept(accepting) { return this.#set({ accepting }); }

  async #set(changes) {
    const { ui: { toasts, announce, language: { t } } } = this;
    const { accepting } = this.board.me ?? { accepting: false };
    try {
      this.board.me = await this.http.put(`${API}/me/accepting`, { accepting, ...changes });
      this.given.accepting(this.board.me.accepting);
      announce(t(this.board.me.accepting ? "queues.now.accepting" : "queues.now.not"));
    } catch (error) {
      toasts.show(refusalOf(error, t));
    }
    this.changed();
  }

  // Takes the next thread and opens it.
  async next() {
    if (this.#busy) return;
    const { data: { rows }, ui: { toasts, announce, language: { t } }, acts: { acting } } = this;
    this.#busy = true;
    this.ui.painter.ask("queues");
    try {
      const taken = await this.http.post(`${API}/queues/next`);
      if (!taken) toasts.show(t("queues.next.none"));
      else {
        const { row, queue, rank, of, act } = /** @type {TakenThread} */ (taken);
        const given = { name: nameOf(row, t), queue: shown(queue.name), rank: t.number(rank), count: of };
        rows.put(row);
        this.acts.open(row.id);
        announce(t("queues.next.told", given));
        (await acting.get())?.undoing.offer({ text: t("queues.next.took", given), acts: [act] });
      }
    } catch (error) {
      toasts.show(error.code === "at_capacity" ? t("queues.next.full", {
        load: t.number(error.body.load), capacity: t.number(error.body.capacity),
      }) : refusalOf(error, t));
    }
    this.#busy = false;
    this.ui.painter.ask("queues");
  }

  paint() { render(this.#bar(), this.#root); }

  // The bar above the list: the button of pull queues, and in smaller windows the switch.
  #bar() {
    const { t } = this.ui.language;
    if (!this.board.concerns) return "";
    const count = t.number(this.board.next);
    return html`<div class="queue-bar" role="group" aria-label=${t("queues.own")}
      ?data-pulls=${this.board.pulled.length > 0}>${this.#switch("queue-bar-switch")}
      ${this.board.pulled.length ? html`<button type="button" class="button button-accent queue-next"
        aria-keyshortcuts="q" ?disabled=${this.#busy} title="${t("queues.next.about")} (q)"
        @click=${() => this.next()}><span>${t("queues.next")}</span> <span class="queue-next-count"
        translate="no">${count}</span> <span class="unseen">${t("queues.next.waiting")}</span><kbd
        aria-hidden="true">q</kbd></button>` : ""}</div>`;
  }

  // The switch in the admin's own corner.
  corner() { return this.board.concerns ? this.#switch("queue-corner") : ""; }

  #switch(className) {
    const { t } = this.ui.language;
    const { me } = this.board;
    const given = { load: t.number(me.load), capacity: t.number(me.capacity) };
    const isFull = me.load >= me.capacity;
    const isAway = me.accepting && NOT_HERE.has(this.data.presence.of("admin", this.data.adminId)?.status);
    return html`<button type="button" role="switch" class="queue-switch ${className}"
      aria-checked=${String(me.accepting)} title=${isFull ? `${t("queues.accept.full", given)} ${this.#limit()}`
        : t(isAway ? "queues.accept.away" : "queues.accept.about")}
      @click=${() => this.accept(!me.accepting)}
      ><span class="queue-switch-mark" aria-hidden="true"></span><span class="queue-switch-words"><span
      class="queue-switch-text">${t("queues.accept")}</span> <span class="queue-switch-about" ?data-full=${isFull}><span
      class="queue-switch-load">${t("queues.load", given)}</span>${isFull ? html` · ${t("queues.full")}` : ""}</span></span></button>`;
  }

  // Says who may raise the admin's limit.
  #limit() {
    const { capacity, capacity_max: count } = this.board.me;
    return this.ui.language.t(capacity < count ? "queues.limit.own" : "queues.limit.set", { count });
  }

  // The admin's own part of the team's panel: the switch, and a lower capacity.
  own() {
    if (!this.board.concerns) return "";
    const { t } = this.ui.language;
    const { capacity, capacity_max: most } = this.board.me;
    const choose = (value) => this.#set({ capacity: value === most ? null : value });
    return html`<div class="own-field"><span>${t("queues.short")}</span>${this.#switch("queue-own")}</div>
      <label class="own-field"><span>${t("queues.capacity.own")}</span>
      <select class="queue-capacity" @change=${({ target }) => choose(Number(target.value))}>${
        Array.from({ length: most + 1 }, (_, value) => html`<option value=${value}
          .selected=${live(value === capacity)}>${t("queues.capacity.value", { count: value })}</option>`)}</select>
      <span class="queue-limit">${this.#limit()}</span></label>`;
  }

  // A colleague's load in words.
  /** @param {MemberLoad} member */
  loadOf(member) { return loadText(member, this.ui.language.t); }

  // Whether threads may be handed over: asks first if that takes the admin or a colleague above the capacity.
  /** @param {Member & MemberLoad} member @param {number[]} ids */
  async mayGive(member, ids) {
    if (member.id === this.data.adminId) return this.mayTake(ids);
    const { dialog, language: { t } } = this.ui;
    const count = this.#counted(ids).length;
    if (!count || !isTooMany(member, count)) return true;
    const given = this.#given(member, count);
    return ask(dialog, { title: t("queues.over.title", given), text: t("queues.over.text", given), yes: t("act.hand") }, t);
  }

  // The same for threads that the admin takes by hand.
  /** @param {number[]} ids */
  async mayTake(ids) {
    const { board: { me }, ui: { dialog, language: { t } } } = this;
    const count = this.#counted(ids).filter((id) => this.data.rows.get(id)?.assignee?.id !== this.data.adminId).length;
    if (!me || !count || !isTooMany(me, count)) return true;
    const given = this.#given(me, count);
    return ask(dialog, { title: t("queues.over.take", given), text: t("queues.over.own", given), yes: t("act.claim") }, t);
  }

  // Sentences about receivers who would have more threads than their capacity; hands: receivers with thread ids.
  /** @param {[MemberLoad & {name: string}, number[]][]} hands */
  overfull(hands) {
    const { t } = this.ui.language;
    return hands.filter(([member, ids]) => isTooMany(member, this.#counted(ids).length))
      .map(([member, ids]) => t("queues.over.each", this.#given(member, ids.length)));
  }

  // The threads that count against a capacity, and those without a row here: they may count.
  #counted(ids) {
    const countsAll = this.board.me?.counts === "open";
    return ids.filter((id) => {
      const row = this.data.rows.get(id);
      return !row || (row.open && !row.snooze && (countsAll || row.waiting_since !== null));
    });
  }

  /** @param {MemberLoad & {name?: string}} member @param {number} count */
  #given({ name = "", load, capacity }, count) {
    const { t } = this.ui.language;
    return { name: shown(name), load: t.number(load), capacity: t.number(capacity), count };
  }

  // Commands of the palette.
  /** @returns {Command[]} */
  commands() {
    const { board, ui: { language: { t } } } = this;
    if (!board.concerns) return [];
    const isOn = board.me.accepting;
    return [
      ...(board.pulled.length ? [{ text: t("queues.next"), icon: ICONS.down, keys: "q", run: () => void this.next(), also: t("queues.also") }] : []),
      { text: t(isOn ? "queues.accept.off" : "queues.accept.on"), icon: ICONS.mine, keys: "", run: () => void this.accept(!isOn), also: t("queues.also") },
    ];
  }

  // Asks for a reason, which may be left out, and gives a thread of this admin back to the queue that it came from.
  // Returns whether it came from one: else there is nothing to ask.
  /** @param {number} id */
  giveBack(id) {
    const { data: { rows }, ui: { dialog, language: { t } } } = this;
    const row = rows.get(id);
    const queue = row?.open && this.board.of(row.queue);
    if (!queue) return false;
    const given = { name: nameOf(row, t), queue: shown(queue.name) };
    const submit = (event) => {
      event.preventDefault();
      const { value } = event.target.elements.namedItem("reason");
      dialog.close();
      void this.#release(id, value.trim(), given);
    };
    dialog.open(t("act.release"), () => html`<form class="form queue-release" @submit=${submit}>
      <p>${t("queues.release.text", given)} ${t("queues.release.others")}</p>
      <label>${t("queues.release.reason")}<input name="reason" maxlength=${REASON_MAX} autocomplete="off" dir="auto"></label>
      <div class="form-acts"><button type="button" class="button" @click=${() => dialog.close()}>${t("cancel")}</button>
        <button type="submit" class="button button-accent">${t("act.release")}</button></div></form>`);
    dialog.element.querySelector("input")?.focus();
    return true;
  }

  async #release(id, reason, given) {
    const { data: { rows }, ui: { toasts, painter, language: { t } }, acts: { acting } } = this;
    try {
      const path = `${API}/threads/${id}/release`;
      const { row, act } = await this.http.post(path, reason ? { reason } : {});
      if (row) rows.put(row);
      (await acting.get())?.undoing.offer({ text: t("queues.released", given), acts: act ? [act] : [] });
    } catch (error) {
      toasts.show(refusalOf(error, t));
    }
    painter.askAll();
  }

  // Why a queue gave a thread to an admin, or why it still waits.
  /** @param {QueueExplanation} given */
  explained(given) {
    const { t } = this.ui.language;
    const isPulled = this.board.of(given.queue.id)?.mode === "pull";
    const named = {
      ...given, queue: { ...given.queue, name: shown(given.queue.name) },
      admin: given.admin && { ...given.admin, name: shown(given.admin.name) },
      admins: given.admins.map((one) => ({ ...one, name: shown(one.name) })),
    };
    return html`<p class="explain-queue">${explanation(named, isPulled, t)}</p>`;
  }
}

// The notices of threads that a queue has just given to the admin, with the time that is left to open them.
const TICK_MS = 500;
const RETURNED_MS = 10 * 60 * 1000; // for so long the page says that a thread went back

export class GivenNotices extends PageModule {
  #threads = new GivenThreads();
  #timer = null;
  #back = []; // {id, name, queue, reason} of the threads that the toast tells of
  #toast = 0; // about threads that went back
  #offers = false; // whether it has the button to accept again
  #root = document.createElement("div");

  // accept() switches the admin to accepting.
  /** @param {Page & { accept(): void }} page */
  constructor({ accept, ...page }) {
    super(page);
    this.accept = accept;
    document.getElementById("toasts").prepend(this.#root); // the painted toasts stand below
    this.ui.painter.add("given", () => this.#paint());
  }

  // The server also sends, after a new connection, those that are not opened yet.
  /** @param {GivenThread} thread */
  add(thread) {
    const { data: { rows }, ui: { language: { t }, announce } } = this;
    rows.put(thread.row);
    const isNew = this.#threads.add(thread);
    if (isNew && thread.thread_id !== this.#openId) {
      announce(t("queues.given.told", this.#named(thread)));
      void this.#sound(thread);
    }
    this.#look();
    this.#timer ??= setInterval(() => this.#look(), TICK_MS);
  }

  // The sound, the system's notification and the mark of the row are those of other notices.
  async #sound({ thread_id: id, until, row }) {
    (await this.ui.notifier.get())?.notice({
      kind: "queue", id: `${id} ${until}`, thread_id: id, at: this.net.now(), customer: row.customer, by: null,
      text: row.preview?.body ?? "",
    });
  }

  #named({ row, queue }) {
    const { t } = this.ui.language;
    return { name: nameOf(row, t), queue: shown(queue.name) };
  }

  // A thread went back to its queue: says so, with a button to go on. One toast tells of all, until it is closed.
  /** @param {ReturnedThread} returned */
  returned({ thread_id: id, queue, reason, accepting }) {
    const { data: { rows }, ui: { toasts, language: { t } } } = this;
    this.#threads.drop(id);
    this.#look();
    if (reason === "released") return;
    const row = rows.get(id);
    const one = { id, name: row ? nameOf(row, t) : `#${id}`, queue: queue && shown(queue.name), reason };
    const others = toasts.drop(this.#toast) ? this.#back.filter((other) => other.id !== id) : [];
    this.#back = [...others, one];
    this.#offers = !accepting;
    const text = [returnedText(this.#back, t), accepting ? "" : t("queues.now.not")].filter(Boolean).join(" ");
    const again = { text: t("queues.accept.again"), run: () => this.accept() };
    this.#toast = toasts.show(text, accepting ? null : again, { shownMs: RETURNED_MS, stays: true });
  }

  // The admin accepts threads, or does not: then an offer to accept again is no use.
  /** @param {boolean} isOn */
  accepting(isOn) { if (isOn && this.#offers) this.ui.toasts.drop(this.#toast); }

  /** @param {number} id */
  drop(id) {
    this.#threads.drop(id);
    this.#look();
  }

  // After a new connection: these are all that are still to be opened.
  /** @param {number[]} ids */
  keep(ids) {
    for (const { thread_id: id } of this.#threads.list) if (!ids.includes(id)) this.drop(id);
  }

  // The key: opens the thread that was given first. False if there is none.
  openFirst() {
    this.#look();
    const [first] = this.#threads.list;
    return first ? void this.#open(first.thread_id) : false;
  }

  #open(id) {
    this.#threads.drop(id);
    this.acts.open(id);
    this.ui.painter.ask("given");
  }

  // The thread on the screen.
  get #openId() { return document.visibilityState === "visible" ? this.data.thread.id : null; }

  #look() {
    const { data: { rows, adminId }, net: { now, call } } = this;
    const openId = this.#openId;
    // A thread that is on the screen when it is given is opened: the server does not know yet.
    if (this.#threads.list.some(({ thread_id: id }) => id === openId)) call("thread:open", { id: openId }).catch(() => {});
    this.#threads.look({ openId, adminId, now: now(), rowOf: (id) => rows.get(id) });
    if (!this.#threads.list.length) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    this.ui.painter.ask("given");
  }

  #paint() {
    const { list } = this.#threads;
    render(list.length ? html`<section class="given-list" aria-label=${this.ui.language.t("queues.given.list")}
      >${repeat(list, ({ thread_id: id }) => id, (thread, at) => this.#notice(thread, at === 0))}</section>` : "", this.#root);
  }

  #notice(thread, isFirst) {
    const { t } = this.ui.language;
    const left = thread.until === null ? null : secondsLeft(thread.until, this.net.now());
    return html`<div class="toast given" role="group" aria-label=${t("queues.given", this.#named(thread))}
      ?data-soon=${left !== null && left <= 10}>
      <span class="toast-text"><bdi>${t("queues.given", this.#named(thread))}</bdi>
        ${left === null ? "" : html`<span class="given-left" aria-hidden="true">${t("queues.given.left",
          { time: countDown(left) })}</span>`}</span>
      <button type="button" class="button button-accent" aria-keyshortcuts=${isFirst ? "Shift+O" : ""}
        @click=${() => this.#open(thread.thread_id)}>${t("notice.open")}${isFirst
          ? html`<kbd aria-hidden="true">Shift O</kbd>` : ""}</button></div>`;
  }
}
