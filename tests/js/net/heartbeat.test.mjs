import assert from "node:assert/strict";
import { test } from "node:test";

import { Heartbeat } from "../../../static/js/net/heartbeat.js";

// A window whose events the test fires; it has no timers.
function desk() {
  const listeners = new Map();
  const listen = (name, run) => listeners.set(name, [...listeners.get(name) ?? [], run]);
  const document = { visibilityState: "visible", hasFocus: () => true, addEventListener: listen };
  const told = [];
  const focused = [];
  const world = { now: 0, left: 0 };
  const heartbeat = new Heartbeat({
    tell: (name, report) => told.push([name, report]), focused: (on) => focused.push(on),
    left: () => { world.left += 1; }, now: () => world.now,
    window: /** @type {any} */ ({ document, addEventListener: listen }),
  });
  const fire = (name) => { for (const run of listeners.get(name) ?? []) run(); };
  fire("focus");
  told.length = 0;
  return { world, document, told, focused, heartbeat, fire };
}

test("a hidden page answers each ping, and says that it is hidden and idle (F60, case E5)", () => {
  const { world, document, told, heartbeat, fire } = desk();
  document.visibilityState = "hidden";
  fire("visibilitychange");
  assert.deepEqual(told.splice(0), [["presence:pong", { visible: false, idle_ms: 0 }]]);
  world.now = 600_000;
  heartbeat.pong();
  assert.deepEqual(told.splice(0), [["presence:pong", { visible: false, idle_ms: 600_000 }]]);
  document.visibilityState = "visible";
  fire("visibilitychange");
  assert.deepEqual(told, [["presence:pong", { visible: true, idle_ms: 600_000 }]]);
});

test("input is told of at once after a minute without any, and else with the next ping", () => {
  const { world, told, fire } = desk();
  world.now = 59_999;
  fire("keydown");
  assert.deepEqual(told, []);
  world.now += 60_000;
  fire("pointermove");
  assert.deepEqual(told, [["presence:pong", { visible: true, idle_ms: 0 }]]);
});

test("a page that is closed says so at once (F64)", () => {
  const { world, fire } = desk();
  fire("pagehide");
  assert.equal(world.left, 1);
});
