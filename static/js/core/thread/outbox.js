// Replies that are not sent yet. Each has a token, so that a retry never makes a second message. They
// are kept for all windows of the browser: whichever is open sends what another one left.

import { delayMs } from "../backoff.js";

const TRIES = 4;
const ABANDONED_MS = 30_000; // a try that another window began this long ago has ended with it
const SLOW_MS = 2000; // a reply that takes longer is shown as not sent

// state: sending, failed (retry offered), moved (the conversation went on: confirm), signed-out
export class Outbox {
  #items = new Map(); // token → item
  #flying = new Set(); // tokens that this window sends
  #changed;

  /** @param {OutboxParts} parts */
  constructor({
    send, token, changed, sent, stopped = () => {}, moved, storage, adminId, now = Date.now,
    online = () => true, timers = globalThis, random = Math.random,
  }) {
    this.send = send;
    this.token = token;
    this.sent = sent;
    this.stopped = stopped;
    this.moved = moved;
    this.storage = null;
    this.now = now;
    this.online = online;
    this.timers = timers;
    this.random = random;
    this.prefix = `lineup:outbox:${adminId}:`;
    this.#changed = changed;
    if (storage) this.keepIn(storage);
  }

  // Where unsent replies are kept; what an earlier page left there is taken over.
  /** @param {TextStorage} storage */
  keepIn(storage) {
    this.storage = storage;
    this.#restore();
    for (const item of this.#items.values()) this.#keep(item);
    this.#changed();
  }

  /** @param {number} threadId */
  of(threadId) { return this.list.filter((item) => item.threadId === threadId); }
  get size() { return this.#items.size; }
  // Oldest first.
  get list() { return [...this.#items.values()].sort((a, b) => a.at - b.at); }
  // What is not just being sent.
  get late() { return this.list.filter((item) => this.#isLate(item)); }

  // after: what follows once it is sent, see app/unsent.js; mentions: who is meant by names in a note.
  post({ threadId, body, isPrivate, seen, after = null, files = [], mentions = [] }) {
    const item = {
      token: this.token(), threadId, body, private: isPrivate, seen, after, files, mentions,
      confirm: false, at: this.now(), state: "sending", problem: null, unseen: [], tries: 0,
      triedAt: this.now(), failed: false,
    };
    this.#items.set(item.token, item);
    this.#keep(item);
    this.#go(item);
    this.#changed();
    this.timers.setTimeout(() => this.#changed(), SLOW_MS + 1);
    return item;
  }

  // With the same token: if an earlier try reached the server, it answers with that message.
  /** @param {string} token */
  retry(token) {
    const item = this.#items.get(token);
    if (!item || this.#isSending(item)) return;
    item.tries = 0;
    this.#go(item);
  }

  // After the unseen messages were shown.
  /** @param {string} token */
  confirm(token) {
    const item = this.#items.get(token);
    if (item?.state !== "moved") return;
    item.confirm = true;
    item.seen = Math.max(item.seen ?? 0, ...item.unseen.map(({ id }) => id));
    this.retry(token);
  }

  // Removes a reply; returns its text for the composer.
  /** @param {string} token */
  discard(token) {
    const item = this.#items.get(token);
    if (!item || this.#isSending(item)) return null;
    this.#drop(item);
    return item.body;
  }

  // Retries what failed for lack of a connection or a session. once: with a single try each.
  retryWaiting({ once = false } = {}) {
    for (const item of this.#items.values()) {
      const isLost = item.state === "failed" && item.problem === "network";
      const isAbandoned = item.state === "sending" && !this.#isSending(item);
      if (this.#flying.has(item.token)) continue;
      if (item.state !== "signed-out" && !isLost && !isAbandoned) continue;
      item.tries = once ? TRIES - 1 : 0;
      this.#go(item, isLost && once ? "failed" : "sending");
    }
  }

  // The page is closed: another window, or the next page, sends what this one was sending.
  abandon() {
    for (const token of this.#flying) {
      const item = this.#items.get(token);
      if (item) this.#keep({ ...item, state: "failed", problem: "network", failed: true });
    }
  }

  // Another window changed what is kept under this key.
  /** @param {string | null} key */
  taken(key) {
    if (!key?.startsWith(this.prefix)) return;
    const token = key.slice(this.prefix.length);
    if (this.#flying.has(token)) return;
    const item = this.#read(key);
    if (item) this.#items.set(token, item);
    else this.#items.delete(token);
    this.#changed();
  }

  #isSending({ token, state, triedAt }) {
    return this.#flying.has(token)
      || (state === "sending" && this.now() - triedAt < ABANDONED_MS);
  }

  #isLate({ state, failed, at }) {
    return state !== "sending" || failed || this.now() - at > SLOW_MS;
  }

  // state: "failed" for a try that nobody asked for, so that the screen stays calm.
  async #go(item, state = "sending") {
    this.#flying.add(item.token);
    item.triedAt = this.now();
    if (state !== item.state) this.#set(item, state);
    item.tries += 1;
    try {
      const { message } = await this.send(item);
      this.#drop(item);
      this.sent(item, message);
    } catch (error) {
      this.#refused(item, error);
    }
  }

  #refused(item, error) {
    item.failed = true;
    if (error.code === "conversation_moved") {
      item.unseen = error.body?.unseen ?? [];
      this.#stop(item, "moved");
      this.moved(item);
    } else if (error.status === 401) this.#stop(item, "signed-out");
    else if (error.status >= 400 && error.status < 500 && error.status !== 429) {
      this.#stop(item, "failed", { code: error.code, detail: error.detail });
    } else if (item.tries < TRIES && this.online()) {
      const ms = delayMs(item.tries - 1, { random: this.random });
      this.timers.setTimeout(() => this.#go(item), Math.max(ms, error.retryAfterMs ?? 0));
      this.#changed();
    } else this.#stop(item, "failed", "network");
  }

  #stop(item, state, problem = null) {
    const wasTold = item.told === state;
    item.told = state;
    this.#flying.delete(item.token);
    this.#set(item, state, problem);
    if (!wasTold) this.stopped(item);
  }

  #set(item, state, problem = null) {
    item.state = state;
    item.problem = problem;
    this.#keep(item);
    this.#changed();
  }

  #drop(item) {
    this.#flying.delete(item.token);
    this.#items.delete(item.token);
    try {
      this.storage?.removeItem(this.prefix + item.token);
    } catch {
      // Storage is forbidden: nothing is kept there.
    }
    this.#changed();
  }

  #keep(item) {
    try {
      this.storage?.setItem(this.prefix + item.token, JSON.stringify(item));
    } catch {
      // Storage is full or forbidden: unsent replies are lost with the page.
    }
  }

  // After a reload it is unknown whether the last try arrived; the token makes a retry safe.
  #restore() {
    try {
      for (const key of this.storage.keys().filter((name) => name.startsWith(this.prefix))) {
        const item = this.#read(key);
        if (!item || this.#items.has(item.token)) continue;
        if (item.state === "sending") Object.assign(item, { state: "failed", problem: "network" });
        this.#items.set(item.token, { ...item, failed: true });
      }
    } catch {
      // There is nothing readable in storage.
    }
  }

  #read(key) {
    try {
      return JSON.parse(this.storage.getItem(key));
    } catch {
      return null;
    }
  }
}
