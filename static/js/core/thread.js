// The thread that is open: its messages, kept whole over gaps, and what was seen of them.

import { Messages } from "./messages.js";

export class OpenThread {
  id = null;
  state = "none"; // none, loading, ready, failed, missing
  messages = new Messages();
  seenId = 0; // newest message that was painted and in view
  loadingOlder = false;
  olderFailed = false;
  #connected = false;
  #run = 0;

  // older(id, beforeId) → {messages, more}; joined(id, viewers), left(): we are in it, or no more.
  constructor({ call, older, rows, changed, joined = () => {}, left = () => {} }) {
    Object.assign(this, { call, older, rows, changed, joined, left });
  }

  open(id) {
    if (this.id === id) return;
    this.close();
    this.id = id;
    this.messages = new Messages();
    this.seenId = 0;
    this.olderFailed = false;
    this.#load();
  }

  close() {
    if (this.id === null) return;
    if (this.#connected) this.call("thread:close", { id: this.id }).catch(() => {});
    this.#run += 1;
    this.left();
    this.id = null;
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
    if (id !== this.id) return;
    this.messages.add(message);
    this.changed();
  }

  // A reply has come further on its way, or has not.
  delivered({ thread_id: id, message_id: messageId, delivery }) {
    if (id === this.id && this.messages.deliver(messageId, delivery)) this.changed();
  }

  // Everything up to the newest message is on screen, before someone's eyes.
  seen() { this.seenId = Math.max(this.seenId, this.messages.newestId); }

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
      const answer = await this.older(id, messages.oldest.id);
      messages.prepend(answer.messages, answer.more);
    } catch {
      this.olderFailed = this.id === id;
    }
    this.loadingOlder = false;
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
      this.messages.reset(answer.messages, answer.more);
      this.state = "ready";
      this.joined(this.id, answer.viewers ?? []);
    } catch (error) {
      if (run !== this.#run) return;
      this.state = this.#stateAfter(error);
    }
    this.changed();
  }

  #stateAfter(error) {
    if (error.problem?.status === 404) return "missing";
    return this.messages.list.length ? "ready" : "failed";
  }
}
