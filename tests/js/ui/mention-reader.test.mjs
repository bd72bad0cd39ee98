import assert from "node:assert/strict";
import { test } from "node:test";

import { MentionReader } from "../../../static/js/ui/mentions/reader.js";

function scene({ mentioned = [5, 7], loaded = [5, 6, 7], looked = true } = {}) {
  const calls = [];
  const thread = {
    id: 1, state: "ready", mentioned: new Set(mentioned), messages: { has: (id) => loaded.includes(id) },
    mentionsRead(through, unread) { thread.mentioned = new Set(unread); },
    show: (id) => calls.push(["show", id]),
  };
  const seen = { looked };
  const api = {
    readMentions: async (id, through) => {
      calls.push(["read", id, through]);
      return { unread: mentioned.filter((note) => note > through) };
    },
    unreadMention: async (id, note) => { calls.push(["unread", id, note]); },
  };
  const reader = new MentionReader({
    thread, api, adminId: 2, toasts: { show: (text) => calls.push(["told", text]) },
    painter: { ask() {} }, language: { t: Object.assign((name) => name, { named: () => false }) }, looked: () => seen.looked,
  });
  return { calls, thread, reader, seen, api };
}

const settled = () => new Promise((resolve) => { setTimeout(resolve); });

test("what is loaded in a window that is looked at is read, once", async () => {
  const { calls, reader, seen } = scene({ looked: false });
  reader.look();
  assert.deepEqual(calls, []);
  seen.looked = true;
  reader.look();
  reader.look();
  await settled();
  reader.look();
  assert.deepEqual(calls, [["read", 1, 7]]);
});

test("a mention that is not loaded is shown first, and those behind it are not read before", async () => {
  const { calls, reader } = scene({ mentioned: [3, 7], loaded: [6, 7] });
  reader.look();
  reader.look();
  assert.deepEqual(calls, [["show", 3]]);
});

test("what was marked as unread stays until the thread is opened again", async () => {
  const { calls, reader, thread } = scene();
  reader.look();
  await settled();
  await reader.unread(5);
  assert.deepEqual(calls, [["read", 1, 7], ["unread", 1, 5]]);
  assert.ok(reader.isKept(5));
  thread.mentioned.add(5);
  reader.look();
  assert.equal(calls.length, 2);
  thread.mentioned.add(7); // another note came meanwhile
  reader.look();
  await settled();
  assert.deepEqual(calls.slice(2), [["read", 1, 7], ["unread", 1, 5]]);
  thread.id = 2;
  reader.look();
  assert.ok(!reader.isKept(5));
});

test("a refusal is told, and the note is not kept", async () => {
  const { calls, reader, api } = scene();
  api.unreadMention = async () => { throw Object.assign(new Error(), { status: 404, code: "not_found" }); };
  await reader.unread(5);
  assert.ok(!reader.isKept(5));
  assert.equal(calls[0][0], "told");
});

test("who is mentioned is told apart", () => {
  const { reader } = scene();
  assert.ok(reader.mentionsMe({ mentions: [{ id: 2, name: "Ken" }] }));
  assert.ok(!reader.mentionsMe({ mentions: [{ id: 3, name: "Ana" }] }));
  assert.ok(!reader.mentionsMe({}));
});
