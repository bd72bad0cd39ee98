import assert from "node:assert/strict";
import { mock, test } from "node:test";

const listeners = {};
const kept = { getItem: () => null, setItem() {}, removeItem() {} };
Object.assign(globalThis, {
  BroadcastChannel: undefined, localStorage: kept, sessionStorage: kept,
  addEventListener: (name, run) => { listeners[name] = run; },
});
mock.timers.enable({ apis: ["setTimeout"] });
const { openUnsent } = await import("../../../static/js/app/unsent.js");
const { settled } = await import("../support.mjs");

// The unsent texts of an admin whose replies are stored as message 12; `finished` has what was closed.
async function desk() {
  const finished = [];
  const unsent = await openUnsent(/** @type {any} */ ({
    key: "", changed() {},
    data: { adminId: 7, thread: { id: 1, received() {} }, rows: new Map([[1, { open: true, assignee: {} }]]) },
    net: {
      api: { reply: async () => ({ message: { id: 12 } }) }, connection: { connected: true },
      connectionState: { ended: null }, now: Date.now,
    },
    ui: { threadPane: {} },
    acts: { acting: { get: async () => ({ actions: { finish: (given) => finished.push(given) } }) } },
  }));
  return { ...unsent, finished };
}

for (const [name, isPrivate, seen] of /** @type {[string, boolean, number][]} */ ([
  ["a reply settles all before it, because it is refused if the customer has written", false, 12],
  ["a note settles what was on screen, because it is never refused", true, 9],
])) {
  test(`sent and done: ${name}`, async () => {
    const { outbox, finished } = await desk();
    outbox.post({ threadId: 1, body: "Done", isPrivate, seen: 9, after: "done", suggestion: undefined });
    await settled();
    assert.deepEqual(finished, [{ id: 1, seen, walks: true }]);
  });
}

test("a page that is closed saves its draft before other windows may continue it", async () => {
  const { drafts } = await desk();
  const order = [];
  drafts.writer = { isTouched: () => true, save: () => order.push("save"), show() {} };
  drafts.page = (isShown) => order.push(isShown ? "shown" : "free");
  listeners.pagehide();
  assert.deepEqual(order, ["save", "free"]);
});
