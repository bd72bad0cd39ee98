import assert from "node:assert/strict";
import { test } from "node:test";

import {
  AGES, FILTERED, filtersOf, has, removed, toggled,
} from "../../../../static/js/core/query/filters.js";
import { seeded } from "../../support.mjs";

const filterOf = (text, field) => filtersOf(text).find((one) => one.field === field);
const switched = (text, field, value) => toggled(text, filterOf(text, field), value);

test("each term has a filter, and each field without one an empty filter", () => {
  const shown = filtersOf('is:open -lang:vi lang:JA,"en" refund').filter(({ term }) => term);
  assert.deepEqual(shown.map(({ field, term, values }) => [field, term.isNot, values]), [
    ["lang", true, ["vi"]], ["lang", false, ["JA", "en"]],
  ]);
  assert.deepEqual(filtersOf("").map(({ field }) => field), FILTERED);
});

test("a value is switched on and off in the text", () => {
  assert.equal(switched("refund", "source", "my shop"), 'refund source:"my shop"');
  assert.equal(switched('source:"my shop" x', "source", "b"), 'source:"my shop",b x');
  assert.equal(switched('x source:"my shop",b', "source", "my shop"), "x source:b");
  assert.equal(switched("x source:b", "source", "b"), "x");
  assert.equal(switched("lang:", "lang", "vi"), "lang:vi");
  assert.equal(removed("is:open -lang:vi", filterOf("is:open -lang:vi", "lang")), "is:open");
});

test("an age takes the place of another, and is the same in other units", () => {
  assert.ok(has(filterOf("age:<24H", "age"), "<1d"));
  assert.equal(switched("age:<24h", "age", ">7d"), "age:>7d");
  assert.equal(switched("is:open age:<24h", "age", "<1d"), "is:open");
});

test("names of sources are compared letter by letter, other values are not", () => {
  assert.equal(has(filterOf("source:Shop", "source"), "shop"), false);
  assert.ok(has(filterOf("lang:VI priority:URGENT", "priority"), "urgent"));
});

test("what is switched on twice is as before, whatever else is typed", () => {
  const { below, one } = seeded(11);
  const bits = ["is:open", "refund", '"a phrase"', "(lang:vi or age:<1h)", "-source:b", "member:0,1", "lang:ja"];
  const values = { source: "a b", lang: "vi", priority: "high", member: "5", assigned: "me", age: AGES[0] };
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: below(5) }, () => one(bits)).join(" ");
    const field = one(Object.keys(values));
    const on = switched(text, field, values[field]);
    assert.ok(filtersOf(on).some((filter) => filter.field === field && has(filter, values[field])), on);
    const filter = filtersOf(on).find((each) => each.field === field && has(each, values[field]));
    assert.equal(toggled(on, filter, values[field]), text, `${text} | ${field}`);
  }
});
