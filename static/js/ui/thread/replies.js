// Sends replies, sends failed ones again, and takes unsent ones back into the composer.

import { refusalOf } from "../elements/refusal.js";

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
