import assert from "node:assert/strict";
import { test } from "node:test";

import { Saving } from "../../../static/js/ui/hours/saving.js";

const t = Object.assign((name) => name, { named: (_, name) => name, locale: "ja" });

function scene() {
  const painted = [];
  const saving = new Saving({
    kind: "calendar", fields: ["/name", "/week"], root: () => /** @type {any} */ (null),
    language: /** @type {any} */ ({ t }), gone: () => "deleted meanwhile",
    changed: () => painted.push(saving.busy),
  });
  const refuse = (status, body) => saving.run(() => Promise.reject(Object.assign(new Error(), { status, body, code: body.code })));
  return { saving, painted, refuse };
}

const texts = (value) => {
  if (Array.isArray(value)) return value.flatMap(texts);
  return value?.strings ? texts(value.values) : [value];
};

test("while it is saved it is busy, and what was wrong before is gone", async () => {
  const { saving, painted } = scene();
  saving.problem = "no network";
  assert.equal(await saving.run(async () => {}), null);
  assert.deepEqual(painted, [true, false]);
  assert.equal(saving.problem, "");
});

test("a fault stands at its field, and is said below where it has none", async () => {
  const { saving, refuse } = scene();
  await refuse(422, { code: "unknown_value", errors: [{ pointer: "/week/mon/0", code: "unknown_value" }] });
  assert.deepEqual([saving.faults[0].pointer, saving.problem], ["/week/mon/0", ""]);
  await refuse(422, { code: "too_large", errors: [{ pointer: "/other", code: "too_large" }] });
  assert.notEqual(saving.problem, "");
  await refuse(409, { code: "name_taken" });
  assert.deepEqual([saving.faults, saving.problem], [[{ pointer: "/name", code: "name_taken" }], ""]);
  await refuse(404, { code: "not_found" });
  assert.equal(saving.problem, "deleted meanwhile");
});

test("what somebody else has saved is shown until it is taken or replaced", async () => {
  const { saving, refuse } = scene();
  const decided = [];
  const foot = () => texts(saving.foot({
    shown: ({ name }) => [["name", name]], take: (theirs) => decided.push(["take", theirs]),
    replace: (theirs) => decided.push(["replace", theirs]), cancel() {},
  }));
  const theirs = { name: "Night shift", changed_at: 7 };
  const isShown = () => foot().includes("unsaved.conflict");
  for (const [at, act] of [[0, "take"], [1, "replace"]]) {
    await refuse(409, { code: "changed_meanwhile", calendar: theirs });
    assert.ok(isShown());
    assert.equal(saving.problem, "");
    foot().filter((value) => typeof value === "function")[at]();
    assert.deepEqual(decided.pop(), [act, theirs]);
    assert.ok(!isShown());
  }
});
