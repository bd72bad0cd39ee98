import assert from "node:assert/strict";
import { test } from "node:test";

import { conditionsOf, PLACES } from "../../../../static/js/core/places.js";
import { CHOICES } from "../../support.mjs";

const saved = { of: (id) => (id === "v1" ? { query: "lang:vi" } : undefined) };
const of = (list) => conditionsOf({ sort: "arrival", ...list }, saved, CHOICES.viewQueries);

test("filters begin with the conditions of the place or view that they narrow", () => {
  for (const view of PLACES) assert.notEqual(of({ view }), "", view);
  assert.equal(of({ view: "snoozed" }), "is:snoozed");
  assert.equal(of({ view: "mine" }), "is:open -is:snoozed assigned:me");
  assert.equal(of({ view: "unassigned" }), "is:open -is:snoozed assigned:none");
  assert.equal(of({ view: "v1" }), "lang:vi");
});

test("those of a query are the query; a view that there is not has none", () => {
  assert.equal(of({ view: "query", query: "is:late" }), "is:late");
  assert.equal(of({ view: "v2" }), "");
});
