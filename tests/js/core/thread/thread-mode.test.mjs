import assert from "node:assert/strict";
import { test } from "node:test";

import { ThreadMode } from "../../../../static/js/core/thread/thread-mode.js";
import { Clock } from "../../support.mjs";

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

test("who reads is told by message, who writes by what they write", async () => {
  const reading = (id) => ({ message_id: id, field: "messages", position: 0 });
  const { clock, told, mode } = window(true);
  mode.joined(4);
  mode.reads(12);
  mode.reads(12);
  await clock.turn(200);
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "viewing", cursor: reading(12) }]);
  const writing = { message_id: null, field: "note", position: 1 };
  mode.draft({ hasText: true, typed: true, cursor: writing });
  mode.reads(13);
  await clock.turn(200);
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "typing", cursor: writing }]);
  mode.draft({ hasText: false, typed: true, cursor: writing });
  assert.deepEqual(told.splice(0), [{ id: 4, mode: "viewing", cursor: reading(13) }]);
  mode.left();
  mode.joined(5);
  await clock.turn(200);
  assert.deepEqual(told, []);
});

test("to whom comes later it is told where one reads", async () => {
  let colleagues = 0;
  const told = [];
  const clock = new Clock();
  const mode = new ThreadMode({
    tell: (name, data) => told.push(data), watched: () => colleagues > 0, now: clock.now, timers: clock,
  });
  mode.joined(4);
  mode.reads(12);
  await clock.turn(1000);
  assert.deepEqual(told, []);
  colleagues = 1;
  mode.reads(12);
  assert.equal(told[0].cursor.message_id, 12);
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
