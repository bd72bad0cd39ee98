// The outbox as a state machine: one person writes in several windows, which are reloaded, closed and
// frozen, over a network that loses, delays and repeats, to a server that refuses now and then.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Outbox, tokenAfter } from "../../../../static/js/core/thread/outbox.js";
import { Clock, seeded, settled } from "../../support.mjs";
import { SharedStorage } from "./shared-storage.mjs";

const SEEDS = 60;
const STEPS = 60;
const TIMEOUT_MS = 15_000; // as net/http.js gives up
const LATEST_MS = 60_000; // a request may still reach the server when its page has long given up
const THREADS = [1, 2];
const failure = (fields) => Object.assign(new Error(), fields);

class World {
  clock = new Clock();
  windows = [];
  network = "good";
  isSignedOut = false;
  stored = []; // {token, threadId, body}, in the order in which the server stored them
  newest = new Map(); // thread → id of the newest message of its customer
  written = []; // {body, threadId}, in the order in which they were written
  takenBack = new Set();
  #count = 0;

  constructor(seed) {
    Object.assign(this, seeded(seed));
    this.storage = new SharedStorage({ timers: this.clock, delayMs: () => 1 + this.below(20) });
    this.open();
    this.open();
  }

  get kept() { return this.storage.kept; }

  open() {
    const view = this.storage.open((key) => outbox.taken(key));
    const outbox = new Outbox({
      send: (item) => this.send({ ...item }), token: () => `t${(this.#count += 1)}`,
      changed() {}, sent() {}, moved() {}, adminId: 7, storage: view, now: this.clock.now,
      clock: this.clock.now, timers: this.clock, random: this.random,
    });
    this.windows.push({ outbox, view });
    outbox.retryWaiting();
  }

  send(item) {
    const kind = this.network === "good" ? "good" : this.one([
      "good", "lost", "late", "unanswered", "unanswered", "slow", this.network,
    ]);
    if (kind === "offline") return Promise.reject(failure({ status: 0 }));
    return new Promise((resolve, reject) => {
      const answer = (ms) => this.clock.setTimeout(() => {
        try {
          const message = this.take(item);
          if (kind !== "unanswered") this.clock.setTimeout(() => resolve({ message }), 5);
        } catch (error) {
          if (kind !== "unanswered") this.clock.setTimeout(() => reject(error), 5);
        }
      }, ms);
      this.clock.setTimeout(() => reject(failure({ status: 0 })), TIMEOUT_MS);
      if (kind === "lost") return;
      answer({ late: TIMEOUT_MS + this.below(LATEST_MS), slow: this.below(9000) }[kind] ?? this.below(40));
    });
  }

  // As POST threads/ID/replies does.
  take({ token, threadId, body, private: isPrivate, seen, confirm }) {
    if (this.isSignedOut) throw failure({ status: 401 });
    const known = this.stored.find((one) => one.token === token);
    if (known?.body === body) return { id: 1 };
    if (known) throw failure({ status: 409, code: "event_id_conflict" });
    if (this.network !== "good" && this.below(8) === 0) throw failure({ status: 503, code: "storage_unavailable" });
    const newest = this.newest.get(threadId) ?? 0;
    if (!isPrivate && !confirm && seen < newest) {
      throw failure({ status: 409, code: "conversation_moved", body: { unseen: [{ id: newest }] } });
    }
    this.stored.push({ token, threadId, body });
    return { id: 1 };
  }

  write(window) {
    const threadId = this.one(THREADS);
    for (let more = this.below(4); more >= 0; more -= 1) {
      const body = `reply ${this.written.length}`;
      this.written.push({ body, threadId });
      window.outbox.post({ threadId, body, isPrivate: this.below(4) === 0, seen: this.newest.get(threadId) ?? 0 });
    }
  }

  // Takes replies back into the composer, and sends them again from there.
  takeBack({ outbox }) {
    for (const item of outbox.list) {
      const { token, threadId, body, private: isPrivate } = item;
      if (this.below(3) || outbox.discard(token) === null) continue;
      this.takenBack.add(body);
      const seen = this.newest.get(threadId) ?? 0;
      outbox.post({ threadId, body, isPrivate, seen, token: tokenAfter(item) });
      return;
    }
  }

  press({ outbox }) {
    for (const { token, state } of outbox.list) {
      if (state === "moved") outbox.confirm(token);
      else if (state === "failed") outbox.retry(token);
    }
  }

  // Reloads or closes a window; a crash gives it no notice.
  leave(window, crashes) {
    if (!crashes) window.outbox.abandon();
    this.storage.close(window.view);
    this.windows = this.windows.filter((other) => other !== window);
  }

  async step() {
    const window = this.one(this.windows);
    const name = this.one(Object.keys(ACTS));
    ACTS[name](this, window);
    await this.clock.turn(50); // a person changes windows more slowly than storage reports changes
    return name;
  }

  get isBusy() { return this.kept.size || this.windows.some(({ outbox }) => outbox.size); }

  async end() {
    Object.assign(this, { network: "good", isSignedOut: false });
    for (const { view } of this.windows) view.isFrozen = false;
    for (let tries = 0; tries < 20 && this.isBusy; tries += 1) {
      for (const window of this.windows) {
        window.outbox.retryWaiting();
        this.press(window);
      }
      await this.clock.turn(10_000);
    }
    await this.clock.turn(LATEST_MS + TIMEOUT_MS);
  }
}

const ACTS = {
  write: (world, window) => world.write(window),
  more: (world, window) => world.write(window),
  pass: (world) => world.clock.turn(world.one([20, 500, 5000, 31_000])),
  network: (world) => { world.network = world.one(["good", "offline", "lost", "late"]); },
  session: (world) => { world.isSignedOut = world.below(3) === 0; },
  customer: (world) => world.newest.set(world.one(THREADS), world.written.length + 1),
  connected: (world, { outbox }) => outbox.retryWaiting(),
  again: (world, { outbox }) => outbox.retryWaiting({ once: true }),
  press: (world, window) => world.press(window),
  takeBack: (world, window) => world.takeBack(window),
  reload: (world, window) => {
    world.leave(window, world.below(3) === 0);
    world.open();
  },
  close: (world, window) => { if (world.windows.length > 1) world.leave(window, false); },
  open: (world) => { if (world.windows.length < 3) world.open(); },
  freeze: (world, { view }) => { view.isFrozen = !view.isFrozen; },
};

test("each reply is stored once, in the order in which those of its thread were written (E18)", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    const steps = [];
    for (let step = 0; step < STEPS; step += 1) steps.push(await world.step());
    await world.end();
    const about = `seed ${seed}: ${steps.join(" ")}`;
    assert.deepEqual([...world.kept.values()], [], about);
    assert.deepEqual(world.windows.flatMap(({ outbox }) => outbox.list), [], about);
    const bodies = world.stored.map(({ body }) => body);
    assert.deepEqual([...bodies].sort(), world.written.map(({ body }) => body).sort(), `once: ${about}`);
    for (const id of THREADS) {
      const kept = ({ threadId, body }) => threadId === id && !world.takenBack.has(body);
      assert.deepEqual(
        world.stored.filter(kept).map(({ body }) => body),
        world.written.filter(kept).map(({ body }) => body), `in order: ${about}`,
      );
    }
  }
  await settled();
});
