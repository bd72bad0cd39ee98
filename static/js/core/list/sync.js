// Keeps one list's order equal to the server's: opens it, applies frames, catches up after gaps.

import { Order } from "./order.js";
import { listCall } from "../route.js";
import { delayMs } from "../time.js";

export const HEAD = 100;
const MORE_AHEAD = 500;
const MORE_RETRY_MS = 1000;
const HELD_FRAMES_MAX = 200;
// A list that is being built is asked for again after this time.
const BUILDING_MS = 400;
// Frames are kept until the answer that they follow.
const COMES = new Set(["opening", "building", "syncing"]);

export class ListSync {
  order = null;
  // idle, away, opening, building, syncing, live, failed; refused: there is no such list, so nothing
  // is tried again.
  state = "idle";
  problem = null;
  building = null; // how far the server is with building the list, from 0 to 1
  late = false;
  syncedAt = null;
  isCurrent = false; // whether it was live since it is shown
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

  /** @param {SyncOptions} options */
  constructor({ list, call, listener, moreMax, now = Date.now, timers = globalThis, random = Math.random }) {
    this.asked = listCall(list);
    this.call = call;
    this.listener = listener;
    this.moreMax = moreMax;
    this.now = now;
    this.timers = timers;
    this.random = random;
  }

  // The head of the list that came with the page: shown at once, and caught up when connected.
  /** @param {OpenAnswer} head */
  begin(head) {
    if (this.order) return;
    this.order = new Order(head);
    this.listener.reset(head);
  }

  /** @param {boolean} connected */
  start(connected) {
    this.#active = true;
    this.#connected = connected;
    this.#catchUp();
  }

  stop() {
    if (this.#active && this.#connected) this.call("list:close", this.asked).catch(() => {});
    this.#active = false;
    this.isCurrent = false;
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

  // The list holds other threads now; what is on screen stays until they are there.
  reopen() {
    if (this.#active && this.#connected) this.#open();
  }

  // There is no such list any more.
  /** @param {Problem} problem */
  refuse(problem) {
    if (this.#active) this.#begin("refused", { problem });
  }

  // Redis is back: a list that was read from SQL gets no frames and is opened again.
  orderIsBack() {
    if (this.#active && this.#connected && this.late) this.#open();
  }

  /** @param {Frame} frame */
  frame(frame) {
    if (!this.#active) return;
    if (this.state === "building") return void this.#open(); // it has been built
    if (this.state !== "live") {
      this.#frames.push(frame);
      if (this.#frames.length > HELD_FRAMES_MAX) this.#frames.shift();
      return;
    }
    if (this.#apply(frame) === "sync") this.#sync();
  }

  // Asks for all changes although no gap was noticed: after a sleep or a long silence.
  check() {
    if (this.#active && this.#connected && this.state === "live" && !this.late) this.#sync();
  }

  // Loads the head as far as this index.
  /** @param {number} index */
  need(index) {
    this.#reach = Math.min(index, this.order ? this.order.total : index);
    this.#more();
  }

  // Resolves when the list is live; never if it is left before.
  ready() {
    if (this.state === "live") return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  // Loads the head until the thread is in it. Resolves to whether it is on the list, or to
  // null if that could not be found out.
  /** @param {number} id */
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

  // Loads the list to its end. Resolves to whether it was reached.
  async loadAll() {
    while (this.order && this.state === "live" && !this.order.whole) {
      if (this.order.waiting) await this.#nextFrame();
      else if (await this.#fetchMore({ limit: this.moreMax }) === null) return false;
    }
    return this.order?.whole === true;
  }

  #begin(state, problem = null) {
    this.#run += 1;
    this.state = state;
    this.problem = problem;
    if (state !== "building") this.building = null;
    if (!COMES.has(state)) this.#frames = [];
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
    const run = this.#begin(this.building === null ? "opening" : "building");
    try {
      const answer = await this.call("list:open", { ...this.asked, limit: HEAD });
      if (run !== this.#run) return;
      if (answer.building) return this.#build(answer.progress);
      this.listener.before();
      this.order = new Order(answer);
      this.late = answer.late === true;
      this.listener.reset(answer);
      this.#settle();
    } catch (error) {
      if (run === this.#run) this.#fail(error);
    }
    return undefined;
  }

  // The server reads the list from SQL, which may take a while; a frame says that it is there.
  #build(progress) {
    this.building = progress;
    this.#again("building", null, BUILDING_MS, () => this.#open());
  }

  async #sync() {
    const run = this.#begin("syncing");
    const { epoch, version } = this.order;
    try {
      const answer = await this.call("list:sync", { ...this.asked, epoch, version });
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
    this.isCurrent = true;
    this.problem = null;
    this.building = null;
    this.syncedAt = this.now();
    const frames = this.#frames;
    this.#frames = [];
    this.listener.state();
    for (const frame of frames) this.frame(frame);
    if (this.state === "live") for (const resolve of this.#readyWaiters.splice(0)) resolve();
    this.#more();
  }

  #fail(error) {
    const { status } = error.problem ?? {};
    if (status >= 400 && status < 500 && status !== 429) return void this.#begin("refused", error);
    this.#failures += 1;
    const ms = delayMs(this.#failures - 1, { random: this.random });
    return this.#again("failed", error, ms, () => this.#catchUp());
  }

  #again(state, problem, ms, act) {
    const run = this.#begin(state, problem);
    this.#retry = this.timers.setTimeout(() => {
      if (run === this.#run && this.#connected) act();
    }, ms);
  }

  #apply(frame) {
    if (frame.epoch === this.order.epoch && frame.version > this.order.version) {
      this.listener.before(frame);
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
      const limit = Math.min(this.moreMax, this.#reach - this.order.length + MORE_AHEAD);
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

  // One request at a time. Resolves to the answer, or null if the call failed.
  async #fetchMore(extent) {
    while (this.#moreFlying) await this.#moreFlying;
    const { order } = this;
    if (!order.bound) return {};
    const after = [order.bound.score, order.bound.id];
    this.#moreFlying = this.call("list:more", { ...this.asked, after, ...extent })
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

  // Waits for a frame, which may reach the version of an answer that was ahead.
  #nextFrame() {
    return new Promise((resolve) => {
      this.#frameWaiters.push(resolve);
      this.timers.setTimeout(resolve, MORE_RETRY_MS);
    });
  }
}
