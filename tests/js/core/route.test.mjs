import assert from "node:assert/strict";
import { test } from "node:test";

import { format, listCall, listKey, parse } from "../../../static/js/core/route.js";
import { CHOICES } from "../support.mjs";

test("an address names view, sort, thread and filter", () => {
  assert.deepEqual(parse("#/arrival/longest_wait/42?filter=mine", CHOICES), {
    view: "arrival", query: null, sort: "longest_wait", filter: "mine", thread: 42,
  });
});

test("what is missing or unknown is null", () => {
  const nothing = { view: null, query: null, sort: null, filter: null, thread: null };
  for (const hash of ["", "#", "#/", "#/nowhere/somehow/x?filter=hers", "#/a/b/-1", "#//"]) {
    assert.deepEqual(parse(hash, CHOICES), nothing, hash);
  }
  assert.equal(parse("#/arrival/arrival/0", CHOICES).thread, null);
  assert.equal(parse("#/arrival/arrival/1234567890123", CHOICES).thread, null);
});

test("a place written and read is the same place", () => {
  const place = { view: "history", query: null, sort: "priority", filter: "unassigned", thread: 7 };
  assert.deepEqual(parse(format(place), CHOICES), place);
  assert.equal(format({ ...place, filter: "all", thread: null }), "#/history/priority");
  assert.equal(listKey({ view: "history", sort: "priority" }), "history/priority/all");
});

test("a saved view and a query have addresses, too", () => {
  const view = { view: "v17", query: null, sort: "priority", filter: "mine", thread: null };
  assert.equal(format(view), "#/v17/priority?filter=mine");
  assert.deepEqual(parse(format(view), CHOICES), view);
  for (const none of ["v", "v0", "v01", "V17", "v17x", "v1234567890123"]) {
    assert.equal(parse(`#/${none}/priority`, CHOICES).view, null, none);
  }
  const text = "-tag:spam waits:>10m (lang:vi or assigned:a+b@example.com) source:\"a?b#c&d=%20\"";
  const query = { view: "query", query: text, sort: "arrival", filter: "all", thread: 42 };
  assert.deepEqual(parse(format(query), CHOICES), { ...query, filter: null });
  assert.match(format(query), /^#\/query\/arrival\/42\?query=/);
  assert.equal(parse("#/query/arrival?query=%20", CHOICES).view, null, "a query without conditions");
});

test("a query's list is asked for by the query, and frames are told apart by it", () => {
  const list = { view: "query", query: "is:open", sort: "arrival", filter: "all" };
  assert.deepEqual(listCall(list), { query: "is:open", sort: "arrival", filter: "all" });
  assert.deepEqual(listCall({ view: "v1", sort: "arrival", filter: "all" }), {
    view: "v1", sort: "arrival", filter: "all",
  });
  assert.equal(listKey({ query: "is:open", sort: "arrival" }), listKey(list));
  assert.notEqual(listKey({ ...list, query: "is:closed" }), listKey(list));
});
