import assert from "node:assert/strict";
import { test } from "node:test";

import { Tabs } from "../../../static/js/net/tabs.js";

// A tab, and its messages to the others.
function tab() {
  const made = { told: [], thread: null, isLookedAt: true };
  globalThis.addEventListener = () => {};
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  globalThis.BroadcastChannel = class {
    constructor() { made.hear = (data) => this.onmessage({ data }); }

    postMessage(data) { made.told.push([data.thread, data.lookedAt]); }
  };
  const page = { addEventListener: (_, listener) => { made.visibility = listener; } };
  made.tabs = new Tabs({
    name: "lineup:1", page, isLookedAt: () => made.isLookedAt, thread: () => made.thread,
  });
  made.told.length = 0;
  return made;
}

test("the others are told which thread is open when it is another one, and once", () => {
  const made = tab();
  for (const thread of [null, 7, 7, 8, null, null]) {
    made.thread = thread;
    made.tabs.tell();
  }
  assert.deepEqual(made.told, [[7, true], [8, true], [null, true]]);
});

test("whether it is looked at is told each time that this changes", () => {
  const made = tab();
  made.thread = 7;
  made.isLookedAt = false;
  made.visibility();
  made.tabs.tell();
  assert.deepEqual(made.told, [[7, false]]);
});

test("a thread is looked at where it is open in a tab that is looked at, this one or another", () => {
  const made = tab();
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

test("a tab that is new is told of this one, once, and one that is closed is not", () => {
  const made = tab();
  made.thread = 7;
  made.hear({ id: "gone", lookedAt: false, thread: null, gone: true });
  assert.deepEqual(made.told, []);
  made.hear({ id: "new", lookedAt: false, thread: null });
  made.hear({ id: "new", lookedAt: true, thread: null });
  assert.deepEqual(made.told, [[7, true]]);
});
