import assert from "node:assert/strict";
import { test } from "node:test";

import { Outbox, tokenAfter } from "../../../../static/js/core/thread/outbox.js";
import { Clock, settled } from "../../support.mjs";

function kept() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
    keys: () => [...kept.keys()],
  };
}

// answers: functions, one a try; the last is used for ever.
function desk(answers, storage = kept(), more = {}) {
  const clock = new Clock();
  const tries = [];
  const seen = [];
  const sent = [];
  const stopped = [];
  let tokens = 0;
  const outbox = new Outbox({
    send: async (item) => {
      tries.push({ token: item.token, confirm: item.confirm });
      seen.push(item.seen);
      return answers[Math.min(tries.length, answers.length) - 1](item);
    },
    token: () => { tokens += 1; return `token-${tokens}`; },
    changed() {},
    sent: (item, message) => sent.push(message),
    moved() {},
    stopped: ({ state }) => stopped.push(state),
    storage, adminId: 7, now: clock.now, timers: clock, random: () => 0, ...more,
  });
  return { clock, tries, seen, sent, stopped, outbox, storage };
}

const taken = async () => ({ message: { id: 5 } });
const refuse = (fields) => async () => { throw Object.assign(new Error(), fields); };
const lost = refuse({ status: 0 });
const reply = { threadId: 1, body: "Chào", isPrivate: false, seen: 4 };

test("a reply that is taken leaves the outbox for the conversation", async () => {
  const { outbox, sent } = desk([taken]);
  outbox.post(reply);
  assert.equal(outbox.of(1)[0].state, "sending");
  await settled();
  assert.deepEqual(sent, [{ id: 5 }]);
  assert.equal(outbox.size, 0);
});

test("a reply names the suggestion in it at each try, also after a reload", async () => {
  const named = [];
  const names = (then) => async (item) => {
    named.push(item.suggestion);
    return then(item);
  };
  const { outbox, clock, storage } = desk([names(lost)]);
  outbox.post({ ...reply, suggestion: 7 });
  await clock.turn(60_000);
  const again = desk([names(taken)], storage);
  again.outbox.retryWaiting();
  await settled();
  assert.ok(named.length > 2 && named.every((id) => id === 7), String(named));
});

test("a lost answer is asked for again with the same token, never with another", async () => {
  const { outbox, clock, tries, sent } = desk([lost, lost, taken]);
  outbox.post(reply);
  await clock.turn(10_000);
  assert.deepEqual(tries.map(({ token }) => token), ["token-1", "token-1", "token-1"]);
  assert.equal(sent.length, 1);
});

test("after some tries it waits for a press or the line", async () => {
  const { outbox, clock, tries, sent } = desk([lost, lost, lost, lost, taken]);
  outbox.post(reply);
  await clock.turn(100_000);
  assert.equal(tries.length, 4);
  assert.equal(outbox.of(1)[0].state, "failed");
  outbox.retryWaiting();
  await settled();
  assert.equal(sent.length, 1);
});

test("a reply to a conversation that went on is sent when it is confirmed (H28)", async () => {
  const moved = refuse({ status: 409, code: "conversation_moved", body: { unseen: [{ id: 9 }] } });
  const { outbox, clock, tries, seen, sent } = desk([moved, taken]);
  const { token } = outbox.post(reply);
  await clock.turn(60_000);
  assert.equal(tries.length, 1, "not by itself");
  assert.equal(outbox.of(1)[0].state, "moved");
  assert.deepEqual(outbox.of(1)[0].unseen, [{ id: 9 }]);
  outbox.confirm(token);
  await settled();
  assert.deepEqual(tries[1], { token, confirm: true });
  assert.deepEqual(seen, [4, 9], "by then what was unseen was shown");
  assert.equal(sent.length, 1);
});

