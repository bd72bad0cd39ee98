import assert from "node:assert/strict";
import { test } from "node:test";

import { Search } from "../../../static/js/core/search.js";
import { Clock, settled } from "../support.mjs";

const result = (id) => ({ row: { id }, message: null });

function searchOf(answer) {
  const timers = new Clock();
  const asked = [];
  const ask = (query, limit, cursor) => {
    asked.push([query, cursor]);
    return answer(query, cursor);
  };
  return { timers, asked, search: new Search({ ask, changed: () => {}, timers }) };
}

test("only what was typed last is asked for", async () => {
  const { search, timers, asked } = searchOf(() => ({ results: [result(1)], next: null, total: 1 }));
  search.type("o");
  search.type("or");
  await timers.turn(1000);
  assert.deepEqual(asked, [["or", null]]);
  assert.equal(search.state, "done");
  assert.equal(search.chosen.row.id, 1);
});

test("an answer to an earlier query changes nothing", async () => {
  const waiting = [];
  const { search, timers } = searchOf((query) => new Promise((resolve) => {
    waiting.push(() => resolve({ results: [result(query.length)], next: null, total: 1 }));
  }));
  search.type("a");
  await timers.turn(500);
  search.type("bb");
  await timers.turn(500);
  waiting[1]();
  await settled();
  waiting[0]();
  await settled();
  assert.deepEqual(search.results.map(({ row }) => row.id), [2]);
});

test("what was found for another query is not found for one that fails", async () => {
  const { search, timers } = searchOf(async (query) => {
    if (query === "b") throw new Error("away");
    return { results: [result(1)], next: "c", total: 2 };
  });
  search.type("a");
  await timers.turn(500);
  search.type("b");
  await timers.turn(500);
  assert.deepEqual([search.state, search.results, search.total, search.chosen], ["failed", [], 0, null]);
});

test("more is loaded at the end, once, and joins what is there", async () => {
  const { search, timers, asked } = searchOf((query, cursor) => ({
    results: [result(cursor ? 2 : 1)], next: cursor ? null : "c", total: 2,
  }));
  search.type("a");
  await timers.turn(500);
  await Promise.all([search.loadMore(), search.loadMore()]);
  assert.deepEqual(search.results.map(({ row }) => row.id), [1, 2]);
  assert.equal(asked.length, 2);
  assert.equal(search.more, false);
});

test("a failure is told and can be tried again; no query means no results", async () => {
  let works = false;
  const { search, timers } = searchOf(async () => {
    if (!works) throw new Error("away");
    return { results: [result(1)], next: null, total: 1 };
  });
  search.type("a");
  await timers.turn(500);
  assert.equal(search.state, "failed");
  works = true;
  search.again();
  await timers.turn(500);
  assert.equal(search.state, "done");
  search.type(" ");
  assert.deepEqual([search.state, search.results.length], ["none", 0]);
});

test("whether all matches were looked at is known with the results", async () => {
  const answers = { common: false, rare: true };
  const { search, timers } = searchOf((query) => ({
    results: [result(1)], next: null, total: 1, whole: answers[query],
  }));
  for (const query of ["common", "rare"]) {
    search.type(query);
    await timers.turn(1000);
    assert.equal(search.whole, answers[query]);
  }
});
