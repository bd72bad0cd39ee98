import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { translator } from "../../../static/js/core/i18n.js";
import {
  countDown, explanation, GivenThreads, isTooMany, loadText, QueueBoard, secondsLeft,
} from "../../../static/js/core/queues.js";

const read = (path) => JSON.parse(readFileSync(new URL(`../../../static/i18n/${path}.json`, import.meta.url), "utf8"));
const t = translator("en", { ...read("en"), ...read("queues/en") });
const told = (id, more = {}) => ({
  id, name: `Queue ${id}`, mode: "push", mine: true, waiting: 3, accepting: 2, eligible: 1, ...more,
});
const ME = { accepting: true, capacity: 3, capacity_max: 5, load: 2 };

test("the board follows what is told: changes, order, queues that are gone, and a message that was lost", () => {
  const board = new QueueBoard();
  assert.equal(board.concerns, false);
  assert.equal(board.take({ queues: [told(1), told(2, { mode: "pull" }), told(3, { mode: "pull", mine: false })], ids: [1, 2, 3], next: 3, me: ME }), false);
  assert.equal(board.concerns, true);
  assert.deepEqual(board.pulled.map(({ id }) => id), [2]);
  assert.equal(board.next, 3);
  board.take({ queues: [told(2, { mode: "pull", waiting: 9 })], ids: [2, 1, 3], next: 7 });
  assert.deepEqual([board.next, board.list.map(({ id }) => id), board.me], [7, [2, 1, 3], ME]);
  assert.equal(board.take({ queues: [], ids: [1, 4], next: 0 }), true, "nothing is known of the fourth one");
  assert.deepEqual(board.list.map(({ id }) => id), [1]);
  board.take({ queues: [], ids: [], next: 0, me: null });
  assert.equal(board.concerns, false);
});

const row = (id, more = {}) => ({ id, rev: 5, open: true, assignee: { id: 7, name: "Mai" }, ...more });
const given = (id, until) => ({ thread_id: id, queue: { id: 1, name: "VIPs" }, until, row: row(id) });

test("a given thread is noticed until it is opened, taken away, closed, or its time is over", () => {
  const threads = new GivenThreads();
  const rows = new Map();
  const look = (now, openId = null) => {
    threads.look({ openId, adminId: 7, now, rowOf: (id) => rows.get(id) });
    return threads.list.map(({ thread_id: id }) => id);
  };
  assert.equal(threads.add(given(1, 10_000)), true);
  assert.equal(threads.add(given(1, 10_000)), false, "the server sends it again after a new connection");
  for (const id of [2, 3, 4, 5]) threads.add(given(id, id === 5 ? null : 60_000));
  assert.deepEqual(look(10_000), [1, 2, 3, 4, 5]);
  assert.deepEqual(look(12_001), [2, 3, 4, 5], "a moment after its time");
  rows.set(2, row(2, { rev: 4, assignee: null }));
  assert.deepEqual(look(13_000), [2, 3, 4, 5], "an older row says nothing");
  rows.set(2, row(2, { rev: 6, assignee: { id: 8, name: "Ken" } }));
  rows.set(3, row(3, { rev: 6, open: false }));
  assert.deepEqual(look(14_000, 4), [5]);
});

test("the time that is left is said in minutes and seconds", () => {
  assert.equal(countDown(secondsLeft(65_999, 0)), "1:05");
  assert.equal(countDown(secondsLeft(1000, 5000)), "0:00");
});

test("load and capacity are said in words, and nothing without queues", () => {
  assert.equal(loadText({ load: 2, capacity: 3, accepting: true }, t), "2 of 3");
  assert.equal(loadText({ load: 3, capacity: 3, accepting: true }, t), "3 of 3 · at capacity");
  assert.equal(loadText({ load: 0, capacity: 5, accepting: false }, t), "0 of 5 · not accepting");
  assert.equal(loadText({}, t), "");
  assert.deepEqual([1, 2].map((count) => isTooMany({ load: 2, capacity: 3 }, count)), [false, true]);
  assert.equal(isTooMany({}, 9), false);
});

const person = (id, name, is, load = null, capacity = null) => ({ id, name, is, load, capacity });
const why = {
  queue: { id: 1, name: "VIPs who wait" }, admin: { id: 1, name: "Ana" }, at: 1, pulled: false, others: 0,
  position: null, of: null,
  admins: [person(1, "Ana", "given", 2, 3), person(2, "Ben", "away"), person(3, "Chi", "at_capacity")],
};

test("a thread's explanation says who got it, and why the others did not", () => {
  assert.equal(explanation(why, false, t),
    "From “VIPs who wait”: Ana, 2 of 3, longest without a new one. Ben: away. Chi: at capacity.");
  assert.equal(explanation({ ...why, pulled: true, others: 2, admins: why.admins.slice(0, 1) }, true, t),
    "From “VIPs who wait”: Ana, 2 of 3, asked for the next one. And 2 more.");
  assert.equal(explanation({ ...why, admins: [person(1, "Ana", "given")] }, false, t),
    "From “VIPs who wait”: Ana, longest without a new one.");
});

test("a thread that waits says why, and its place", () => {
  const waits = { ...why, admin: null, position: 3, of: 14 };
  const admins = [person(2, "Ben", "away"), person(3, "Chi", "not_accepting")];
  assert.equal(explanation({ ...waits, admins }, false, t),
    "Waits in “VIPs who wait”. Nobody here accepts threads. Ben: away. Chi: not accepting. Number 3 of 14.");
  const full = [person(3, "Chi", "at_capacity", 5, 5), person(4, "Dan", "free", 1, 5), person(2, "Ben", "away")];
  assert.equal(explanation({ ...waits, admins: full }, false, t),
    "Waits in “VIPs who wait”. Chi: at capacity, 5 of 5. Dan: 1 of 5. Ben: away. Number 3 of 14.");
  assert.match(explanation({ ...waits, admins }, true, t), /An admin takes it with “Take next”/);
});
