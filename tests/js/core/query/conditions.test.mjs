import assert from "node:assert/strict";
import { test } from "node:test";

import { conditionsOf } from "../../../../static/js/core/query/text.js";
import { CHOICES } from "../../support.mjs";

const saved = { of: (id) => (id === "v1" ? { query: "lang:vi" } : undefined) };
const of = (list) => conditionsOf({ sort: "arrival", filter: "all", ...list }, saved, CHOICES.viewQueries);

test("filters begin with the conditions of the view that they narrow, built-in ones included", () => {
  for (const view of CHOICES.views) assert.notEqual(of({ view }), "", view);
  assert.equal(of({ view: "snoozed" }), "is:snoozed");
  assert.equal(of({ view: "mentions", filter: "mine" }), "mentions:me assigned:me");
  assert.equal(of({ view: "v1", filter: "unassigned" }), "lang:vi assigned:none");
});

test("those of a query are the query; a view that there is not has none", () => {
  assert.equal(of({ view: "query", query: "is:late" }), "is:late");
  assert.equal(of({ view: "v2", filter: "mine" }), "assigned:me");
});
