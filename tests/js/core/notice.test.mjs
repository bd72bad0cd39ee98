import assert from "node:assert/strict";
import { test } from "node:test";

import { badge } from "../../../static/js/core/totals.js";
import { Growth, OwnMessages, Pace } from "../../../static/js/core/notice.js";

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

// When something comes each 100 ms for so long, the times at which it is told.
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

const row = (id, newest, more = {}) => ({
  id, last_message_id: newest, unanswered: 1, preview: { role: "client", body: "Hi", at: 1000 }, ...more,
});

test("a customer's message in a thread of one's own is news once, an answer is none", () => {
  const own = new OwnMessages();
  own.begin([row(1, 10)]);
  assert.deepEqual(own.news([row(1, 10)], 0), []);
  const asked = row(1, 11, { preview: { role: "client", body: "Hello?", at: 1500 } });
  assert.deepEqual(own.news([asked], 5000).map(({ id }) => id), [1]);
  assert.deepEqual(own.news([asked], 0), []);
  assert.deepEqual(own.news([{ ...asked, last_message_id: 12 }], 0), [], "the chatbot wrote");
  const late = { ...asked, last_message_id: 13, unanswered: 2 };
  assert.deepEqual(own.news([late], 0).map(({ id }) => id), [1], "written before, delivered now");
  const answered = row(1, 14, { unanswered: 0, preview: { role: "admin", body: "Hi", at: 2000 } });
  assert.deepEqual(own.news([answered], 0), []);
  assert.deepEqual(own.news([row(2, 5)], 999).map(({ id }) => id), [2], "it was closed until now");
  assert.deepEqual(own.news([row(3, 5)], 1001), [], "it was taken, and nobody wrote");
});

test("a count fits on an icon", () => {
  assert.deepEqual([0, 7, 99, 100].map(badge), ["", "7", "99", "99+"]);
});
