import assert from "node:assert/strict";
import { test } from "node:test";

import { filtersOf, Offered } from "../../../../static/js/core/query/filters.js";
import { settled } from "../../support.mjs";

const filterOf = (text, field) => filtersOf(text).find((one) => one.field === field);

function menu() {
  const answers = [];
  const offered = new Offered(() => new Promise((resolve) => { answers.push(resolve); }));
  return { offered, answers };
}

test("what an open menu shows stands still when the server's values come", async () => {
  const { offered, answers } = menu();
  const french = filterOf("lang:FR", "lang");
  assert.deepEqual(offered.of(french), ["none", "FR"]);
  const opened = offered.opened(french);
  answers[0](["eo", "fi", "fr", "none"]);
  assert.equal(await opened, true, "there is more to show");
  assert.deepEqual(offered.of(french), ["none", "FR", "eo", "fi"]);
  offered.closed("lang");
  assert.deepEqual(offered.of(french), ["none", "eo", "fi", "fr"], "in their own order");
});

test("a value that is switched off stays while the menu is open", async () => {
  const { offered, answers } = menu();
  const opened = offered.opened(filterOf("lang:fr", "lang"));
  assert.deepEqual(offered.of(filterOf("", "lang")), ["none", "fr"]);
  answers[0](["eo"]);
  await opened;
  assert.deepEqual(offered.of(filterOf("lang:eo", "lang")), ["none", "fr", "eo"]);
});

test("an answer for a menu that was closed changes no menu that is open", async () => {
  const { offered, answers } = menu();
  const first = offered.opened(filterOf("tag:b", "tag"));
  offered.closed("tag");
  const second = offered.opened(filterOf("tag:c", "tag"));
  const shown = offered.of(filterOf("tag:c", "tag"));
  answers[0](["a"]);
  assert.equal(await first, false);
  assert.deepEqual(offered.of(filterOf("tag:c", "tag")), shown);
  answers[1](["a", "c"]);
  await second;
  assert.deepEqual(offered.of(filterOf("tag:c", "tag")), [...shown, "a"]);
});

test("the ages, and the words of fields whose values are not read", async () => {
  const { offered, answers } = menu();
  assert.equal(await offered.opened(filterOf("age:<24h", "age")), false);
  assert.equal(await offered.opened(filterOf("", "priority")), false);
  await settled();
  assert.deepEqual(answers, []);
  assert.ok(offered.of(filterOf("age:<24h", "age")).includes("<1d"));
  assert.ok(!offered.of(filterOf("age:<24h", "age")).includes("<24h"), "the same in other units");
  assert.ok(offered.of(filterOf("age:<5h", "age")).includes("<5h"));
});
