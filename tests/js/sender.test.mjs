import assert from "node:assert/strict";
import { test } from "node:test";

import { Sender } from "../../examples/page/sender.js";
import { Clock, seeded } from "./support.mjs";

// The storage of a browser; a page that was closed writes no more.
const storageOf = (kept, isOpen = () => true) => ({
  get length() { return kept.size; },
  key: (at) => [...kept.keys()][at],
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, text) => { if (isOpen()) kept.set(key, text); },
  removeItem: (key) => { if (isOpen()) kept.delete(key); },
});

// The example's customer writes in two tabs, which are reloaded, over a network that loses requests
// and answers; the chatbot stores each id once.
class World {
  clock = new Clock();
  kept = new Map();
  stored = new Map();
  written = 0;
  tabs = [];
  isGood = false;

  constructor(seed) {
    Object.assign(this, seeded(seed));
    this.open(0);
    this.open(1);
  }

  open(at) {
    const page = {};
    this.tabs[at] = page;
    page.sender = new Sender({
      post: (message) => this.post(message), changed() {}, timers: this.clock,
      newId: () => `id-${this.written}`, now: this.clock.now,
      storage: storageOf(this.kept, () => this.tabs.includes(page)),
    });
    page.sender.send();
  }

  post({ id, body }) {
    const fate = this.isGood ? "good" : this.one(["good", "lost", "unanswered", "refused"]);
    return new Promise((resolve, reject) => {
      this.clock.setTimeout(() => {
        if (["good", "unanswered"].includes(fate) && !this.stored.has(id)) this.stored.set(id, body);
        if (fate === "good") resolve();
        else reject(Object.assign(new Error(), { status: fate === "refused" ? 502 : undefined }));
      }, this.below(3000));
    });
  }
}

test("each message of the example's customer is stored once, in its order, over reloads and losses", async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const world = new World(seed);
    for (let step = 0; step < 30; step += 1) {
      if (world.below(5) === 0) world.open(world.below(2));
      else world.one(world.tabs).sender.say(`${world.written += 1}`);
      await world.clock.turn(world.one([5, 100, 5000]));
    }
    world.isGood = true;
    await world.clock.turn(120_000);
    assert.deepEqual([...world.stored.values()].map(Number), Array.from({ length: world.written }, (_, at) => at + 1));
    assert.equal(world.kept.size, 0);
  }
});

test("however many messages wait, they are tried again once in two seconds", async () => {
  const clock = new Clock();
  let tries = 0;
  const sender = new Sender({
    post: () => { tries += 1; return Promise.reject(new Error("away")); }, changed() {}, timers: clock, storage: storageOf(new Map()),
  });
  for (let number = 0; number < 12; number += 1) await sender.say(`${number}`);
  tries = 0;
  await clock.turn(10_000);
  assert.equal(tries, 5);
});

test("a message that the chatbot will never take does not hold up the next one", async () => {
  const clock = new Clock();
  const kept = new Map();
  const taken = [];
  const sender = new Sender({
    post: async ({ body }) => {
      if (body === "bad") throw Object.assign(new Error(), { status: 400 });
      taken.push(body);
    },
    changed() {}, timers: clock, storage: storageOf(kept),
  });
  sender.say("bad");
  sender.say("good");
  await clock.turn(100);
  assert.deepEqual([taken, sender.unsent], [["good"], []]);
});
