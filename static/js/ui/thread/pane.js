// The pane of the open thread: its head, its messages and the composer.

import { html, render } from "lit-html";

import { snoozedText } from "../../core/row-texts.js";
import { Reading, SendGuard, Writers } from "../../core/thread/reading.js";
import { isLookedAt } from "../elements/attention.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { Canned, MentionCompletion } from "./completion.js";
import { Composer } from "./composer.js";
import { Attaching } from "./files.js";
import { threadHead } from "./head.js";
import { Found } from "./matches.js";
import { MentionReader } from "./mention-reader.js";
import { MessagesPane } from "./messages.js";
import { Printout } from "./printout.js";

export class ThreadPane extends PageModule {
  // at(id): the element.
  /** @param {Page & { at: (id: string) => HTMLElement }} page */
  constructor({ at, ...page }) {
    super(page);
    for (const id of ["thread-head", "thread-snooze", "thread-new", "thread-closed"]) at(id).replaceChildren();
    this.at = at;
    this.canned = new Canned(page);
    this.replies = new Replies({
      ...page,
      posted: () => {
        this.ui.follow.replied();
        this.messages.toEnd();
      },
      takenBack: (item) => this.composer.put(item),
      toEnd: () => this.messages.toEnd(),
    });
    const { replies } = this;
    const reading = new Reading(this.data);
    this.writers = new Writers({ presence: this.data.presence, now: this.net.now });
    const guard = new SendGuard({
      reading, writers: this.writers, assigneeOf: (id) => this.data.rows.get(id)?.assignee,
    });
    this.found = new Found({ ...page, root: at("thread-matches"), messages: at("messages") });
    this.messages = new MessagesPane({
      ...page, root: at("messages"), replies, reading, found: this.found,
      mentions: new MentionReader({ ...page, looked: isLookedAt }),
    });
    this.printout = new Printout(page);
    const attaching = new Attaching({ ...page, root: at("thread-pane") });
    this.composer = new Composer({
      ...page, root: at("composer"), replies, canned: this.canned, reading, guard, attaching,
      mentions: new MentionCompletion(page),
    });
  }

  paintHead() {
    const { at } = this;
    this.ui.changes.paint();
    render(threadHead(this), at("thread-head"));
    render(snoozeBar(this), at("thread-snooze"));
    this.found.paint();
    render(this.#newMessages(), at("thread-new"));
    render(this.#closed(), at("thread-closed"));
  }

  // The line over the composer of a closed thread: a reply does not reopen it.
  #closed() {
    const { data: { thread: { id, row, state } }, ui: { language: { t } } } = this;
    if (id === null || state !== "ready" || row?.open !== false) return "";
    return html`<p class="thread-closed">${t("thread.is_closed")}</p>`;
  }

  #newMessages() {
    const { t } = this.ui.language;
    const count = this.messages.unseen;
    if (!count && this.data.thread.messages.atNewest) return "";
    const text = count ? t("thread.new", { count }) : t("thread.newest");
    return html`<button type="button" class="button button-accent"
      @click=${() => this.messages.toEnd()}>↓ ${text}</button>`;
  }
}

// The bar of a snoozed thread: until when, by whom, what wakes it; with buttons to change and wake it.
/** @param {Page} page */
function snoozeBar({
  data: { thread: { row }, adminId },
  net: { now },
  ui: { snooze, picks, language: { t, words } },
  acts: { actions },
}) {
  if (!row?.snooze) return "";
  const given = { t, words, adminId, now: now() };
  return html`<div class="snooze-bar"><span class="snooze-icon">${ICONS.snoozed}</span>
    <span class="snooze-text" title=${words.whole(row.snooze.until)}>${snoozedText(row.snooze, given)}
      <span class="snooze-wakes">· ${t(`snooze.wakes.${row.snooze.wake}`)}</span></span>
    <button type="button" class="button snooze-change" @click=${() => snooze.open(null, picks.opened)}
      >${t("snooze.change")}</button>
    <button type="button" class="button snooze-wake" @click=${() => actions.wake()}
      >${t("act.wake")}</button></div>`;
}

// Sends replies, retries failed ones, and takes unsent ones back into the composer.
export class Replies extends PageModule {
  // posted(): a reply was posted; takenBack(item): an unsent one returns to the composer; toEnd(): scrolls to
  // the newest messages.
  /** @param {Page & {
   *   posted: () => void, takenBack: (item: OutboxItem) => void, toEnd: () => void,
   * }} page */
  constructor({ posted, takenBack, toEnd, ...page }) {
    super(page);
    this.posted = posted;
    this.takenBack = takenBack;
    this.toEnd = toEnd;
  }

  // after: "stay", "done" or "next"
  post(reply) {
    this.data.outbox.post(reply);
    this.posted();
  }

  // Sends the replies that the server held in this thread.
  /** @param {number} threadId */
  confirm(threadId) {
    const held = this.data.outbox.of(threadId).findLast(({ state }) => state === "moved");
    if (held) this.data.outbox.confirm(held.token);
  }

  // A reply was held before it was sent: shows the new messages.
  held({ unread }) {
    if (unread.length) this.toEnd();
  }

  /** @param {number} threadId */
  next(threadId) { this.acts.actions.openNext(threadId); }

  // Sends again a reply that failed to reach the customer.
  /** @param {number} messageId */
  async sendAgain(messageId) {
    const { id } = this.data.thread;
    try {
      const { message } = await this.net.api.sendAgain(id, messageId);
      this.data.thread.received({ thread_id: id, message });
    } catch (error) {
      this.ui.toasts.show(refusalOf(error, this.ui.language.t));
    }
  }

  /** @param {OutboxItem} item */
  takeBack(item) {
    const body = this.data.outbox.discard(item.token);
    if (body !== null) this.takenBack(item);
  }
}
