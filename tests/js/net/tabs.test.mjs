import assert from "node:assert/strict";
import { test } from "node:test";

import { Tabs } from "../../../static/js/net/tabs.js";

// A tab, and what it tells the others.
function tab() {
  const made = { told: [], thread: null, isLookedAt: true };
  globalThis.addEventListener = () => {};
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  globalThis.BroadcastChannel = class {
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
