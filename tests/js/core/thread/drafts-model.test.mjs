// Drafts as a state machine: one person types, sends, reloads and closes in several windows that have
// the same threads open. No word is typed twice.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../../../../static/js/core/thread/drafts.js";
import { Clock, seeded } from "../../support.mjs";
import { SharedStorage } from "./shared-storage.mjs";

const SEEDS = 80;
const STEPS = 60;
const THREADS = [1, 2];
const SAVE_MS = 300;

// A window with its composer, as far as drafts know it.
class Window {
  threadId = null;
  text = "";
  isTouchedHere = false;
  #timer = null;

  constructor(world) {
    this.world = world;
    this.view = world.storage.open((key) => this.drafts.taken(key));
    this.channel = { onmessage: null, postMessage: (data) => world.tell(data, this) };
    this.drafts = new Drafts({
      storage: this.view, adminId: 7, channel: this.channel, newId: () => world.newId(),
      now: world.clock.now, clock: world.clock.now,
    });
    this.drafts.writer = this;
  }

  isTouched(threadId) { return threadId === this.threadId && this.isTouchedHere; }

  save(threadId = this.threadId) {
    if (threadId !== this.threadId || threadId === null || !this.isTouchedHere) return;
    this.world.clock.clearTimeout(this.#timer);
    this.drafts.put(threadId, { body: this.text });
  }

  show(threadId) {
    if (threadId !== this.threadId) return;
    this.world.clock.clearTimeout(this.#timer);
    this.isTouchedHere = false;
    this.drafts.open(threadId);
    this.text = this.drafts.get(threadId).body;
  }

  go(threadId) {
    if (threadId === this.threadId) return;
    this.save();
    if (this.threadId !== null) this.drafts.leave(this.threadId);
    this.threadId = threadId;
    this.show(threadId);
  }

  type(word) {
    this.text += `${word} `;
    this.isTouchedHere = true;
    this.drafts.claim(this.threadId);
    this.world.clock.clearTimeout(this.#timer);
    this.#timer = this.world.clock.setTimeout(() => this.save(), SAVE_MS);
  }

  send() {
    if (!this.text) return;
    this.world.sent.push(this.text);
    this.world.clock.clearTimeout(this.#timer);
    this.text = "";
    this.drafts.drop(this.threadId);
    this.isTouchedHere = false;
  }

  leave() {
    this.save();
    this.drafts.page(false);
    this.world.clock.clearTimeout(this.#timer);
    this.world.storage.close(this.view);
  }
}

class World {
  clock = new Clock();
  windows = [];
  sent = [];
  words = 0;
  #ids = 0;

  constructor(seed, { hasChannel = true } = {}) {
    Object.assign(this, seeded(seed), { hasChannel });
    this.storage = new SharedStorage({ timers: this.clock, delayMs: () => 1 + this.below(20) });
    for (let count = 0; count < 2; count += 1) this.open();
  }

  newId() { return `id${String((this.#ids += 1)).padStart(4, "0")}`; }

  open() {
    this.windows.push(new Window(this));
    this.windows.at(-1).go(this.one(THREADS));
  }

  tell(data, from) {
    if (!this.hasChannel) return;
    for (const window of this.windows) {
      if (window === from) continue;
      this.clock.setTimeout(() => {
        if (!window.view.isFrozen) window.channel.onmessage({ data });
      }, 1 + this.below(5));
    }
  }

  close(window) {
    window.leave();
    this.windows = this.windows.filter((other) => other !== window);
  }

  // The texts of fields in which something was typed. They change only by an act of the person in the
  // same window, or when the draft is continued in another window.
  get fields() {
    return this.windows.map((window) => ({ window, threadId: window.threadId, text: window.text }))
      .filter(({ window }) => window.isTouchedHere);
  }

  get everything() {
    const kept = [...this.storage.kept.values()].map((text) => JSON.parse(text).body);
    return [...this.sent, ...kept].join(" ").split(" ").filter(Boolean);
  }
}

const ACTS = {
  type: (world, window) => window.type(`w${(world.words += 1)}`),
  more: (world, window) => window.type(`w${(world.words += 1)}`),
  send: (_world, window) => window.send(),
  go: (world, window) => window.go(world.one(THREADS)),
  take: (_world, window) => {
    const other = window.drafts.otherOf(window.threadId);
    if (other) window.drafts.take(window.threadId, other.key);
  },
  reload: (world, window) => {
    world.close(window);
    world.open();
  },
  close: (world, window) => { if (world.windows.length > 1) world.close(window); },
  open: (world) => { if (world.windows.length < 3) world.open(); },
};
const UNHEARD = {
  freeze: (_world, { view }) => { view.isFrozen = !view.isFrozen; },
};

async function run(world, acts) {
  const steps = [];
  for (let step = 0; step < STEPS; step += 1) {
    const window = world.one(world.windows);
    const name = world.one(Object.keys(acts));
    steps.push(name);
    const before = world.fields;
    acts[name](world, window);
    // A person changes windows more slowly than storage and channel report changes.
    await world.clock.turn(50 + world.one([0, 0, 500]));
    for (const field of before) {
      if (field.window === window || !world.windows.includes(field.window) || name === "take") continue;
      assert.equal(field.window.text, field.text, `under the hands: ${steps.join(" ")}`);
    }
  }
  for (const window of world.windows) window.save();
  return steps.join(" ");
}

const words = (count) => Array.from({ length: count }, (_, at) => `w${at + 1}`);

test("each word is in one draft or in one message, and none changes under the hands (E19)", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    const steps = await run(world, ACTS);
    assert.deepEqual(
      world.everything.sort(), words(world.words).sort(), `seed ${seed}: ${steps}`,
    );
  }
});

test("no word is lost where windows hear nothing of each other for a while, or never (E19)", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed, { hasChannel: seed % 2 === 0 });
    const steps = await run(world, { ...ACTS, ...UNHEARD });
    assert.deepEqual(
      [...new Set(world.everything)].sort(), words(world.words).sort(), `seed ${seed}: ${steps}`,
    );
  }
});
