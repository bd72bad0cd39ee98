// What can be done with the open thread. The screen changes when the server answers.

import { refusalOf } from "./refusal.js";

export class Acts {
  constructor(desk) {
    this.desk = desk;
  }

  claim() {
    const { row, admin } = this.desk;
    return this.#act(row?.assignee?.id === admin.id ? "release" : "claim");
  }

  prioritise(priority) {
    const { api, threadId } = this.desk;
    return this.#try(() => api.prioritise(threadId, priority));
  }

  // Closes and goes on with the next one; reopens what is closed.
  async finish() {
    if (this.desk.picks.size) return this.desk.bulk.finish();
    const { row, threadId, listPane, listing, place } = this.desk;
    if (row?.open === false) return this.#act("reopen");
    const next = listPane.nextTo(threadId);
    const done = await this.#act("close");
    const here = this.desk.threadId === threadId && this.desk.listing === listing;
    if (done && here && next !== null && place.page !== "history") {
      listing.activeId = next;
      this.desk.open(next);
    }
    return done;
  }

  reply({ threadId, body, isPrivate }) {
    const { thread, outbox, messages } = this.desk;
    outbox.post({ threadId, body, isPrivate, seen: thread.seenId || null });
    this.desk.follow.replied();
    messages.toEnd();
  }

  // A reply that did not reach the customer.
  async sendAgain(messageId) {
    const { api, thread, threadId, toasts } = this.desk;
    try {
      const { message } = await api.sendAgain(threadId, messageId);
      thread.received({ thread_id: threadId, message });
    } catch (error) {
      toasts.show(refusalOf(error, this.desk.t));
    }
  }

  // An unsent reply goes back to where it was written.
  takeBack(item) {
    const body = this.desk.outbox.discard(item.token);
    if (body !== null) this.desk.composer.put(item.threadId, body);
  }

  #act(action) {
    const { api, threadId } = this.desk;
    return this.#try(() => api.act(threadId, action));
  }

  // Returns whether it was done.
  async #try(run) {
    const { threadId, rows, toasts } = this.desk;
    if (threadId === null) return false;
    try {
      const { row } = await run();
      rows.put(row);
      return true;
    } catch (error) {
      if (error.code === "already_claimed") rows.mark(threadId);
      toasts.show(refusalOf(error, this.desk.t));
      return false;
    } finally {
      this.desk.painter.askAll();
    }
  }
}
