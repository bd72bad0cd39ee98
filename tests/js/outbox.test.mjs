import assert from "node:assert/strict";
import { test } from "node:test";

import { Outbox } from "../../static/js/core/outbox.js";
import { Clock, settled } from "./support.mjs";

function shelf() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

// answers: functions, one a try; the last is used for ever.
function desk(answers, storage = shelf()) {
  const clock = new Clock();
  const tries = [];
  const sent = [];
  let tokens = 0;
  const outbox = new Outbox({
    send: async (item) => {
      tries.push({ token: item.token, confirm: item.confirm });
      return answers[Math.min(tries.length, answers.length) - 1](item);
    },
    token: () => { tokens += 1; return `token-${tokens}`; },
    changed() {},
    sent: (item, message) => sent.push(message),
    moved() {},
    storage, adminId: 7, now: clock.now, timers: clock, random: () => 0,
  });
  return { clock, tries, sent, outbox, storage };
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

test("a reply to a conversation that went on is sent when it is confirmed", async () => {
  const moved = refuse({ status: 409, code: "conversation_moved", body: { unseen: [{ id: 9 }] } });
  const { outbox, clock, tries, sent } = desk([moved, taken]);
  const { token } = outbox.post(reply);
  await clock.turn(60_000);
  assert.equal(tries.length, 1, "not by itself");
  assert.equal(outbox.of(1)[0].state, "moved");
  assert.deepEqual(outbox.of(1)[0].unseen, [{ id: 9 }]);
  outbox.confirm(token);
  await settled();
  assert.deepEqual(tries[1], { token, confirm: true });
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
