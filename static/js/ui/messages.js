// The messages of the open thread, newest last: the reader's place is kept whatever comes in.

import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { sameDay } from "../core/time.js";
import { nameOf } from "./avatar.js";
import { kindOf, messageItem } from "./message.js";
import { waitingItem } from "./waiting.js";

const NEAR_END_PX = 48;
const NEAR_START_PX = 300;
const JOINED_MS = 5 * 60 * 1000;

export class MessagesPane {
  #threadId = null;
  #atEnd = true;

  constructor({ root, desk }) {
    this.root = root;
    this.desk = desk;
    root.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    document.addEventListener("visibilitychange", () => this.#see());
    new ResizeObserver(() => this.#stay()).observe(root);
  }

  get unseen() {
    const { thread } = this.desk;
    if (this.#atEnd || thread.state !== "ready") return 0;
    const { list } = thread.messages;
    return list.filter(({ id, role }) => id > thread.seenId && role === "client").length;
  }

  toEnd() {
    this.desk.thread.messages.toNewest();
    this.#atEnd = true;
    this.desk.ask("messages", "thread");
  }

  paint() {
    const { thread } = this.desk;
    if (thread.id !== this.#threadId) {
      this.#threadId = thread.id;
      this.#atEnd = true;
    }
    this.root.setAttribute("aria-label", this.#label());
    const anchor = this.#atEnd ? null : this.#anchor();
    render(this.#content(), this.root);
    if (anchor) this.root.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top;
    this.#stay();
    this.#see();
    this.#fill();
  }

  #label() {
    const { row, t } = this.desk;
    return row ? t("thread.messages", { name: nameOf(row, t) }) : t("thread.none");
  }

  // The first message that is seen and stays.
  #anchor() {
    const edge = this.root.getBoundingClientRect().top;
    const painted = new Set(this.desk.thread.messages.painted.map(({ id }) => String(id)));
    for (const element of this.root.querySelectorAll(".message[data-id]")) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge && painted.has(element.dataset.id)) return { element, top };
    }
    return null;
  }

  #stay() {
    if (this.#atEnd) this.root.scrollTop = this.root.scrollHeight;
  }

  #see() {
    const { thread } = this.desk;
    if (!this.#atEnd || thread.state !== "ready" || document.visibilityState !== "visible") return;
    thread.seen();
  }

  // A window higher than what is loaded could not be scrolled for more.
  #fill() {
    const { thread } = this.desk;
    if (thread.state === "ready" && this.root.scrollHeight <= this.root.clientHeight
        && thread.messages.more && !thread.olderFailed) thread.loadOlder();
  }

  #scrolled() {
    const { root, desk: { thread } } = this;
    const left = root.scrollHeight - root.scrollTop - root.clientHeight;
    const wasAtEnd = this.#atEnd;
    this.#atEnd = left < NEAR_END_PX && thread.messages.atNewest;
    if (left < NEAR_END_PX && !thread.messages.atNewest) {
      thread.messages.newer();
      this.desk.ask("messages");
    }
    if (root.scrollTop < NEAR_START_PX && !thread.olderFailed) thread.loadOlder();
    this.#see();
    if (wasAtEnd !== this.#atEnd) this.desk.ask("thread");
  }

  #content() {
    const { thread, t } = this.desk;
    if (thread.state === "none") return this.#placeholder(t("thread.none"), t("thread.none.text"));
    if (thread.state === "missing") return this.#placeholder(t("thread.missing"), "");
    if (thread.state === "failed") return this.#failed();
    if (thread.state === "loading") return skeleton();
    return html`<div class="messages-start">${this.#start()}</div>
      <ol class="messages-list">
        ${repeat(this.#items(), ({ key }) => key, ({ content }) => content())}
      </ol>`;
  }

  #placeholder(title, text) {
    return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p></div>`;
  }

  #failed() {
    const { t, thread } = this.desk;
    return html`<div class="empty"><p class="empty-title">${t("thread.failed")}</p>
      <button type="button" class="button"
        @click=${() => thread.retry()}>${t("retry")}</button></div>`;
  }

  #start() {
    const { t, thread } = this.desk;
    if (thread.olderFailed) {
      return html`<button type="button" class="button" @click=${() => thread.loadOlder()}
        >${t("thread.older_failed")}</button>`;
    }
    if (thread.loadingOlder) return t("thread.older");
    return thread.messages.more || thread.messages.from > 0 ? "" : t("thread.start");
  }

  #items() {
    const { thread, t, words, admin, row } = this.desk;
    const now = this.desk.now();
    const sendAgain = (id) => this.desk.acts.sendAgain(id);
    const customerName = row ? nameOf(row, t) : "";
    const items = [];
    let last = null;
    for (const message of thread.messages.painted) {
      if (!last || !sameDay(last.at, message.at)) items.push(dayLine(message.at, now, words));
      const joined = last !== null && isJoined(last, message, admin.id);
      const look = { t, words, adminId: admin.id, customerName, joined, sendAgain };
      items.push({ key: message.id, content: () => messageItem(message, look) });
      last = message;
    }
    if (thread.messages.atNewest) {
      for (const item of this.desk.outbox.of(thread.id)) {
        items.push({ key: item.token, content: () => waitingItem(item, this.desk) });
      }
    }
    return items;
  }
}

const dayLine = (at, now, words) => ({
  key: `day-${new Date(at).toDateString()}`,
  content: () => html`<li class="day"><span>${words.day(at, now)}</span></li>`,
});

const isJoined = (last, message, adminId) => sameDay(last.at, message.at)
  && message.at - last.at < JOINED_MS
  && kindOf(last, adminId) === kindOf(message, adminId)
  && last.author?.id === message.author?.id;

const skeleton = () => html`<div class="messages-loading" aria-hidden="true">
  ${["client", "own", "client", "client"].map((kind) => html`<div class="message-skeleton"
    data-kind=${kind}></div>`)}</div>`;
