// The messages of the open thread, newest last; the message being read keeps its place on screen.

import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { onResize } from "../../browser.js";
import { dayOf, ownZone, sameDay } from "../../core/time.js";
import { isLookedAt } from "../elements/attention.js";
import { langOf, nameOf } from "../elements/avatar.js";
import { emptyState } from "../elements/empty.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";
import { actLine, merged } from "./act-line.js";
import { kindOf, messageItem, unsentItem } from "./message.js";
import { QueueNow } from "./queue-now.js";

const NEAR_END_PX = 48;
const NEAR_START_PX = 300;
const JOINED_MS = 5 * 60 * 1000;
const LOOK_MS = 250; // interval of looking which messages can be read
const SEEN_PX = 20; // px of a message from which its beginning or end counts as seen

export class MessagesPane extends PageModule {
  #threadId = null;
  #atEnd = true;
  #top = 0; // px, where the messages begin in the window
  #timer = null;

  /** @param {Page & {
   *   root: HTMLElement, replies: import("./pane.js").Replies,
   *   reading: import("../../core/thread/reading.js").Reading,
   *   found: import("./matches.js").Found, mentions: import("./mention-reader.js").MentionReader,
   * }} page */
  constructor({ root, replies, reading, found, mentions, ...page }) {
    super(page);
    this.root = root;
    this.replies = replies;
    this.reading = reading;
    this.found = found;
    this.mentions = mentions;
    this.queueNow = new QueueNow(page);
    root.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    document.addEventListener("visibilitychange", () => this.#see());
    addEventListener("focus", () => mentions.look());
    onResize(root, () => this.#resized());
  }

  get unseen() {
    const { thread } = this.data;
    if (this.#atEnd || thread.state !== "ready") return 0;
    const { list, behind } = thread.messages;
    const seenId = Math.max(thread.seenId, thread.openedId);
    return [...list, ...behind].filter(({ id, role }) => id > seenId && role === "client").length;
  }

  async toEnd() {
    await this.data.thread.toNewest();
    this.#atEnd = true;
    this.ui.painter.ask("messages", "thread");
  }

  paint() {
    const { thread } = this.data;
    if (thread.id !== this.#threadId) {
      this.#threadId = thread.id;
      this.#atEnd = thread.target === null;
    }
    this.root.setAttribute("aria-label", this.#label());
    const anchor = this.#atEnd ? null : this.#anchor();
    render(this.#content(), this.root);
    if (anchor) this.root.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top;
    this.#reach();
    this.#stay();
    this.#see();
    this.#fill();
    this.mentions.look();
  }

  #label() {
    const { row } = this.data.thread;
    const { t } = this.ui.language;
    return row ? t("thread.messages", { name: nameOf(row, t) }) : t("thread.none");
  }

  // Scrolls to the wanted message, or to the first marked word in it.
  #reach() {
    const { data: { thread }, root } = this;
    const message = thread.state !== "ready" || thread.target === null ? null
      : root.querySelector(`.message[data-id="${thread.target}"]`);
    if (!message) return;
    const box = (message.querySelector("mark") ?? message).getBoundingClientRect();
    const pane = root.getBoundingClientRect();
    root.scrollTop += box.top - pane.top - Math.max(0, pane.height - box.height) / 2;
    this.#atEnd = this.#isAtEnd();
    this.found.reached(thread.target);
    thread.target = null;
  }

  #isNearEnd() {
    const { root } = this;
    return root.scrollHeight - root.scrollTop - root.clientHeight < NEAR_END_PX;
  }

  #isAtEnd() { return this.#isNearEnd() && this.data.thread.messages.atNewest; }

  // Returns the first message in view that is still painted afterwards.
  #anchor() {
    const edge = this.root.getBoundingClientRect().top;
    const painted = new Set(this.data.thread.messages.painted.map(({ id }) => String(id)));
    /** @type {NodeListOf<HTMLElement>} */
    const all = this.root.querySelectorAll(".message[data-id]");
    for (const element of all) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge && painted.has(element.dataset.id)) return { element, top };
    }
    return null;
  }

  // A bar above the messages that comes or goes, such as that of a snooze, moves none of them.
  #resized() {
    const { top, height } = this.root.getBoundingClientRect();
    if (!height) return; // a phone shows the list
    if (!this.#atEnd) this.root.scrollTop += top - this.#top;
    this.#top = top;
    this.#stay();
  }

  #stay() {
    if (this.#atEnd) this.root.scrollTop = this.root.scrollHeight;
  }

  #see() {
    const { data: { thread }, ui: { changes } } = this;
    if (!this.#atEnd || thread.state !== "ready" || document.visibilityState !== "visible" || changes.shown) return;
    thread.seen();
  }

  // Counts the time for which new messages since the draft began are on screen, until they are read.
  watch() {
    if (this.reading.unread.length) this.#timer ??= setTimeout(() => this.#read(), LOOK_MS);
  }

  #read() {
    this.#timer = null;
    const { unread } = this.reading;
    const inView = isLookedAt() ? unread.filter(({ id }) => this.#isInView(id)) : [];
    this.reading.shown(inView.map(({ id }) => id), LOOK_MS);
    if (inView.length) this.ui.painter.ask("composer");
    this.watch();
  }

  // Whether the whole message is in view, or a part that fills the window.
  #isInView(id) {
    const message = this.root.querySelector(`.message[data-id="${id}"]`);
    if (!message) return false;
    const { top, bottom } = this.root.getBoundingClientRect();
    const box = message.getBoundingClientRect();
    const isEndIn = box.bottom <= bottom + SEEN_PX && box.bottom > top + SEEN_PX;
    const isStartIn = box.top >= top - SEEN_PX && box.top < bottom - SEEN_PX;
    const fills = box.top <= top && box.bottom >= bottom;
    return bottom > top && (isEndIn ? isStartIn || box.height > bottom - top : fills);
  }

  // Loads more while the loaded messages do not fill the window, because then nothing can be scrolled.
  #fill() {
    const { thread } = this.data;
    if (thread.state !== "ready" || this.root.scrollHeight > this.root.clientHeight) return;
    if (thread.messages.more && !thread.olderFailed) thread.loadOlder();
    thread.loadLater();
  }

  #scrolled() {
    const { data: { thread }, root } = this;
    const wasAtEnd = this.#atEnd;
    this.#atEnd = this.#isAtEnd();
    if (this.#isNearEnd() && !thread.messages.isAtEnd) {
      thread.messages.newer();
      this.ui.painter.ask("messages");
    } else if (this.#isNearEnd()) thread.loadLater();
    if (root.scrollTop < NEAR_START_PX && !thread.olderFailed) thread.loadOlder();
    this.#see();
    if (wasAtEnd !== this.#atEnd) this.ui.painter.ask("thread");
  }

  #content() {
    const { data: { thread }, ui: { language: { t } } } = this;
    if (thread.state === "none") return this.queueNow.content();
    if (thread.state === "missing") return emptyState({ icon: ICONS.thread, title: t("thread.missing") });
    const isEmpty = thread.state === "failed" || thread.state === "loading";
    if (isEmpty && this.net.connectionState.isLost) {
      return emptyState({ icon: ICONS.thread, title: t("thread.offline"), text: t("thread.offline.text") });
    }
    if (thread.state === "failed") {
      const acts = [{ text: t("retry"), run: () => thread.retry() }];
      return emptyState({ icon: ICONS.thread, title: t("thread.failed"), acts });
    }
    if (thread.state === "loading") return skeleton();
    return html`<div class="messages-start">${this.#start()}</div>
      <ol class="messages-list">
        ${repeat(this.#items(), ({ key }) => key, ({ content }) => content())}
      </ol>`;
  }

  #start() {
    const { data: { thread }, ui: { language: { t } } } = this;
    if (thread.olderFailed) {
      return html`<button type="button" class="button" @click=${() => thread.loadOlder()}
        >${t("thread.older_failed")}</button>`;
    }
    if (thread.loadingOlder) return t("thread.older");
    return thread.messages.more || thread.messages.from > 0 ? "" : t("thread.start");
  }

  // The painted messages, and the acts between them.
  #line() {
    const { messages, acts } = this.data.thread;
    return merged(messages.painted, acts.between(messages.sinceMs, messages.untilMs));
  }

  #items() {
    const { data: { thread, adminId }, ui: { language: { t, words } }, replies, mentions } = this;
    const sendAgain = (id) => replies.sendAgain(id);
    const look = { t, words, adminId, sendAgain, mentions, now: this.net.now(), row: thread.row };
    const items = linesOf(this.#line(), look, (id) => this.found.lookOf(id));
    if (thread.messages.atNewest) {
      for (const item of this.data.outbox.of(thread.id)) {
        items.push({ key: item.token, content: () => unsentItem(item, this) });
      }
    }
    return items;
  }
}

