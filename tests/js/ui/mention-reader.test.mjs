import assert from "node:assert/strict";
import { test } from "node:test";

import { MentionCompletion } from "../../../static/js/ui/thread/completion.js";
import { MentionReader } from "../../../static/js/ui/thread/mention-reader.js";
import { pageOf } from "../support.mjs";

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
  const reader = new MentionReader(pageOf({
    thread, api, adminId: 2, toasts: { show: (text) => calls.push(["told", text]) },
    painter: { ask() {} }, language: { t: Object.assign((name) => name, { named: () => false }) }, looked: () => seen.looked,
  }));
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

function held({ team = [{ id: 1, name: "Mai", desks: null }, { id: 2, name: "Pat O’Brien", desks: ["main"] }], fails = false } = {}) {
  const parts = {
    api: { team: async () => { if (fails) throw new Error("no network"); return { team }; } },
    thread: { id: 7, row: { desk: "main" } }, adminId: 1, now: () => 0,
    presence: { want() {}, dot: () => "offline" }, painter: { ask() {} }, language: { t: (key) => key },
  };
  return new MentionCompletion(/** @type {any} */ pageOf((parts)));
}

async function asked(completion, body) {
  let isAgain = false;
  const holds = completion.holds(body, () => { isAgain = true; });
  await new Promise((resolve) => { setImmediate(resolve); });
  return isAgain ? completion.holds(body, () => assert.fail("the team was asked for")) : holds;
}

test("a note is held once where a word behind an at sign calls nobody", async () => {
  const completion = held();
  assert.equal(completion.holds("nobody is called", () => assert.fail("nothing to ask")), false);
  assert.equal(await asked(completion, "@Pat O'Brien and @Mai, look"), false);
  assert.equal(await asked(completion, "@Pat O'Bryan"), true);
  assert.deepEqual(completion.told, ["@Pat"]);
  assert.equal(completion.holds("@Pat O'Bryan", () => {}), false, "the second press sends it");
  assert.equal(completion.holds("@Pat O'Bryan @Kim", () => {}), true, "another word is told, too");
  completion.typed({ value: "@Pat", selectionStart: 4 });
  assert.deepEqual(completion.told, ["@Pat"]);
});

test("a note is not held where it cannot be known who is on the team, or who sees the thread is", async () => {
  assert.equal(await asked(held({ fails: true }), "@Pat"), false);
  assert.equal(await asked(held({ team: [{ id: 2, name: "Pat", desks: ["sales"] }] }), "@Pat"), true);
});
