// The tabs of one admin: one of them leads, and each knows whether any is looked at.

import { channel, lead, randomId } from "../browser.js";

export class Tabs {
  leads = false;
  #others = new Map(); // tab → {lookedAt: whether it is, thread: the open one}
  ready; // resolves when it is known which tab leads
  #channel = null;
  #told = null; // the open thread, as the other tabs know it

  // isLookedAt(): whether this tab is; thread(): the open one; led(): this tab leads from now on.
  constructor({ name, isLookedAt, thread = () => null, led = () => {}, page = document }) {
    this.page = page;
    this.thread = thread;
    this.isLookedAt = isLookedAt;
    this.id = randomId();
    this.ready = lead(name, () => {
      this.leads = true;
      led();
    });
    this.#listen(name);
  }

  get anyLookedAt() {
    return this.isLookedAt() || [...this.#others.values()].some(({ lookedAt }) => lookedAt);
  }

  // Whether this thread is open in a tab that is looked at.
  /** @param {number} id */
  isThreadLookedAt(id) {
    return (this.isLookedAt() && this.thread() === id)
      || [...this.#others.values()].some(({ lookedAt, thread }) => lookedAt && thread === id);
  }

  // Another thread may be open in this tab.
  tell() { if (this.#channel && this.thread() !== this.#told) this.#announce(); }

  #listen(name) {
    this.#channel = channel(name);
    if (!this.#channel) return;
    this.#channel.onmessage = ({ data }) => {
      if (!this.#others.has(data.id) && !data.gone) this.#announce();
      if (data.gone) this.#others.delete(data.id);
      else this.#others.set(data.id, { lookedAt: data.lookedAt, thread: data.thread });
    };
    this.page.addEventListener("visibilitychange", () => this.#announce());
    for (const change of ["focus", "blur"]) addEventListener(change, () => this.#announce());
    addEventListener("pagehide", () => this.#announce(true));
    this.#announce();
  }

  #announce(gone = false) {
    const thread = this.#told = this.thread();
    this.#channel.postMessage({ id: this.id, lookedAt: this.isLookedAt(), thread, gone });
  }
}
