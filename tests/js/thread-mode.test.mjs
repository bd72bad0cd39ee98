import assert from "node:assert/strict";
import { test } from "node:test";

import { ThreadMode } from "../../static/js/core/thread-mode.js";
import { Clock } from "./support.mjs";

function window(watched = false) {
  const clock = new Clock();
  const told = [];
  const mode = new ThreadMode({
    tell: (name, data) => told.push(data), watched: () => watched, now: clock.now, timers: clock,
  });
  return { clock, told, mode };
}

test("typing is told while it goes on, then a draft, then nothing but being here", async () => {
  const { clock, told, mode } = window();
  mode.joined(4);
  assert.deepEqual(told, []);
  mode.draft({ hasText: true, typed: true });
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "typing" }]);
  await clock.turn(2600);
  mode.draft({ hasText: true, typed: true });
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "typing" }]);
  await clock.turn(4100);
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "editing" }]);
  mode.draft({ hasText: false, typed: true });
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "viewing" }]);
});

test("who looks elsewhere is away, and back at once", () => {
  const { told, mode } = window();
  mode.joined(4);
  mode.focus(false);
  mode.focus(false);
  mode.focus(true);
  assert.deepEqual(told, [{ id: 4, mode: "away" }, { id: 4, mode: "viewing" }]);
});

test("the cursor goes out only where somebody sees it, a few times a second", async () => {
  const cursor = (position) => ({ message_id: null, field: "reply", position });
  const alone = window(false);
  alone.mode.joined(4);
  alone.mode.draft({ hasText: true, cursor: cursor(1) });
  assert.deepEqual(alone.told, [{ id: 4, mode: "editing" }]);
  const seen = window(true);
  seen.mode.joined(4);
  for (let at = 0; at < 30; at += 1) {
    seen.mode.draft({ hasText: true, cursor: cursor(at) });
    await seen.clock.turn(10);
  }
  await seen.clock.turn(200);
  assert.ok(seen.told.length <= 4, `${seen.told.length}`);
  assert.deepEqual(seen.told.at(-1).cursor, cursor(29));
});

test("in no thread nothing is told; after coming back all is told again", () => {
  const { told, mode } = window();
  mode.focus(false);
  mode.joined(4);
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "away" }]);
  mode.joined(4);
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "away" }]);
  mode.left();
  mode.focus(true);
  assert.deepEqual(told, []);
});
