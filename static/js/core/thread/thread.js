// The open thread: its messages, complete after each reconnection, and how many of them were seen.

import { Acts, Messages } from "./messages.js";

export class OpenThread {
  id = null;
  state = "none"; // none, loading, ready, failed, missing
  messages = new Messages();
  acts = new Acts();
  /** @type {Pick<import("../../app/acting.js").Arrivals, "came" | "delivered" | "forget"> | null} */
  arrivals = null;
  seenId = 0; // newest message that was painted while in view
  loadingOlder = false;
  olderFailed = false;
  news = 0; // grows with each new or edited message
  openedId = 0; // the newest message when the thread was opened
  mentioned = new Set(); // ids of notes that mention this admin and are unread
  target = null; // id of the message to scroll to, once it is painted
  #foundId = 0; // the message at which the thread was opened; 0 for none
  #isFilling = false; // whether a part of the conversation is being loaded
  #connected = false;
  #run = 0;

  /** @param {OpenThreadOptions} options */
  constructor({ call, part, rows, changed, adminId = 0, joined = (_id, _viewers) => {}, left = () => {} }) {
    this.call = call;
    this.part = part;
    this.rows = rows;
    this.changed = changed;
    this.adminId = adminId;
    this.joined = joined;
    this.left = left;
  }

  get row() { return this.id === null ? undefined : this.rows.get(this.id); }

  // messageId: the message to show; null for the end, or for the current place if the thread is open.
  /** @param {number} id @param {number | null} messageId */
  open(id, messageId = null) {
    if (this.id === id && this.state !== "missing") {
      if (messageId !== null) this.show(messageId);
      return;
    }
    this.close();
    this.id = id;
    this.target = messageId;
    this.#foundId = messageId ?? 0;
    this.messages = new Messages();
    this.acts = new Acts();
    this.seenId = 0;
    this.openedId = 0;
    this.loadingOlder = this.olderFailed = this.#isFilling = false;
    this.mentioned = new Set();
    this.#load();
  }

