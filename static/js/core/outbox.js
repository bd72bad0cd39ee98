// Replies on their way. Each has a token, so that sending again never makes a second message.

import { delayMs } from "./backoff.js";

const TRIES = 4;

// state: sending, failed (retry offered), moved (the conversation went on: confirm), signed-out
export class Outbox {
  #items = new Map(); // token → item
  #changed;

  // send(item) → {message}, or throws {status, code, …}; token() makes a fresh one; sent(item,
  // message) and moved(item) tell the thread what it did not know.
  constructor({
    send, token, changed, sent, moved, storage, adminId, now = Date.now, timers = globalThis,
    random = Math.random,
  }) {
    Object.assign(this, { send, token, sent, moved, storage, now, timers, random });
    this.key = `lineup:outbox:${adminId}`;
    this.#changed = changed;
    this.#restore();
  }

  of(threadId) { return [...this.#items.values()].filter((item) => item.threadId === threadId); }
  get size() { return this.#items.size; }

  post({ threadId, body, isPrivate, seen }) {
    const item = {
      token: this.token(), threadId, body, private: isPrivate, seen,
      confirm: false, at: this.now(), state: "sending", problem: null, unseen: [], tries: 0,
    };
    this.#items.set(item.token, item);
    this.#go(item);
    return item;
  }

  // Same token: if the first try did get through after all, the server answers with that message.
  retry(token) {
    const item = this.#items.get(token);
    if (!item || item.state === "sending") return;
    item.tries = 0;
    this.#go(item);
  }

  // After the unseen messages were shown.
  confirm(token) {
    const item = this.#items.get(token);
    if (item?.state !== "moved") return;
    item.confirm = true;
    this.retry(token);
  }

  // Takes it back; returns the text for the composer.
  discard(token) {
    const item = this.#items.get(token);
    if (!item || item.state === "sending") return null;
    this.#items.delete(token);
    this.#keep();
    return item.body;
  }

  // The connection is back or the session is new: what failed for want of them is tried again.
  retryWaiting() {
    for (const item of this.#items.values()) {
      if (item.state === "signed-out" || (item.state === "failed" && item.problem === "network")) {
        this.retry(item.token);
      }
    }
  }

  async #go(item) {
    this.#set(item, "sending");
    item.tries += 1;
    try {
      const { message } = await this.send(item);
      this.#items.delete(item.token);
      this.#keep();
      this.sent(item, message);
    } catch (error) {
      this.#refused(item, error);
    }
  }

  #refused(item, error) {
    if (error.code === "conversation_moved") {
      item.unseen = error.body?.unseen ?? [];
      this.#set(item, "moved");
      this.moved(item);
    } else if (error.status === 401) this.#set(item, "signed-out");
    else if (error.status >= 400 && error.status < 500 && error.status !== 429) {
      this.#set(item, "failed", { code: error.code, detail: error.detail });
    } else if (item.tries < TRIES) {
      const ms = delayMs(item.tries - 1, { random: this.random });
      this.timers.setTimeout(() => this.#go(item), Math.max(ms, error.retryAfterMs ?? 0));
    } else this.#set(item, "failed", "network");
  }

  #set(item, state, problem = null) {
    item.state = state;
    item.problem = problem;
    this.#keep();
  }

  #keep() {
    try {
      if (this.#items.size) {
        this.storage.setItem(this.key, JSON.stringify([...this.#items.values()]));
      } else this.storage.removeItem(this.key);
    } catch {
      // Storage is full or forbidden: replies on their way live as long as the page.
    }
    this.#changed();
  }

  // After a reload nobody knows whether the last try arrived: the token makes asking again safe.
  #restore() {
    try {
      for (const item of JSON.parse(this.storage.getItem(this.key)) ?? []) {
        if (item.state === "sending") Object.assign(item, { state: "failed", problem: "network" });
        this.#items.set(item.token, item);
      }
    } catch {
      // Nothing readable was kept.
    }
  }
}
