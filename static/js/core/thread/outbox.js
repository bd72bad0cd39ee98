// Unsent replies, stored for all windows of the browser: any open window sends the replies that another
// one left. The replies of a thread form a line in the order in which they were written: each is posted
// after the server has taken the one before. Each has a token, so that a retry, even by another window,
// never makes a second message.

import { delayMs } from "../time.js";

const TRIES = 4;
const ABANDONED_MS = 30_000; // a try that another window began this long ago has ended with that window
const SLOW_MS = 2000; // a reply that takes longer is shown as unsent

// Sorts by place in the line; of equal places, given by two windows at once, the earlier reply goes first.
const inLine = (one, other) => (one.number ?? 0) - (other.number ?? 0) || one.at - other.at
  || (one.token < other.token ? -1 : 1);

// state: sending, failed (retry offered), moved (the conversation went on: confirm), signed-out. Replies
// behind an unsent one wait as "sending" and are shown as "queued".
export class Outbox {
  #items = new Map(); // token → item
  #flying = new Set(); // tokens of replies that this window is sending
  #unsaved = new Set();
  #changed;

  /** @param {OutboxOptions} options */
  constructor({
    send, token, changed, sent, stopped = () => {}, moved, storage, adminId, now = Date.now,
    clock = Date.now, online = () => true, timers = globalThis, random = Math.random,
  }) {
    this.send = send;
    this.token = token;
    this.sent = sent;
    this.stopped = stopped;
    this.moved = moved;
    this.storage = null;
    this.now = now;
    this.clock = clock; // the same in all windows; now() may differ by the loading time of a page
    this.online = online;
    this.timers = timers;
    this.random = random;
    this.prefix = `lineup:outbox:${adminId}:`;
    this.#changed = changed;
    if (storage) this.keepIn(storage);
  }

