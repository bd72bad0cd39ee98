import assert from "node:assert/strict";
import { test } from "node:test";

import { PLACES, placeOf, wireOf } from "../../../static/js/core/places.js";
import { format, listCall, listKey, parse, withoutFilter } from "../../../static/js/core/route.js";
import { CHOICES } from "../support.mjs";

const saved = { of: (id) => (id === "v17" ? { query: "lang:vi" } : undefined) };
const goes = (hash) => withoutFilter(parse(hash, CHOICES), saved, CHOICES.viewQueries);

test("an address names place, sort and thread", () => {
  assert.deepEqual(parse("#/mine/longest_wait/42", CHOICES), {
    view: "mine", query: null, sort: "longest_wait", filter: null, thread: 42, at: null, span: null,
  });
});

test("what is missing or unknown is null", () => {
  const nothing = { view: null, query: null, sort: null, filter: null, thread: null, at: null, span: null };
  for (const hash of ["", "#", "#/", "#/nowhere/somehow/x?filter=hers", "#/a/b/-1", "#//", "#/all/arrivals"]) {
    assert.deepEqual(parse(hash, CHOICES), nothing, hash);
  }
  assert.equal(parse("#/arrival/arrival/0", CHOICES).thread, null);
  assert.equal(parse("#/arrival/arrival/1234567890123", CHOICES).thread, null);
});

test("a place written and read is the same place", () => {
  for (const view of PLACES) {
    const place = { view, query: null, sort: "priority", filter: null, thread: 7, at: null, span: null };
    assert.deepEqual(parse(format(place), CHOICES), place);
  }
  assert.equal(format({ view: "history", sort: "priority", thread: null }), "#/history/priority");
});

test("an older address with a filter leads to the place, or to the query with the same threads", () => {
  const list = (hash) => {
    const { view, query, sort, thread } = goes(hash);
    return [view, query, sort, thread];
  };
  assert.deepEqual(list("#/arrival/priority/42?filter=mine"), ["mine", null, "priority", 42]);
  assert.deepEqual(list("#/arrival/priority?filter=unassigned"), ["unassigned", null, "priority", null]);
  assert.deepEqual(list("#/arrival/priority?filter=all"), ["arrival", null, "priority", null]);
  assert.deepEqual(list("#/not_respond/longest_wait?filter=mine"),
    ["query", "is:open is:waiting -is:snoozed assigned:me", "longest_wait", null]);
  assert.deepEqual(list("#/v17/arrival/7?filter=unassigned"),
    ["query", "lang:vi assigned:none", "arrival", 7]);
  assert.deepEqual(list("#/v18/arrival?filter=mine"), ["v18", null, "arrival", null], "nothing is known of it");
  assert.deepEqual(list("#/query/arrival?query=is%3Alate&filter=mine"),
    ["query", "is:late assigned:me", "arrival", null]);
  assert.deepEqual(list("#/nowhere/arrival?filter=mine"), [null, null, "arrival", null]);
});

test("a saved view and a query have addresses, too", () => {
  const view = { view: "v17", query: null, sort: "priority", filter: null, thread: null, at: null, span: null };
  assert.equal(format(view), "#/v17/priority");
  assert.deepEqual(parse(format(view), CHOICES), view);
  for (const none of ["v", "v0", "v01", "V17", "v17x", "v1234567890123"]) {
    assert.equal(parse(`#/${none}/priority`, CHOICES).view, null, none);
  }
  const text = "-tag:spam waits:>10m (lang:vi or assigned:a+b@example.com) source:\"a?b#c&d=%20\"";
  const query = { view: "query", query: text, sort: "arrival", filter: null, thread: 42, at: null, span: null };
  assert.deepEqual(parse(format(query), CHOICES), query);
  assert.match(format(query), /^#\/query\/arrival\/42\?query=/);
  assert.equal(parse("#/query/arrival?query=%20", CHOICES).view, null, "a query without conditions");
});

test("the server is asked for a place by its view and filter, and its frames are told by them", () => {
  for (const view of PLACES) {
    const call = listCall({ view, sort: "arrival" });
    assert.deepEqual(call, { ...wireOf(view), sort: "arrival" });
    assert.equal(listKey(call), listKey({ view, sort: "arrival" }));
    assert.equal(placeOf(call.view, call.filter), view);
  }
  assert.equal(new Set(PLACES.map((view) => listKey({ view, sort: "arrival" }))).size, PLACES.length);
  assert.deepEqual(listCall({ view: "mine", sort: "priority" }), { view: "arrival", filter: "mine", sort: "priority" });
  assert.deepEqual(listCall({ view: "v1", sort: "arrival" }), { view: "v1", filter: "all", sort: "arrival" });
});

test("a query's list is asked for by the query, and frames are told apart by it", () => {
  const list = { view: "query", query: "is:open", sort: "arrival" };
  assert.deepEqual(listCall(list), { query: "is:open", sort: "arrival", filter: "all" });
  assert.equal(listKey({ query: "is:open", sort: "arrival", filter: "all" }), listKey(list));
  assert.notEqual(listKey({ ...list, query: "is:closed" }), listKey(list));
});

test("a list as it was has an address, of a moment to the millisecond and the span of the slider", () => {
  const at = Date.UTC(2026, 10, 23, 14, 2, 10, 7);
  const query = { view: "query", query: "is:open", sort: "arrival", filter: null, thread: 42, at, span: "week" };
  assert.deepEqual(parse(format(query), CHOICES), query);
  const place = { view: "mine", query: null, sort: "priority", filter: null, thread: null, at, span: null };
  assert.equal(format(place), "#/mine/priority?at=2026-11-23T14%3A02%3A10.007Z");
  assert.equal(format({ ...place, span: "day" }), "#/mine/priority?at=2026-11-23T14%3A02%3A10.007Z&span=day");
  assert.equal(format({ ...place, at: null, span: "day" }), "#/mine/priority", "a live list has no slider");
  assert.deepEqual(parse(format(place), CHOICES), place);
  assert.equal(parse("#/mine/priority?at=2026-11-23T14:02:10.007Z", CHOICES).at, at);
  assert.equal(parse("#/mine/priority?at=yesterday", CHOICES).at, null);
});
