// The pane of the open thread: its head, its messages and the composer.

import { html, render } from "lit-html";

import { snoozedText } from "../../core/row-texts.js";
import { Reading, SendGuard, Writers } from "../../core/thread/reading.js";
import { isLookedAt } from "../elements/attention.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { Canned, MentionCompletion } from "./completion.js";
import { Composer } from "./composer.js";
import { Attaching } from "./files.js";
import { threadHead } from "./head.js";
import { Found } from "./matches.js";
import { MentionReader } from "./mention-reader.js";
import { MessagesPane } from "./messages.js";
import { Printout } from "./printout.js";

export class ThreadPane {
  // at(id): the element; replied(): the admin sent a reply; parts: also what head.js uses.
  /** @param {ThreadPaneParts} parts */
  constructor(parts) {
    const { at, replied } = parts;
    for (const id of ["thread-head", "thread-snooze", "thread-new", "thread-closed"]) at(id).replaceChildren();
    this.parts = parts;
    this.canned = new Canned(parts);
    this.replies = new Replies({
      ...parts,
      posted: () => {
        replied();
        this.messages.toEnd();
      },
      takenBack: (item) => this.composer.put(item),
      toEnd: () => this.messages.toEnd(),
    });
    const { replies } = this;
    const reading = new Reading(parts);
    this.writers = new Writers(parts);
    const guard = new SendGuard({ reading, writers: this.writers });
    this.found = new Found({ ...parts, root: at("thread-matches"), messages: at("messages") });
    this.messages = new MessagesPane({
      ...parts, root: at("messages"), replies, reading, found: this.found,
      mentions: new MentionReader({ ...parts, looked: isLookedAt }),
    });
    this.printout = new Printout(parts);
    const attaching = new Attaching({ ...parts, root: at("thread-pane") });
    this.composer = new Composer({
      ...parts, root: at("composer"), replies, canned: this.canned, reading, guard, attaching,
      mentions: new MentionCompletion(parts),
    });
  }

  paintHead() {
    const { at } = this.parts;
    render(threadHead(this.parts), at("thread-head"));
    render(snoozeBar(this.parts), at("thread-snooze"));
    this.found.paint();
    render(this.#newMessages(), at("thread-new"));
    render(this.#closed(), at("thread-closed"));
  }

  // Over the composer: what a reply does to a closed thread.
  #closed() {
    const { thread: { id, row, state }, language: { t } } = this.parts;
    if (id === null || state !== "ready" || row?.open !== false) return "";
    return html`<p class="thread-closed">${t("thread.is_closed")}</p>`;
  }

  #newMessages() {
    const { t } = this.parts.language;
    const count = this.messages.unseen;
    if (!count && this.parts.thread.messages.atNewest) return "";
    const text = count ? t("thread.new", { count }) : t("thread.newest");
    return html`<button type="button" class="button button-accent"
      @click=${() => this.messages.toEnd()}>↓ ${text}</button>`;
  }
}

// Below the head of a snoozed thread: until when, by whom, what wakes it; to change it and to wake it.

/** @param {SnoozeBarParts} parts */
export function snoozeBar({ thread: { row }, actions, snooze, adminId, now, language: { t, words } }) {
  if (!row?.snooze) return "";
  const given = { t, words, adminId, now: now() };
  return html`<div class="snooze-bar"><span class="snooze-icon">${ICONS.snoozed}</span>
    <span class="snooze-text" title=${words.whole(row.snooze.until)}>${snoozedText(row.snooze, given)}
      <span class="snooze-wakes">· ${t(`snooze.wakes.${row.snooze.wake}`)}</span></span>
    <button type="button" class="button snooze-change" @click=${() => snooze.open()}
      >${t("snooze.change")}</button>
    <button type="button" class="button snooze-wake" @click=${() => actions.wake()}
      >${t("act.wake")}</button></div>`;
}

// Sends replies, sends failed ones again, and takes unsent ones back into the composer.
export class Replies {
  // posted(): a reply was written; takenBack(item): an unsent one goes back; toEnd(): the newest
  // messages are to be on screen.
  /** @param {RepliesParts} parts */
  constructor({ thread, outbox, api, actions, toasts, language, posted, takenBack, toEnd }) {
    this.thread = thread;
    this.outbox = outbox;
    this.api = api;
    this.toasts = toasts;
    this.language = language;
    this.posted = posted;
    this.takenBack = takenBack;
    this.actions = actions;
    this.toEnd = toEnd;
  }

  // after: "stay", "done" or "next"
  post(reply) {
    this.outbox.post(reply);
    this.posted();
  }

  // Sends what the server held in this thread, as its button does.
  /** @param {number} threadId */
  confirm(threadId) {
    const held = this.outbox.of(threadId).findLast(({ state }) => state === "moved");
    if (held) this.outbox.confirm(held.token);
  }

  // A reply was held before it was sent: what came is to be on screen.
  held({ unread }) {
    if (unread.length) this.toEnd();
  }

  /** @param {number} threadId */
  next(threadId) { this.actions.openNext(threadId); }

  // Sends a reply again that failed to reach the customer.
  /** @param {number} messageId */
  async sendAgain(messageId) {
    const { id } = this.thread;
    try {
      const { message } = await this.api.sendAgain(id, messageId);
      this.thread.received({ thread_id: id, message });
    } catch (error) {
      this.toasts.show(refusalOf(error, this.language.t));
    }
  }

  /** @param {OutboxItem} item */
  takeBack(item) {
    const body = this.outbox.discard(item.token);
    if (body !== null) this.takenBack(item);
  }
}
