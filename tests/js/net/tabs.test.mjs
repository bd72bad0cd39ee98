import assert from "node:assert/strict";
import { test } from "node:test";

import { Tabs } from "../../../static/js/net/tabs.js";
import { settled } from "../support.mjs";

// A tab, and its messages to the others. locks: `navigator.locks`, if the browser has them.
async function tab(locks = undefined) {
  const made = { told: [], thread: null, isLookedAt: true };
  globalThis.addEventListener = () => {};
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  globalThis.BroadcastChannel = class {
    constructor() { made.hear = (data) => this.onmessage({ data }); }

    postMessage(data) { made.told.push([data.thread, data.lookedAt]); }
  };
  const page = { addEventListener: (_, listener) => { made.visibility = listener; } };
  made.tabs = new Tabs({
    name: "lineup:1", page, isLookedAt: () => made.isLookedAt, thread: () => made.thread,
  });
  await settled();
  made.told.length = 0;
  return made;
}

test("the others are told which thread is open when it is another one, and once", async () => {
  const made = await tab();
  for (const thread of [null, 7, 7, 8, null, null]) {
    made.thread = thread;
    made.tabs.tell();
  }
  assert.deepEqual(made.told, [[7, true], [8, true], [null, true]]);
});

test("whether it is looked at is told each time that this changes", async () => {
  const made = await tab();
  made.thread = 7;
  made.isLookedAt = false;
  made.visibility();
  made.tabs.tell();
  assert.deepEqual(made.told, [[7, false]]);
});

test("a thread is looked at where it is open in a tab that is looked at, this one or another", async () => {
  const made = await tab();
  const lookedAt = () => [1, 2].map((id) => made.tabs.isThreadLookedAt(id));
  made.thread = 1;
  assert.deepEqual(lookedAt(), [true, false]);
  made.isLookedAt = false;
  assert.deepEqual([lookedAt(), made.tabs.anyLookedAt], [[false, false], false]);
  made.hear({ id: "other", lookedAt: false, thread: 2 });
  assert.deepEqual([lookedAt(), made.tabs.anyLookedAt], [[false, false], false]);
  made.hear({ id: "other", lookedAt: true, thread: 2 });
  assert.deepEqual([lookedAt(), made.tabs.anyLookedAt], [[false, true], true]);
  made.hear({ id: "other", lookedAt: true, thread: 2, gone: true });
  assert.deepEqual([lookedAt(), made.tabs.anyLookedAt], [[false, false], false]);
  made.isLookedAt = true;
  assert.equal(made.tabs.anyLookedAt, true);
});

test("a tab that is new is told of this one, once, and one that is closed is not", async () => {
  const made = await tab();
  made.thread = 7;
  made.hear({ id: "gone", lookedAt: false, thread: null, gone: true });
  assert.deepEqual(made.told, []);
  made.hear({ id: "new", lookedAt: false, thread: null });
  made.hear({ id: "new", lookedAt: true, thread: null });
  assert.deepEqual(made.told, [[7, true]]);
});

test("a tab that was killed, and said nothing, is not looked at any more", async () => {
  const waiting = new Map();
  const made = await tab({
    async request(lock, ...given) {
      const run = given.at(-1);
      if (lock === "lineup:1 other") waiting.set(lock, run);
      else run({});
    },
  });
  made.isLookedAt = false;
  made.hear({ id: "other", lookedAt: true, thread: 2 });
  made.hear({ id: "other", lookedAt: true, thread: 3 });
  await settled();
  assert.deepEqual([made.tabs.anyLookedAt, waiting.size], [true, 1]);
  waiting.get("lineup:1 other")();
  assert.equal(made.tabs.anyLookedAt, false);
});

test("a tab is silent until the others would notice its end", async () => {
  let held = () => {};
  const made = await tab({
    async request(lock, ...given) { if (lock !== "lineup:1") held = given.at(-1); },
  });
  made.visibility();
  made.hear({ id: "new", lookedAt: false, thread: null });
  assert.deepEqual(made.told, []);
  held();
  await settled();
  assert.deepEqual(made.told, [[null, true]]);
});
