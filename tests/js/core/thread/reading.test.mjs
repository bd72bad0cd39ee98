import assert from "node:assert/strict";
import { test } from "node:test";

import { Messages } from "../../../../static/js/core/thread/messages.js";
import {
  Reading, readingMs, SendGuard, Writers,
} from "../../../../static/js/core/thread/reading.js";

const ME = 7;
const client = (id, body = "Hello?") => ({ id, at: id, role: "client", body });
const colleague = (id) => ({ id, at: id, role: "admin", author: { id: 8 }, body: "Here" });

function desk() {
  const messages = new Messages();
  messages.reset([client(10)], false);
  const thread = { id: 1, state: "ready", row: { last_message_id: 10 }, seenId: 10, messages,
    get shownId() { return this.seenId || (this.row?.last_message_id ?? 0); } };
  const writers = [];
  const reading = new Reading({ thread, adminId: ME });
  const has = { who: 8 };
  const guard = new SendGuard({
    reading, writers: { of: () => [...writers], look() {} }, assigneeOf: () => has.who && { id: has.who, name: "" },
  });
  return { thread, messages, writers, has, reading, guard, come: (message) => messages.add(message) };
}

const ids = (list) => list.map(({ id }) => id);

test("what was on screen when the draft began is read, what came since is not at once", () => {
  const { reading, come } = desk();
  reading.begin();
  assert.equal(reading.seenId, 10);
  come(client(11));
  come(colleague(12));
  assert.deepEqual(ids(reading.unread), [11, 12]);
  assert.equal(reading.seenId, 10);
  reading.shown([12], 3000);
  assert.equal(reading.seenId, 10, "12 says that 11 was seen, too");
  reading.shown([11], 1000);
  reading.shown([11], 2000);
  assert.equal(reading.seenId, 12);
});

test("a long message takes longer to read, but not without end", () => {
  assert.equal(readingMs(client(1, "ok")), 3000);
  assert.equal(readingMs(client(1, "a".repeat(200))), 8000);
  assert.equal(readingMs(client(1, "a".repeat(20_000))), 10_000);
});

test("notes, bots and one's own messages from elsewhere hold nothing", () => {
  const { reading, come } = desk();
  reading.begin();
  come({ ...colleague(11), private: true });
  come({ ...client(12), role: "bot" });
  come({ ...colleague(13), author: { id: ME } });
  assert.deepEqual(reading.unread, []);
  assert.equal(reading.seenId, 13);
});

test("a draft that was kept goes on from where it began", () => {
  const { thread, reading, come } = desk();
  come(colleague(11));
  thread.seenId = 11;
  reading.begin(10);
  assert.deepEqual(ids(reading.unread), [11]);
  reading.end();
  assert.deepEqual(reading.unread, []);
  assert.equal(reading.seenId, 11);
});

test("of a thread of which nothing was known, what is shown first counts as read", () => {
  const { thread, reading, come } = desk();
  Object.assign(thread, { state: "loading", row: undefined, seenId: 0 });
  reading.begin();
  reading.settle();
  assert.equal(reading.seenId, 0);
  thread.seenId = 10;
  reading.settle();
  assert.deepEqual([reading.base, reading.unread], [10, []]);
  come(client(11));
  thread.seenId = 11;
  reading.settle();
  assert.deepEqual(ids(reading.unread), [11]);
});

test("a reply is held once for what came, and again for what came after that", () => {
  const { reading, guard, come } = desk();
  reading.begin();
  assert.equal(guard.holds(1), false);
  come(colleague(11));
  assert.equal(guard.holds(1), true);
  assert.deepEqual(ids(guard.held.unread), [11]);
  come(client(12));
  assert.equal(guard.holds(1), true);
  assert.equal(guard.holds(1), false, "the second press");
  assert.equal(guard.seenId(1), 12, "what was told of counts as seen");
});

test("a reply is held while the colleague writes who has the thread, and no longer than that", () => {
  const { reading, guard, writers, has } = desk();
  reading.begin();
  writers.push({ id: 8, name: "Ken", mode: "typing" });
  assert.equal(guard.holds(1), true);
  assert.ok(guard.look(1));
  writers.push({ id: 9, name: "Noor", mode: "typing" });
  assert.equal(guard.holds(1), false, "one more press");
  has.who = 9;
  assert.equal(guard.holds(1), true, "another colleague has it now");
  has.who = 8;
  writers.length = 0;
  assert.equal(guard.look(1), null);
  writers.push({ id: 8, name: "Ken", mode: "typing" });
  assert.equal(guard.holds(1), true, "he began anew");
  assert.equal(guard.look(2), null, "another thread was opened");
});

test("a draft of a colleague who does not have the thread holds nothing", () => {
  const { reading, guard, writers, has, come } = desk();
  reading.begin();
  writers.push({ id: 8, name: "Ken", mode: "typing" });
  for (const who of [null, ME, 9]) {
    has.who = who;
    assert.equal(guard.holds(1), false, `${who}`);
  }
  come(colleague(11));
  assert.equal(guard.holds(1), true, "Ken pressed first");
});

test("who writes a reply is a writer, for a while after a pause too; who writes a note is not", () => {
  let time = 0;
  let others = [];
  const writers = new Writers({ presence: { others: () => others }, now: () => time });
  const are = (...modes) => { others = modes.map((mode, at) => ({ id: 8 + at, name: "K", mode })); };
  const ids = () => writers.of(1).map(({ id }) => id);
  are("editing", "viewing");
  assert.deepEqual(ids(), [], "a draft that may be days old");
  are("typing", "typing");
  const cursor = { message_id: null, field: "note", position: 1 };
  writers.cursor({ thread_id: 1, admin_id: 9, cursor });
  assert.deepEqual(ids(), [8]);
  are("editing", "viewing");
  assert.deepEqual(ids(), [8]);
  time += 30_000;
  assert.deepEqual(ids(), []);
});
