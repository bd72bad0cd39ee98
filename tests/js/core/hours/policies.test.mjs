import assert from "node:assert/strict";
import { test } from "node:test";

import {
  after, elsewhere, faultAt, faultsOf, fieldsOf, isSameOrder, LateCheck, minutesIn, Recompute,
  targetOf, withCalendar,
} from "../../../../static/js/core/hours/policies.js";
import { Clock, settled } from "../../support.mjs";

const policy = (id, name = `P${id}`) => ({
  id, name, query: "is:waiting ", calendar: 7, first_reply: 30, next_reply: null, changed_at: 5,
});

test("a target is written in minutes or hours, and nothing promises nothing", () => {
  for (const [minutes, value, unit] of [
    [30, "30", "minutes"], [60, "1", "hours"], [90, "1.5", "hours"], [100, "100", "minutes"],
    [525_600, "8760", "hours"], [null, "", "minutes"],
  ]) {
    assert.deepEqual(targetOf(minutes), { value, unit });
    assert.equal(minutesIn({ value, unit }), minutes);
  }
  assert.equal(minutesIn({ value: "１,5", unit: "hours" }), 90);
  assert.equal(minutesIn({ value: "0.35", unit: "hours" }), 21);
  for (const [value, unit] of [
    ["0", "minutes"], ["0.5", "minutes"], ["-1", "hours"], ["8761", "hours"], ["soon", "hours"], ["1e3", "minutes"],
  ]) assert.equal(minutesIn({ value, unit }), undefined, value);
});

test("all policies as they would be: one changed, added at a place, or deleted", () => {
  const policies = [policy(1), policy(2)];
  const fields = fieldsOf(policy(9, " New "));
  assert.deepEqual(Object.keys(fields), ["name", "query", "calendar", "first_reply", "next_reply"]);
  const names = (change) => after(policies, change).map(({ name }) => name);
  assert.deepEqual(names({ id: 2, fields }), ["P1", "New"]);
  assert.deepEqual(names({ id: 1, fields: null }), ["P2"]);
  assert.deepEqual(names({ fields }), ["P1", "P2", "New"]);
  assert.deepEqual(names({ fields, place: 0 }), ["New", "P1", "P2"]);
  assert.deepEqual(withCalendar([policy(1), { ...policy(2), calendar: 8 }], 8, { name: "C" })
    .map(({ calendar }) => calendar), [7, { name: "C" }]);
  assert.ok(isSameOrder(policies, [...policies]) && !isSameOrder(policies, [...policies].reverse()));
});

test("what would be late is asked once nothing changes, and late answers are dropped", async () => {
  const timers = new Clock();
  const asked = [];
  const answers = [];
  const check = new LateCheck({
    timers, changed() {},
    ask: (policies) => new Promise((resolve, reject) => {
      asked.push(policies);
      answers.push({ resolve, reject });
    }),
  });
  check.look([1]);
  await timers.turn(300);
  check.look([2]);
  await timers.turn(400);
  assert.deepEqual(asked, [[2]]);
  check.look([3]);
  await timers.turn(400);
  answers[0].resolve({ late_after: 2 });
  await settled();
  assert.deepEqual([check.state, check.answer], ["asking", null]);
  answers[1].resolve({ late_after: 3 });
  await settled();
  assert.deepEqual([check.state, check.answer], ["done", { late_after: 3 }]);
  check.look([4], 0);
  assert.equal(check.answer.late_after, 3, "what is known stays while the next one is asked for");
  await timers.turn(0);
  answers[2].reject(new Error("no"));
  await settled();
  assert.deepEqual([check.state, check.answer, check.error.message], ["refused", null, "no"]);
  check.look(null);
  assert.deepEqual([check.state, check.error], ["none", null]);
});

test("a recomputation is followed to its end, over failures, and not after the dialog is closed", async () => {
  const timers = new Clock();
  const answers = [{ done: 1, of: 3 }, new Error("away"), { done: 2, of: 3 }, null, { done: 9, of: 9 }];
  const seen = [];
  let ended = 0;
  const recompute = new Recompute({
    timers, changed: () => seen.push(recompute.progress?.done ?? null), done: () => { ended += 1; },
    ask: async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { recompute: answer };
    },
  });
  recompute.watch(null, { soon: true });
  await timers.turn(60_000);
  assert.deepEqual(seen, [null, 1, 2, null]);
  assert.equal(ended, 1);
  recompute.watch({ done: 0, of: 2 });
  recompute.stop();
  await timers.turn(60_000);
  assert.equal(answers.length, 1);
  recompute.watch(null);
  await timers.turn(60_000);
  assert.equal(answers.length, 1, "nothing runs, so nothing is asked");
});

test("a refusal belongs to the field of its pointer", () => {
  const faults = faultsOf({ code: "invalid", errors: [
    { pointer: "/week/mon/0/1", code: "unknown_value" }, { pointer: "/name", code: "too_long" }, { pointer: "" },
  ] });
  assert.equal(faultAt(faults, "/week").code, "unknown_value");
  assert.equal(faultAt(faults, "/week/tue"), undefined);
  assert.equal(faultAt(faults, "/nam"), undefined);
  assert.deepEqual(elsewhere(faults, ["/week", "/name"]), [{ pointer: "", code: "invalid" }]);
  assert.deepEqual(faultsOf(null), []);
});
