import assert from "node:assert/strict";
import { test } from "node:test";

import { Rows } from "../../../../static/js/core/list/rows.js";
import { OpenThread } from "../../../../static/js/core/thread/thread.js";
import { settled } from "../../support.mjs";

const message = (id) => ({ id, at: id, role: "client" });

function desk(answer = (id) => ({ messages: [message(id * 10)], more: true, row: { id, rev: 1 } })) {
  const calls = [];
  const rows = new Rows();
  const thread = new OpenThread({
    call: async (name, { id }) => { calls.push([name, id]); return answer(id); },
    part: async (id, where, before) => ({ messages: [message(before - 1)], more: false }),
    rows,
    changed() {},
  });
  thread.connected();
  return { calls, rows, thread };
}

test("a thread is opened with its messages and its row", async () => {
  const { thread, rows } = desk();
  thread.open(1);
  assert.equal(thread.state, "loading");
  await settled();
  assert.equal(thread.state, "ready");
  assert.equal(rows.get(1).rev, 1);
});

test("of two opened one after the other the later stays, whichever answer comes last", async () => {
  const answers = [];
  const { thread } = desk((id) => new Promise((resolve) => {
    answers.unshift(() => resolve({ messages: [message(id * 10)], more: false, row: { id, rev: 1 } }));
  }));
  thread.open(1);
  thread.open(2);
  await settled();
  answers.forEach((answer) => answer());
  await settled();
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [20]);
});

test("messages of the open thread come in, those of others do not", async () => {
  const { thread } = desk();
  thread.open(1);
  await settled();
  thread.received({ thread_id: 1, message: message(11) });
  thread.received({ thread_id: 2, message: message(12) });
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [10, 11]);
});

test("what was missed while the line was cut is there after it", async () => {
  let messages = [message(10)];
  const { thread, calls } = desk((id) => ({ messages, more: false, row: { id, rev: 1 } }));
  thread.open(1);
  await settled();
  thread.disconnected();
  messages = [message(10), message(11)];
  thread.connected();
  assert.equal(thread.state, "ready", "what is here stays readable meanwhile");
  await settled();
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [10, 11]);
  assert.equal(calls.filter(([name]) => name === "thread:open").length, 2);
});

test("older messages are asked for once at a time and only where there are any", async () => {
  const { thread } = desk();
  thread.open(1);
  await settled();
  await Promise.all([thread.loadOlder(), thread.loadOlder()]);
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [9, 10]);
  await thread.loadOlder();
  assert.equal(thread.messages.list.length, 2);
});

test("older and later messages load while those of the thread before are still on their way", async () => {
  const answers = [];
  const { thread } = desk();
  thread.part = (id, where, from) => new Promise((resolve, reject) => { answers.push({ id, where, from, resolve, reject }); });
  thread.open(1);
  await settled();
  thread.messages.later = true;
  thread.loadOlder();
  thread.loadLater();
  thread.open(2);
  await settled();
  assert.equal(thread.loadingOlder, false);
  thread.messages.later = true;
  thread.loadOlder();
  thread.loadLater();
  assert.deepEqual(answers.map(({ id, where }) => `${id} ${where}`), ["1 before", "1 after", "2 before", "2 after"]);
  answers[0].reject(new Error());
  answers[1].reject(new Error());
  await settled();
  assert.ok(thread.loadingOlder && !thread.olderFailed, "the second thread's own are still on their way");
  answers[2].resolve({ messages: [message(19)], more: false });
  answers[3].resolve({ messages: [message(21)], later: false });
  await settled();
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [19, 20, 21]);
  assert.equal(thread.loadingOlder, false);
});

test("a thread that does not exist is told apart from one that could not be loaded", async () => {
  const refuse = (problem) => () => { throw Object.assign(new Error(), { problem }); };
  const missing = desk(refuse({ status: 404 })).thread;
  missing.open(1);
  await settled();
  assert.equal(missing.state, "missing");
  const failed = desk(refuse(null)).thread;
  failed.open(1);
  await settled();
  assert.equal(failed.state, "failed");
});

test("a thread that went to another desk leaves nothing of it on the screen", async () => {
  const { thread, rows } = desk();
  thread.open(1);
  await settled();
  rows.put({ id: 2, rev: 1 });
  thread.gone(2);
  assert.equal(rows.get(2), undefined);
  assert.equal(thread.state, "ready");
  thread.gone(1);
  thread.received({ thread_id: 1, message: message(12) });
  assert.equal(thread.state, "missing");
  assert.equal(rows.get(1), undefined);
  assert.deepEqual(thread.messages.list, []);
  thread.open(1);
  await settled();
  assert.equal(thread.state, "ready", "it came back");
});

