// The notices of threads that a queue has just given to the admin, with the time that is left to open them.

import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { countDown, GivenThreads, secondsLeft } from "../../core/queues.js";
import { shown } from "../../core/names.js";
import { nameOf } from "../elements/avatar.js";
import { PageModule } from "../elements/page-module.js";

const TICK_MS = 500;
const RETURNED_MS = 10 * 60 * 1000; // for so long the page says that a thread went back

export class GivenNotices extends PageModule {
  #threads = new GivenThreads();
  #timer = null;
  #offers = []; // toasts with the button to accept again
  #root = document.createElement("div");

  // accept() switches the admin to accepting.
  /** @param {Page & { accept(): void }} page */
  constructor({ accept, ...page }) {
    super(page);
    this.accept = accept;
    // Above the toasts, which otherwise have the same place.
    const toasts = document.getElementById("toasts");
    const notices = document.createElement("div");
    notices.className = "notices";
    toasts.replaceWith(notices);
    notices.append(this.#root, toasts);
    this.ui.painter.add("given", () => this.#paint());
  }

  // The server also sends, after a new connection, those that are not opened yet.
  /** @param {GivenThread} thread */
  add(thread) {
    const { data: { rows, thread: { id } }, ui: { language: { t }, announce } } = this;
    rows.put(thread.row);
    const isNew = this.#threads.add(thread);
    if (thread.thread_id === id) this.#threads.drop(id);
    else if (isNew) {
      announce(t("queues.given.told", this.#named(thread)));
      void this.#sound(thread);
    }
    this.#look();
    this.#timer ??= setInterval(() => this.#look(), TICK_MS);
  }

  // The sound, the system's notification and the mark of the row are those of other notices.
  async #sound({ thread_id: id, until, row }) {
    (await this.ui.notifier.get())?.notice({
      kind: "queue", id: until ?? id, thread_id: id, at: this.net.now(), customer: row.customer, by: null,
      text: row.preview?.body ?? "",
    });
  }

  #named({ row, queue }) {
    const { t } = this.ui.language;
    return { name: nameOf(row, t), queue: shown(queue.name) };
  }

  // A thread went back to its queue: says so, with a button to go on.
  /** @param {ReturnedThread} returned */
  returned({ thread_id: id, queue, reason, accepting }) {
    const { data: { rows }, ui: { toasts, language: { t } } } = this;
    this.#threads.drop(id);
    this.#look();
    if (reason === "released") return;
    const row = rows.get(id);
    const name = row ? nameOf(row, t) : `#${id}`;
    const went = queue ? t(`queues.returned.${reason}`, { name, queue: shown(queue.name) })
      : t("queues.returned.nowhere", { name });
    const text = accepting ? went : `${went} ${t("queues.now.not")}`;
    const again = { text: t("queues.accept.again"), run: () => this.accept() };
    const toast = toasts.show(text, accepting ? null : again, { shownMs: RETURNED_MS, stays: true });
    this.#offers.push(toast);
  }

  // The admin accepts threads, or does not: then the offers to accept again are no use.
  /** @param {boolean} isOn */
  accepting(isOn) {
    if (!isOn) return;
    for (const toast of this.#offers) this.ui.toasts.drop(toast);
    this.#offers = [];
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

  #look() {
    const { data: { rows, thread, adminId }, net: { now } } = this;
    this.#threads.look({ openId: thread.id, adminId, now: now(), rowOf: (id) => rows.get(id) });
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
        ${left === null ? "" : html`<span class="given-left" role="timer" aria-live="off">${t("queues.given.left",
          { time: countDown(left) })}</span>`}</span>
      <button type="button" class="button button-accent" aria-keyshortcuts=${isFirst ? "Shift+O" : ""}
        @click=${() => this.#open(thread.thread_id)}>${t("notice.open")}${isFirst
          ? html`<kbd aria-hidden="true">Shift O</kbd>` : ""}</button></div>`;
  }
}