  close() {
    if (this.id === null) return;
    if (this.#connected) this.call("thread:close", { id: this.id }).catch(() => {});
    this.#run += 1;
    this.left();
    this.arrivals?.forget();
    this.id = null;
    this.target = null;
    this.state = "none";
    this.changed();
  }

  connected() {
    this.#connected = true;
    if (this.id !== null) this.#load();
  }

  disconnected() { this.#connected = false; }

  retry() { this.#load(); }

  received({ thread_id: id, message }) {
    if (id !== this.id || this.state === "missing") return;
    this.news += 1;
    if (this.messages.add(message)) {
      if (message.mentions?.some((one) => one.id === this.adminId)) this.mentioned.add(message.id);
      this.arrivals?.came(message);
    }
    this.changed();
  }

  // Takes an act on any thread. Returns whether it is new and concerns the open thread.
  /** @param {Act & {thread_id: number}} given */
  did({ thread_id: id, ...act }) {
    if (id !== this.id || !this.acts.add(act)) return false;
    this.changed();
    return true;
  }

  // A thread is now at a desk that the admin does not see, or was deleted with its customer.
  /** @param {number} id */
  gone(id) {
    this.rows.drop(id);
    if (id !== this.id) return;
    this.#run += 1;
    this.left();
    this.arrivals?.forget();
    this.messages = new Messages();
    this.acts = new Acts();
    this.target = null;
    this.state = "missing";
    this.changed();
  }

  // Mentions up to a message were read; `unread` are those that the server still counts as unread.
  /** @param {number} through @param {number[]} unread */
  mentionsRead(through, unread) {
    const later = [...this.mentioned].filter((id) => id > through);
    this.mentioned = new Set([...unread, ...later]);
    this.changed();
  }

  // The state of a reply's delivery has changed.
  delivered({ thread_id: id, message_id: messageId, delivery }) {
    if (id !== this.id) return;
    const before = this.messages.get(messageId);
    if (!this.messages.deliver(messageId, delivery)) return;
    if (before.delivery?.state !== delivery.state) this.arrivals?.delivered(before, delivery);
    this.changed();
  }

  // The newest message that was on screen: in the conversation or, before it is loaded, in the row. If the
  // thread was opened at a found message, no later one was on screen.
  get shownId() { return this.seenId || this.#foundId || (this.row?.last_message_id ?? 0); }

  // Marks that all messages up to the newest one were on a visible screen.
  seen() { this.seenId = Math.max(this.seenId, this.messages.newestId); }

  // Scrolls to a message; loads the part around it if needed.
  /** @param {number} messageId */
  show(messageId) {
    this.target = messageId;
    return this.#showTarget();
  }

  // Returns to the newest messages.
  async toNewest() {
    this.target = null;
    if (this.messages.later) await this.#replace(null);
    else this.messages.toNewest();
  }

  async loadLater() {
    const { id, messages, messages: { newest } } = this;
    if (this.state !== "ready" || this.#isFilling || !messages.later) return;
    this.#isFilling = true;
    try {
      const answer = await this.part(id, "after", newest.id);
      if (this.messages === messages && messages.newest === newest) {
        messages.append(answer.messages, answer.later);
        this.acts.put(answer.acts ?? []);
      }
    } catch { /* scrolling on tries again */ }
    this.#isFilling &&= this.messages !== messages;
    this.changed();
  }

  async #showTarget() {
    const { target, messages } = this;
    if (target === null || this.state !== "ready") return;
    if (messages.has(target)) messages.show(target);
    else await this.#replace(target);
    this.changed();
  }

  // Replaces the loaded messages by the part around a message, or by the newest part.
  async #replace(messageId) {
    const { id, messages } = this;
    // Answers may come in another order than they were asked for: the last jump counts.
    const isWanted = () => this.messages === messages && this.target === messageId;
    try {
      const answer = await this.part(id, messageId === null ? null : "around", messageId);
      if (!isWanted()) return;
      if (answer.messages.length) {
        messages.replace(answer);
        this.acts.put(answer.acts ?? []);
      } else this.target = null; // the message was deleted meanwhile
      if (messageId === null) messages.toNewest();
    } catch {
      if (isWanted()) this.target = null;
    }
    this.changed();
  }

  async loadOlder() {
    if (this.state !== "ready" || this.loadingOlder || !this.messages.oldest) return;
    if (this.messages.older()) return this.changed();
    if (!this.messages.more) return;
    await this.#fetchOlder();
  }

  async #fetchOlder() {
    const { id, messages } = this;
    this.loadingOlder = true;
    this.olderFailed = false;
    this.changed();
    try {
      const { oldest } = messages;
      const answer = await this.part(id, "before", oldest.id);
      if (messages.oldest === oldest) messages.prepend(answer.messages, answer.more);
      if (this.messages === messages) this.acts.put(answer.acts ?? []);
    } catch {
      this.olderFailed ||= this.messages === messages;
    }
    this.loadingOlder &&= this.messages !== messages;
    this.changed();
  }

  async #load() {
    this.#run += 1;
    const run = this.#run;
    if (!this.messages.list.length) this.state = "loading";
    this.changed();
    if (!this.#connected) return;
    try {
      const answer = await this.call("thread:open", { id: this.id });
      if (run !== this.#run) return;
      this.rows.put(answer.row);
      this.#take(answer);
      this.state = "ready";
      this.#showTarget();
      this.joined(this.id, answer.viewers ?? []);
    } catch (error) {
      if (run !== this.#run) return;
      this.state = this.#stateAfter(error);
    }
    this.changed();
  }

  // Takes the newest messages and acts. Announces messages that came while there was no connection.
  #take({ messages, acts, more, mentions }) {
    this.mentioned = new Set(mentions ?? []);
    const known = this.state === "ready";
    if (known) this.news += 1;
    else this.openedId = Math.max(0, ...messages.map(({ id }) => id));
    // The part being read stays; new messages are behind the gap.
    if (this.messages.later && !messages.some(({ id }) => this.messages.has(id))) return;
    const fresh = messages.filter(({ id }) => !this.messages.has(id));
    if (!this.messages.reset(messages, more)) this.acts.clear();
    else if (known) fresh.forEach((message) => this.arrivals?.came(message));
    this.acts.put(acts ?? []);
  }

  #stateAfter(error) {
    if (error.problem?.status === 404) return "missing";
    return this.messages.list.length ? "ready" : "failed";
  }
}