test("seen is what was painted before someone's eyes, and never less than before", async () => {
  const { thread } = desk();
  thread.open(1);
  await settled();
  assert.equal(thread.seenId, 0);
  thread.seen();
  assert.equal(thread.seenId, 10);
  thread.received({ thread_id: 1, message: message(11) });
  assert.equal(thread.seenId, 10);
});

test("a reply's way is seen while its thread is open, and older news changes nothing", async () => {
  const { thread } = desk();
  const delivery = (state, v) => ({ state, to: "bot", attempts: 0, at: v, v });
  const reply = { id: 11, at: 11, role: "admin", delivery: delivery("queued", 1) };
  thread.open(1);
  await settled();
  thread.received({ thread_id: 1, message: reply });
  thread.delivered({ thread_id: 2, message_id: 11, delivery: delivery("failed", 5) });
  thread.delivered({ thread_id: 1, message_id: 99, delivery: delivery("failed", 5) });
  const state = () => thread.messages.list.find(({ id }) => id === 11).delivery.state;
  assert.equal(state(), "queued");
  thread.delivered({ thread_id: 1, message_id: 11, delivery: delivery("delivered", 2) });
  assert.equal(state(), "delivered");
  thread.received({ thread_id: 1, message: reply });
  assert.equal(state(), "delivered");
  assert.deepEqual(thread.messages.list.map(({ id }) => id), [10, 11]);
});

function longDesk() {
  const some = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => message(from + at));
  const asked = [];
  const thread = new OpenThread({
    call: async () => ({ messages: some(151, 200), more: true, row: { id: 1, rev: 1, last_message_id: 200 } }),
    part: async (id, where, at) => {
      asked.push([where, at]);
      if (where === "around") return { messages: some(at - 5, at + 5), more: true, later: true };
      if (where === "after") return { messages: some(at + 1, Math.min(at + 50, 200)), more: true, later: at + 50 < 200 };
      return { messages: some(151, 200), more: true, later: false };
    },
    rows: new Rows(),
    changed() {},
  });
  thread.connected();
  return { thread, asked, idsOf: () => thread.messages.list.map(({ id }) => id) };
}

test("a thread opens at a message that was found; later ones are not seen by that", async () => {
  const { thread, asked, idsOf } = longDesk();
  thread.open(1, 50);
  await settled();
  assert.deepEqual([asked, thread.target, idsOf()[0]], [[["around", 50]], 50, 45]);
  assert.deepEqual([thread.shownId, thread.openedId], [50, 200]);
  thread.received({ thread_id: 1, message: message(201) });
  assert.equal(thread.news, 1);
  for (let page = 0; page < 3; page += 1) await thread.loadLater();
  assert.deepEqual(idsOf(), Array.from({ length: 157 }, (_, at) => 45 + at));
  await thread.loadLater();
  assert.equal(asked.length, 4, "there are no later ones");
  thread.open(1, 199);
  assert.equal(asked.length, 4, "it is here");
  assert.equal(thread.target, 199);
});

test("of two jumps the later one stays, whichever answer comes last", async () => {
  const { thread, idsOf } = longDesk();
  thread.open(1);
  await settled();
  const answers = new Map();
  thread.part = (id, where, at) => new Promise((resolve) => { answers.set(at, resolve); });
  const partAt = (at) => answers.get(at)({ messages: [message(at)], more: true, later: true });
  thread.show(50);
  thread.show(20);
  partAt(20);
  partAt(50);
  await settled();
  assert.deepEqual([idsOf(), thread.target], [[20], 20]);
  thread.show(90);
  thread.toNewest();
  answers.get(null)({ messages: [message(200)], more: true, later: false });
  partAt(90);
  await settled();
  assert.deepEqual([idsOf().includes(90), idsOf().at(-1), thread.target], [false, 200, null]);
});

test("a reconnection leaves the part that is read; the way back leads to the newest", async () => {
  const { thread, idsOf } = longDesk();
  thread.open(1, 50);
  await settled();
  thread.disconnected();
  thread.connected();
  await settled();
  assert.equal(idsOf().at(-1), 55);
  await thread.toNewest();
  assert.deepEqual([idsOf()[0], idsOf().at(-1), thread.messages.atNewest, thread.target], [151, 200, true, null]);
});