test("what the server refuses is not tried again by itself and can be taken back", async () => {
  const { outbox, clock, tries } = desk([refuse({ status: 422, code: "too_long", detail: "too long" })]);
  const { token } = outbox.post(reply);
  assert.equal(outbox.discard(token), null, "not while it may be arriving");
  await clock.turn(60_000);
  assert.equal(tries.length, 1);
  assert.deepEqual(outbox.of(1)[0].problem, { code: "too_long", detail: "too long" });
  assert.equal(outbox.discard(token), "Chào");
  assert.equal(outbox.size, 0);
});

test("a reply too many is sent by itself as soon as the server takes one, and not before (case E15)", async () => {
  const tooMany = refuse({ status: 429, code: "rate_limited", retryAfterMs: 20_000 });
  const { outbox, clock, tries, sent } = desk([tooMany, taken]);
  outbox.post(reply);
  await clock.turn(19_999);
  assert.deepEqual([tries.length, outbox.of(1)[0].state], [1, "sending"]);
  await clock.turn(1);
  assert.deepEqual([tries.length, sent.length], [2, 1]);
});

test("a reply without a session is kept until there is one", async () => {
  const { outbox, sent } = desk([refuse({ status: 401 }), taken]);
  outbox.post(reply);
  await settled();
  assert.equal(outbox.of(1)[0].state, "signed-out");
  outbox.retryWaiting();
  await settled();
  assert.equal(sent.length, 1);
});

test("a reload in mid-sending keeps the reply and its token", async () => {
  const first = desk([() => new Promise(() => {})]);
  first.outbox.post(reply);
  const second = desk([taken], first.storage);
  assert.equal(second.outbox.of(1)[0].state, "failed");
  second.outbox.retryWaiting();
  await settled();
  assert.deepEqual(second.tries, [{ token: "token-1", confirm: false }]);
  assert.equal(second.sent.length, 1);
});

test("without a network a reply waits at once, and is told of once however often it is tried", async () => {
  let online = false;
  const made = desk([lost, lost, lost, taken], undefined, { online: () => online });
  made.outbox.post(reply);
  await settled();
  assert.deepEqual([made.tries.length, made.outbox.of(1)[0].state], [1, "failed"]);
  made.outbox.retryWaiting({ once: true });
  assert.equal(made.outbox.of(1)[0].state, "failed", "the screen stays calm");
  await settled();
  made.outbox.retryWaiting({ once: true });
  await settled();
  assert.deepEqual(made.stopped, ["failed"]);
  online = true;
  made.outbox.retryWaiting();
  await settled();
  assert.equal(made.sent.length, 1);
});

test("what is just being sent is shown as not sent when it takes long or a try has failed", async () => {
  const { outbox, clock } = desk([() => new Promise(() => {})]);
  outbox.post(reply);
  assert.equal(outbox.late.length, 0);
  await clock.turn(2001);
  assert.equal(outbox.late.length, 1);
  const again = desk([lost, () => new Promise(() => {})]);
  again.outbox.post(reply);
  await settled();
  assert.equal(again.outbox.late.length, 1);
});

test("a reply that takes long is painted as such, and one that is held is told of (cases E2, E15)", async () => {
  let painted = 0;
  const told = [];
  const more = { changed: () => { painted += 1; }, moved: ({ unseen }) => told.push(unseen) };
  const { outbox, clock } = desk([() => new Promise(() => {})], kept(), more);
  outbox.post(reply);
  await clock.turn(2000);
  painted = 0;
  await clock.turn(1);
  assert.deepEqual([painted, outbox.late.length], [1, 1]);
  const moved = refuse({ status: 409, code: "conversation_moved", body: { unseen: [{ id: 9 }] } });
  desk([moved], kept(), more).outbox.post(reply);
  await settled();
  assert.deepEqual(told, [[{ id: 9 }]]);
});

test("two windows keep their replies beside each other, and see each other's", async () => {
  const storage = kept();
  const one = desk([refuse({ status: 422, code: "too_long", detail: "" })], storage);
  const two = desk([refuse({ status: 422, code: "too_long", detail: "" })], storage, {
    token: () => "token-of-two",
  });
  one.outbox.post(reply);
  two.outbox.post({ ...reply, threadId: 2 });
  await settled();
  for (const key of storage.keys()) one.outbox.taken(key);
  assert.deepEqual(one.outbox.list.map(({ threadId }) => threadId), [1, 2]);
  assert.equal(desk([taken], storage).outbox.size, 2, "a later page has both");
  two.outbox.discard("token-of-two");
  one.outbox.taken("lineup:outbox:7:token-of-two");
  assert.equal(one.outbox.size, 1);
});

