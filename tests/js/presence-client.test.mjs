import assert from "node:assert/strict";
import { test } from "node:test";

import { PresenceClient } from "../../examples/page/presence-client.js";
import { settled } from "./support.mjs";

// A window whose time, visibility and events are in the test's hands; counts what is left running.
class FakePage {
  at = 0;
  timers = new Map();
  listeners = new Set();
  #next = 1;

  constructor() {
    const on = (name, run) => this.listeners.add([name, run]);
    const off = (name, run) => this.listeners.forEach((each) => {
      if (each[0] === name && each[1] === run) this.listeners.delete(each);
    });
    Object.assign(this, { addEventListener: on, removeEventListener: off });
    this.document = { visibilityState: "visible", addEventListener: on, removeEventListener: off };
  }

  setTimeout(run, ms) {
    this.timers.set(this.#next, [this.at + ms, run]);
    return this.#next++;
  }

  clearTimeout(id) { this.timers.delete(id); }

  fire(name) { for (const [other, run] of [...this.listeners]) if (other === name) run(); }

  see(state) {
    this.document.visibilityState = state;
    this.fire("visibilitychange");
  }

  async advance(ms) {
    const end = this.at + ms;
    for (;;) {
      const [due] = [...this.timers].sort((a, b) => a[1][0] - b[1][0]);
      if (!due || due[1][0] > end) break;
      this.at = due[1][0];
      this.timers.delete(due[0]);
      due[1][1]();
      await settled();
    }
    this.at = end;
  }
}

function started(options = {}) {
  const page = new FakePage();
  const beats = [];
  const told = [];
  const client = new PresenceClient({
    beat: async ({ active }) => { beats.push([page.at, active]); },
    leave: () => told.push("left"),
    changed: ({ active }) => told.push(active),
    page,
    now: () => page.at,
    ...options,
  });
  client.connect();
  return { page, beats, told, client };
}

test("it beats at once and then every 25 seconds", async () => {
  const { page, beats } = started();
  await page.advance(60_000);
  assert.deepEqual(beats, [[0, true], [25_000, true], [50_000, true]]);
});

test("who does nothing for five minutes is idle, and back with the first sign", async () => {
  const { page, beats, told } = started();
  await page.advance(310_000);
  assert.deepEqual(beats.at(-1), [300_000, false]);
  page.fire("keydown");
  assert.deepEqual(beats.at(-1), [310_000, true]);
  assert.deepEqual(told, [false, true]);
});

test("a hidden page is not active, and tells so at once", async () => {
  const { page, beats } = started();
  await page.advance(1000);
  page.see("hidden");
  page.see("hidden");
  page.see("visible");
  assert.deepEqual(beats, [[0, true], [1000, false], [1000, true]]);
});

test("a lost beat is said, and the next one comes in its time", async () => {
  const lost = [];
  const { page } = started({
    beat: async () => { throw new Error("away"); },
    failed: (error, inARow) => lost.push(inARow),
  });
  await page.advance(50_000);
  assert.deepEqual(lost, [1, 2, 3]);
});

test("after disconnecting nothing is left running, however often it is said", async () => {
  const { page, beats, told, client } = started();
  client.connect();
  client.disconnect();
  client.disconnect();
  assert.equal(page.timers.size, 0);
  assert.equal(page.listeners.size, 0);
  await page.advance(1_000_000);
  assert.equal(beats.length, 1);
  assert.deepEqual(told, ["left"]);
  client.connect();
  assert.equal(beats.length, 2);
});