// Returns messages and acts, from `merged`, with a line before each day: {key, content()}.
/** @param {{act?: Act, message?: Message}[]} line @param {any} given what each line is shown with
 * @param {(messageId: number) => object} lookOf what a message is shown with besides */
export function linesOf(line, given, lookOf = () => ({})) {
  const { row, adminId, now, words, t } = given;
  const look = { ...given, customerName: row ? nameOf(row, t) : "", lang: langOf(row, t) };
  const items = [];
  let last = null; // the message right before
  let at = null; // the time of the line before
  for (const { act, message } of line) {
    const one = act ?? message;
    if (at === null || !sameDay(at, one.at)) items.push(dayLine(one.at, now, words));
    const joined = !act && last !== null && isJoined(last, message, adminId);
    items.push(act ? { key: `act-${act.id}`, content: () => actLine(act, look) } : {
      key: message.id,
      content: () => messageItem(message, { ...look, joined, ...lookOf(message.id) }),
    });
    last = act ? null : message;
    ({ at } = one);
  }
  return items;
}

const dayLine = (at, now, words) => ({
  key: `day-${dayOf(at, ownZone())}`,
  content: () => html`<li class="day"><span>${words.day(at, now)}</span></li>`,
});

const isJoined = (last, message, adminId) => message.at - last.at < JOINED_MS
  && sameDay(last.at, message.at)
  && kindOf(last, adminId) === kindOf(message, adminId)
  && last.author?.id === message.author?.id;

const skeleton = () => html`<div class="messages-loading" aria-hidden="true">
  ${["client", "own", "client", "client"].map((kind) => html`<div class="message-skeleton"
    data-kind=${kind}></div>`)}</div>`;
