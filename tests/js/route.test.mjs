import assert from "node:assert/strict";
import { test } from "node:test";

import { format, listKey, parse } from "../../static/js/core/route.js";

test("an address names page, sort, thread and filter", () => {
  assert.deepEqual(parse("#/arrival/longest_wait/42?filter=mine"), {
    page: "arrival", sort: "longest_wait", filter: "mine", thread: 42,
  });
});

test("what is missing or unknown is null", () => {
  const nothing = { page: null, sort: null, filter: null, thread: null };
  for (const hash of ["", "#", "#/", "#/nowhere/somehow/x?filter=hers", "#/a/b/-1", "#//"]) {
    assert.deepEqual(parse(hash), nothing, hash);
  }
  assert.equal(parse("#/arrival/arrival/0").thread, null);
  assert.equal(parse("#/arrival/arrival/1234567890123").thread, null);
});

test("a place written and read is the same place", () => {
  const place = { page: "history", sort: "priority", filter: "unassigned", thread: 7 };
  assert.deepEqual(parse(format(place)), place);
  assert.equal(format({ ...place, filter: "all", thread: null }), "#/history/priority");
  assert.equal(listKey({ page: "history", sort: "priority" }), "history/priority/all");
});
