// The tabs of one admin: one of them is the leader, and each knows whether somebody looks at any of them.

import { channel, hold, lead, randomId, whenEnded } from "../browser.js";

export class Tabs {
  leads = false;
  #others = new Map(); // tab → {lookedAt: whether somebody looks at it, thread: the open one}
  ready; // resolves when it is known which tab is the leader
  #channel = null;
  #told = null; // the open thread, as the other tabs know it
  #isHeld = false; // whether the others would notice the end of this tab

  // isLookedAt(): of this tab; thread(): its open thread; led(): called when this tab becomes the leader;
  // lookedElsewhere(): somebody looks at another tab.
  constructor({
    name, isLookedAt, thread = () => null, led = () => {}, lookedElsewhere = () => {}, page = document,
  }) {
    this.page = page;
    this.thread = thread;
    this.isLookedAt = isLookedAt;
    this.lookedElsewhere = lookedElsewhere;
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

  // Whether somebody looks at a tab in which this thread is open.
  /** @param {number} id */
  isThreadLookedAt(id) {
    return (this.isLookedAt() && this.thread() === id)
      || [...this.#others.values()].some(({ lookedAt, thread }) => lookedAt && thread === id);
  }

  // Tells the other tabs if another thread is open in this one.
  tell() { if (this.#channel && this.thread() !== this.#told) this.#announce(); }

  #listen(name) {
    this.#channel = channel(name);
    if (!this.#channel) return;
    this.#channel.onmessage = ({ data }) => {
      if (!this.#others.has(data.id) && !data.gone) {
        this.#announce();
        // A tab that was killed says nothing.
        whenEnded(lockOf(name, data.id), () => this.#others.delete(data.id));
      }
      if (data.gone) this.#others.delete(data.id);
      else this.#others.set(data.id, { lookedAt: data.lookedAt, thread: data.thread });
      if (data.lookedAt && !data.gone) this.lookedElsewhere();
    };
    this.page.addEventListener("visibilitychange", () => this.#announce());
    for (const change of ["focus", "blur"]) addEventListener(change, () => this.#announce());
    addEventListener("pagehide", () => this.#announce(true));
    hold(lockOf(name, this.id)).then(() => {
      this.#isHeld = true;
      this.#announce();
    });
  }

  #announce(gone = false) {
    if (!this.#isHeld) return;
    const thread = this.#told = this.thread();
    this.#channel.postMessage({ id: this.id, lookedAt: this.isLookedAt(), thread, gone });
  }
}

const lockOf = (name, id) => `${name} ${id}`;