  // Sets the storage of unsent replies; takes over those that an earlier page left there.
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
  // All replies, oldest first.
  get list() { return [...this.#items.values()].sort(inLine); }
  // Whether a reply could not be stored, and would be lost with the page.
  get unsaved() { return this.#unsaved.size > 0; }
  // The replies that wait, failed or take long.
  get late() { return this.list.filter((item) => this.#isLate(item)); }

  // Returns "queued" if the reply waits for an unsent one before it; else its own state.
  /** @param {OutboxItem} item */
  stateOf(item) {
    const [first] = this.of(item.threadId);
    return item.state === "sending" && first !== item && first.state !== "sending" ? "queued" : item.state;
  }

  // after: the next step after sending, see app/unsent.js; mentions: ids of people named in a note; token: of
  // a reply that was taken back, but may have reached the server; suggestion: the id of the one in the text.
  post({ threadId, body, isPrivate, seen, after = null, files = [], mentions = [], token = null, suggestion }) {
    const item = {
      token: token ?? this.token(), threadId, body, private: isPrivate, seen, after, files, mentions, suggestion,
      number: Math.max(this.clock(), ...this.list.map((other) => 1 + (other.number ?? 0))),
      confirm: false, at: this.now(), state: "sending", problem: null, unseen: [], tries: 0,
      triedAt: 0, failed: false,
    };
    this.#items.set(item.token, item);
    this.#next(threadId);
    this.#keep(item);
    this.#changed();
    this.timers.setTimeout(() => this.#changed(), SLOW_MS + 1);
    return item;
  }

  // Uses the same token: if an earlier try reached the server, the server answers with that message.
  /** @param {string} token */
  retry(token) {
    const item = this.#items.get(token);
    if (!item || this.#isHeld(item)) return;
    item.tries = 0;
    item.triedAt = 0;
    this.#set(item, "sending");
    this.#next(item.threadId);
  }

  // The admin has seen the new messages: sends this reply and those written after it.
  /** @param {string} token */
  confirm(token) {
    const item = this.#items.get(token);
    if (item?.state !== "moved") return;
    item.confirm = true;
    for (const other of this.of(item.threadId)) {
      other.seen = Math.max(other.seen ?? 0, ...item.unseen.map(({ id }) => id));
    }
    this.retry(token);
  }

  // Removes a reply; returns its text for the composer, or null if it may be on its way.
  /** @param {string} token */
  discard(token) {
    const item = this.#items.get(token);
    if (!item || this.#isHeld(item)) return null;
    if (this.storage?.isCurrent?.(this.prefix + token) === false) {
      this.#refresh(); // another window has changed it
      return null;
    }
    this.#drop(item);
    this.#next(item.threadId);
    return item.body;
  }

  // Retries replies that failed without a connection or a session. once: with a single try each.
  retryWaiting({ once = false } = {}) {
    this.#refresh();
    for (const threadId of new Set(this.list.map((item) => item.threadId))) {
      const [item] = this.of(threadId);
      const isLost = item.state === "failed" && item.problem === "network";
      if (this.#isHeld(item)) continue;
      if (item.state !== "signed-out" && !isLost && item.state !== "sending") continue;
      item.tries = once ? TRIES - 1 : 0;
      this.#go(item, isLost && once ? "failed" : "sending");
    }
  }

  // The page is closed: another window, or the next page, continues sending.
  abandon() {
    for (const token of this.#flying) {
      const item = this.#items.get(token);
      if (item) this.#keep({ ...item, state: "failed", problem: "network", failed: true });
    }
  }

  // Another window changed the reply stored under this key.
  /** @param {string | null} key */
  taken(key) {
    if (!key?.startsWith(this.prefix)) return;
    const token = key.slice(this.prefix.length);
    const known = this.#items.get(token);
    const item = this.#read(key);
    if (item && !this.#flying.has(token)) this.#items.set(token, item);
    if (!item) this.#items.delete(token);
    if (!item && known) this.#next(known.threadId);
    this.#changed();
  }

  // Posts the first reply in the line of the thread, unless it is stopped or on its way.
  #next(threadId) {
    const [item] = this.of(threadId);
    if (item?.state === "sending" && !this.#isHeld(item)) this.#go(item);
  }

  // Whether this window or another one is sending it.
  #isHeld({ token, state, triedAt }) {
    return this.#flying.has(token)
      || (state === "sending" && this.now() - triedAt < ABANDONED_MS);
  }

  #isLate({ state, failed, at }) { return state !== "sending" || failed || this.now() - at > SLOW_MS; }

  // state: "failed" for an automatic retry, so that the screen stays calm.
  async #go(item, state = "sending") {
    if (this.#items.get(item.token) !== item) return this.#release(item);
    this.#flying.add(item.token);
    await this.#refresh();
    if (this.#items.get(item.token) !== item) return this.#release(item);
    if (this.of(item.threadId)[0] !== item) return this.#release(item);
    Object.assign(item, { triedAt: this.now(), tries: item.tries + 1 });
    if (state !== item.state) this.#set(item, state);
    else this.#keep(item);
    try {
      const { message } = await this.send(item);
      this.#drop(item);
      this.sent(item, message);
    } catch (error) {
      this.#refused(item, error);
    }
    this.#next(item.threadId);
  }

  // Another window has sent the reply, taken it back, or has one that goes first.
  #release({ token, threadId }) {
    this.#flying.delete(token);
    if (!this.#items.has(token)) this.taken(this.prefix + token);
    this.#next(threadId);
  }

  // Reads changes by other windows that came without an event.
  async #refresh() {
    for (const key of await this.storage?.refresh?.() ?? []) this.taken(key);
  }

  #refused(item, error) {
    if (this.#items.get(item.token) !== item) return this.#release(item);
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
      this.#keep(item);
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
    this.#unsaved.delete(item.token);
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
      this.#unsaved.delete(item.token);
    } catch {
      this.#unsaved.add(item.token); // storage is full or forbidden
    }
  }

  // After a reload it is unknown whether the last try arrived; the token makes a retry safe.
  #restore() {
    try {
      for (const key of this.storage.keys().filter((name) => name.startsWith(this.prefix))) {
        const item = this.#read(key);
        if (item && !this.#items.has(item.token)) this.#items.set(item.token, { ...item, failed: true, triedAt: 0 });
      }
      for (const item of this.list) {
        const isFirst = this.of(item.threadId)[0] === item;
        if (isFirst && item.state === "sending") Object.assign(item, { state: "failed", problem: "network" });
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

// Returns the token for a reply that is taken back and sent again, maybe with another text. An earlier try
// may still reach the server, and one token makes one message. null: a new token is needed.
/** @param {OutboxItem} item */
export const tokenAfter = ({ token, problem }) => (
  problem !== "network" && problem?.code === "event_id_conflict" ? null : token);
