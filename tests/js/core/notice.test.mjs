import assert from "node:assert/strict";
import { test } from "node:test";

import { badge } from "../../../static/js/core/totals.js";
import { Growth, Heard, Pace } from "../../../static/js/ui/shell/notifier.js";

const VIEWS = ["not_respond"];

test("what was there already is not told, growth on a chosen view is, and a gap is none", () => {
  const growth = new Growth();
  assert.deepEqual(growth.of({ arrival: 5, not_respond: 1, history: 0 }, VIEWS), []);
  assert.deepEqual(growth.of({ arrival: 6, not_respond: 1, history: 0 }, VIEWS), []);
  assert.deepEqual(growth.of({ arrival: 6, not_respond: 3, history: 0 }, VIEWS),
    [["not_respond", 2]]);
  assert.deepEqual(growth.of({ arrival: 6, not_respond: 2, history: 0 }, VIEWS), []);
  growth.forget();
  assert.deepEqual(growth.of({ arrival: 6, not_respond: 90, history: 0 }, VIEWS), []);
});

// Returns the times of notices when something comes each 100 ms for so long.
function toldOf(durationMs) {
  const pace = new Pace();
  const told = [];
  for (let now = 0; now < durationMs; now += 100) {
    if (pace.of(now) !== "now") continue;
    pace.told(now);
    told.push(now);
  }
  return told;
}

test("a storm is told more and more seldom, and the first of it at once", () => {
  assert.deepEqual(toldOf(30_000), [0, 4000, 12_000, 28_000]);
  assert.ok(toldOf(600_000).length <= 24, "at most each 30 s");
});

test("what comes right after a telling belongs to it, what comes later waits for its turn", () => {
  const pace = new Pace();
  assert.equal(pace.of(0), "now");
  pace.told(0);
  assert.equal(pace.of(1500), "along");
  assert.equal(pace.of(3000), 1000);
  assert.equal(pace.of(4000), "now");
  pace.told(4000);
  assert.equal(pace.of(6500), 5500);
  pace.told(100_000);
  assert.equal(pace.of(104_000), "now", "after a quiet time the gap is short again");
});

test("a notice that came already is not new, and one of another kind is", () => {
  const heard = new Heard();
  const news = [["message", 1], ["message", 1], ["mention", 1], ["message", 2]]
    .map(([kind, id]) => heard.isNew({ kind, id }));
  assert.deepEqual(news, [true, false, true, true]);
  for (let id = 3; id < 1100; id += 1) heard.isNew({ kind: "message", id });
  assert.ok(heard.isNew({ kind: "message", id: 1 }), "what is long ago was forgotten");
  assert.ok(!heard.isNew({ kind: "message", id: 1099 }));
});

test("a count fits on an icon", () => {
  assert.deepEqual([0, 7, 99, 100].map(badge), ["", "7", "99", "99+"]);
});
