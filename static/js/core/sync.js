// Keeps one list's order equal to the server's: opens it, applies frames, catches up after gaps.

import { delayMs } from "./backoff.js";
import { Order } from "./order.js";

export const HEAD = 100;
export const MORE_MAX = 20_000;
const MORE_AHEAD = 500;
const MORE_RETRY_MS = 1000;
const HELD_FRAMES_MAX = 200;

// listener: before() ahead of a change, reset(answer) for a new order, applied(answer, changes),
// extended() when the head grew, state() when the state did.
export class ListSync {
  order = null;
  state = "idle"; // idle, away, opening, syncing, live, failed
  problem = null;
  late = false;
  syncedAt = null;
  #active = false;
  #connected = false;
  #run = 0; // answers of an earlier run are dropped
  #frames = [];
  #reach = 0;
  #moreFlying = null;
  #frameWaiters = [];
  #readyWaiters = [];
  #failures = 0;
  #retry = null;

  constructor({ list, call, listener, now = Date.now, timers = globalThis, random = Math.random }) {
    Object.assign(this, { list, call, listener, now, timers, random });
  }

  start(connected) {
    this.#active = true;
    this.#connected = connected;
    this.#catchUp();
  }

  stop() {
    if (this.#active && this.#connected) this.call("list:close", this.list).catch(() => {});
    this.#active = false;
    this.#begin("idle");
  }

  connected() {
    this.#connected = true;
    this.#failures = 0;
    if (this.#active) this.#catchUp();
  }

  disconnected() {
    this.#connected = false;
    if (this.#active) this.#begin("away");
  }

  // The server says that Redis is back: an order read from SQL has no frames and is opened anew.
  orderIsBack() {
    if (this.#active && this.#connected && this.late) this.#open();
  }

  frame(frame) {
    if (!this.#active) return;
    if (this.state !== "live") {
      this.#frames.push(frame);
      if (this.#frames.length > HELD_FRAMES_MAX) this.#frames.shift();
      return;
    }
    if (this.#apply(frame) === "sync") this.#sync();
  }

  // Asks for all that changed even though nothing seems amiss: after a sleep, or long silence.
  check() {
    if (this.#active && this.#connected && this.state === "live" && !this.late) this.#sync();
  }

  // The head should reach this index, as the window came near.
  need(index) {
    this.#reach = Math.min(index, this.order ? this.order.total : index);
    this.#more();
  }

  // Resolves when the list is live; never where it is left before.
  ready() {
    if (this.state === "live") return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  // Loads the head until the thread is in it. Resolves to whether it is on the list; null where
  // that could not be learned.
  async through(id) {
    while (this.order && this.state === "live") {
      if (this.order.has(id)) return true;
      if (this.order.whole) return false;
      if (this.order.waiting) await this.#nextFrame();
      else {
        const answer = await this.#fetchMore({ through: id });
        if (answer === null) return null;
        if (answer.rank === null) return false;
      }
    }
    return this.order?.has(id) || null;
  }

  #begin(state, problem = null) {
    this.#run += 1;
    this.state = state;
    this.problem = problem;
    if (state !== "opening" && state !== "syncing") this.#frames = [];
    if (this.#retry !== null) this.timers.clearTimeout(this.#retry);
    this.#retry = null;
    this.listener.state();
    return this.#run;
  }

  #catchUp() {
    if (!this.#connected) this.#begin("away");
    else if (!this.order || this.late) this.#open();
    else this.#sync();
  }

  async #open() {
    const run = this.#begin("opening");
    try {
      const answer = await this.call("list:open", { ...this.list, limit: HEAD });
      if (run !== this.#run) return;
      this.listener.before();
      this.order = new Order(answer);
      this.late = answer.late === true;
      this.listener.reset(answer);
      this.#settle();
    } catch (error) {
      if (run === this.#run) this.#fail(error);
    }
  }

  async #sync() {
    const run = this.#begin("syncing");
    const { epoch, version } = this.order;
    try {
      const answer = await this.call("list:sync", { ...this.list, epoch, version });
      if (run !== this.#run) return;
      if (answer.resync || this.#apply(answer) === "sync") await this.#open();
      else this.#settle();
    } catch (error) {
      if (run === this.#run) this.#fail(error);
    }
  }

  #settle() {
    this.#failures = 0;
    this.state = "live";
    this.problem = null;
    this.syncedAt = this.now();
    const frames = this.#frames;
    this.#frames = [];
    this.listener.state();
    for (const frame of frames) this.frame(frame);
    if (this.state === "live") for (const resolve of this.#readyWaiters.splice(0)) resolve();
    this.#more();
  }

  #fail(error) {
    const run = this.#begin("failed", error);
    const ms = delayMs(this.#failures, { random: this.random });
    this.#failures += 1;
    this.#retry = this.timers.setTimeout(() => {
      if (run === this.#run && this.#connected) this.#catchUp();
    }, ms);
  }

  #apply(frame) {
    if (frame.epoch === this.order.epoch && frame.version > this.order.version) {
      this.listener.before();
    }
    const { length } = this.order;
    const waited = this.order.waiting;
    const result = this.order.apply(frame);
    if (result === "sync") return result;
    this.syncedAt = this.now();
    if (result === "applied") this.listener.applied(frame, this.order.changes);
    if (waited && !this.order.waiting && this.order.length !== length) this.listener.extended();
    for (const resolve of this.#frameWaiters.splice(0)) resolve();
    if (this.state === "live") this.#more();
    return result;
  }

  async #more() {
    while (this.#lacks() && !this.#moreFlying) {
      const limit = Math.min(MORE_MAX, this.#reach - this.order.length + MORE_AHEAD);
      if (await this.#fetchMore({ limit }) === null) {
        this.timers.setTimeout(() => this.#more(), MORE_RETRY_MS);
        return;
      }
    }
  }

  #lacks() {
    return this.state === "live" && this.order && !this.order.whole && !this.order.waiting
      && this.order.length <= this.#reach;
  }

  // One at a time. Resolves to the answer, or null where the call failed.
  async #fetchMore(extent) {
    while (this.#moreFlying) await this.#moreFlying;
    const { order } = this;
    if (!order.bound) return {};
    const after = [order.bound.score, order.bound.id];
    this.#moreFlying = this.call("list:more", { ...this.list, after, ...extent })
      .catch(() => null);
    const answer = await this.#moreFlying;
    this.#moreFlying = null;
    if (answer && order === this.order) this.#extend(answer);
    return answer;
  }

  #extend(answer) {
    const result = this.order.more(answer);
    if (result === "sync" && this.state === "live") this.#sync();
    if (result === "applied") this.listener.extended();
  }

  // Until a frame may have brought us to the version of an answer that was ahead.
  #nextFrame() {
    return new Promise((resolve) => {
      this.#frameWaiters.push(resolve);
      this.timers.setTimeout(resolve, MORE_RETRY_MS);
    });
  }
}
