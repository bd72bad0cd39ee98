import assert from "node:assert/strict";
import { test } from "node:test";

import { Rows } from "../../static/js/core/rows.js";
import { OpenThread } from "../../static/js/core/thread.js";
import { settled } from "./support.mjs";

const message = (id) => ({ id, at: id, role: "client" });

function desk(answer = (id) => ({ messages: [message(id * 10)], more: true, row: { id, rev: 1 } })) {
  const calls = [];
  const rows = new Rows();
  const thread = new OpenThread({
    call: async (name, { id }) => { calls.push([name, id]); return answer(id); },
    older: async (id, before) => ({ messages: [message(before - 1)], more: false }),
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