test("what a window was sending when it was closed is sent by another one at once", async () => {
  const storage = kept();
  const other = desk([taken], storage);
  const closing = desk([() => new Promise(() => {})], storage);
  closing.outbox.post(reply);
  await settled();
  const [key] = storage.keys();
  other.outbox.taken(key);
  other.outbox.retryWaiting();
  await settled();
  assert.deepEqual(other.tries, [], "not while it may be on its way");
  closing.outbox.abandon();
  other.outbox.taken(key);
  other.outbox.retryWaiting();
  await settled();
  assert.deepEqual(other.tries.map(({ token }) => token), ["token-1"]);
  assert.deepEqual(storage.keys(), []);
});

test("replies of a thread are posted one after the other, other threads go on (E18)", async () => {
  const waiting = [];
  const { outbox, tries, sent, clock } = desk([() => new Promise((resolve) => { waiting.push(resolve); })]);
  for (let count = 0; count < 6; count += 1) outbox.post(reply);
  outbox.post({ ...reply, threadId: 2 });
  await settled();
  assert.deepEqual(tries.map(({ token }) => token), ["token-1", "token-7"]);
  for (let count = 0; count < 7; count += 1) {
    waiting.shift()({ message: { id: count } });
    await settled();
  }
  assert.deepEqual(tries.slice(2).map(({ token }) => token), [2, 3, 4, 5, 6].map((number) => `token-${number}`));
  assert.deepEqual([sent.length, outbox.size], [7, 0]);
  await clock.turn(60_000);
  assert.equal(tries.length, 7, "no timer was needed");
});

test("what stands behind a refused reply waits, says so, and goes out once that one is taken back (E18)", async () => {
  const { outbox, tries, sent } = desk([refuse({ status: 422, code: "too_long", detail: "" }), taken]);
  const first = outbox.post(reply);
  const second = outbox.post({ ...reply, body: "and more" });
  await settled();
  assert.equal(tries.length, 1);
  assert.deepEqual([first, second].map((item) => outbox.stateOf(item)), ["failed", "queued"]);
  outbox.discard(first.token);
  await settled();
  assert.deepEqual([tries.map(({ token }) => token), sent.length], [["token-1", "token-2"], 1]);
});

test("one press sends a held reply and those behind it, which were written with it (H28)", async () => {
  const moved = refuse({ status: 409, code: "conversation_moved", body: { unseen: [{ id: 9 }] } });
  const { outbox, tries, seen } = desk([moved, taken]);
  const { token } = outbox.post(reply);
  outbox.post({ ...reply, body: "and more" });
  await settled();
  outbox.confirm(token);
  await settled();
  assert.deepEqual([tries.length, seen, outbox.size], [3, [4, 9, 9], 0]);
});

test("a reply that another window has sent meanwhile is not taken back (E18)", async () => {
  const storage = { ...kept(), isCurrent: () => false };
  const { outbox } = desk([refuse({ status: 422, code: "too_long", detail: "" })], storage);
  const { token } = outbox.post(reply);
  await settled();
  assert.equal(outbox.discard(token), null);
  assert.equal(outbox.size, 1);
});

test("a reply that is taken back keeps its token, until the server has another text under it (E18)", async () => {
  const { outbox } = desk([lost, refuse({ status: 409, code: "event_id_conflict", detail: "" })], undefined, {
    online: () => false,
  });
  const item = outbox.post(reply);
  await settled();
  assert.equal(tokenAfter(item), "token-1");
  outbox.discard(item.token);
  const again = outbox.post({ ...reply, body: "Another text", token: tokenAfter(item) });
  await settled();
  assert.deepEqual([again.token, tokenAfter(again)], ["token-1", null]);
});
