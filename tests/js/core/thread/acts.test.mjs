import assert from "node:assert/strict";
import { test } from "node:test";

import { Arrivals, arrivalText } from "../../../../static/js/app/acting.js";
import { Acts } from "../../../../static/js/core/thread/messages.js";
import { OpenThread } from "../../../../static/js/core/thread/thread.js";
import { merged } from "../../../../static/js/ui/thread/act-line.js";
import { OFFER_MS, Offers } from "../../../../static/js/ui/elements/undoing.js";

const act = (id, at) => ({ id, at, type: "thread.closed", by: null });
const message = (id, at, more = {}) => ({ id, at, role: "client", body: `text ${id}`, ...more });
const shape = (line) => line.map((each) => (each.act ? `a${each.act.id}` : `m${each.message.id}`));

test("acts stand by time among messages, after a message of the same time, each once", () => {
  const acts = new Acts();
  acts.put([act(2, 20), act(1, 5)]);
  assert.equal(acts.add(act(3, 20)), true);
  assert.equal(acts.add(act(2, 20)), false);
  const line = merged([message(1, 10), message(2, 20), message(3, 30)], acts.list);
  assert.deepEqual(shape(line), ["a1", "m1", "m2", "a2", "a3", "m3"]);
  assert.deepEqual(acts.between(5, 20).map(({ id }) => id), [1]);
  assert.deepEqual(acts.between(20, null).map(({ id }) => id), [2, 3]);
});

test("acts come with the thread, with older messages and live, and go with a gap", async () => {
  const answers = [
    { messages: [message(5, 50)], acts: [act(2, 55)], more: true, row: { id: 1 } },
    { messages: [message(5, 50), message(6, 60)], acts: [act(2, 55), act(3, 61)], more: true, row: { id: 1 } },
    { messages: [message(90, 900)], acts: [act(9, 950)], more: true, row: { id: 1 } },
  ];
  const came = [];
  const thread = new OpenThread({
    call: async (name) => (name === "thread:open" ? answers.shift() : {}),
    rows: { put() {}, get() {} },
    part: async () => ({ messages: [message(1, 10)], acts: [act(1, 12)], more: false }),
    changed() {},
  });
  thread.arrivals = { came: ({ id }) => came.push(id), delivered() {}, forget() {} };
  const ids = () => thread.acts.list.map(({ id }) => id);
  thread.connected();
  thread.open(1);
  await new Promise(setImmediate);
  await thread.loadOlder();
  assert.deepEqual(ids(), [1, 2]);
  thread.connected();
  await new Promise(setImmediate);
  assert.deepEqual([ids(), came], [[1, 2, 3], [6]], "what came meanwhile is told of");
  assert.equal(thread.did({ thread_id: 1, ...act(4, 70) }), true);
  assert.equal(thread.did({ thread_id: 1, ...act(4, 70) }), false);
  assert.equal(thread.did({ thread_id: 2, ...act(5, 70) }), false);
  thread.connected();
  await new Promise(setImmediate);
  assert.deepEqual([ids(), came], [[9], [6]]);
});

test("the newest offer is taken first, each once, for a minute", () => {
  const offers = new Offers();
  const [first, second] = [{ acts: [1] }, { acts: [2] }];
  offers.add(first, 0);
  offers.add(second, 5_000);
  assert.equal(offers.take(6_000), second);
  assert.equal(offers.take(6_000), first);
  assert.equal(offers.take(6_000), null);
  offers.add(first, 0);
  offers.add(second, 5_000);
  assert.deepEqual(offers.newest(59_999), { offer: second, leftMs: 5_001 });
  assert.equal(offers.take(59_999), second);
  assert.equal(offers.take(59_999), first);
  offers.add(second, 5_000);
  assert.equal(offers.newest(5_000 + OFFER_MS), null, "its time is over");
  assert.equal(offers.take(5_000 + OFFER_MS), null);
});

const said = (given) => {
  const timers = { run: null, setTimeout(run) { this.run = run; return 1; }, clearTimeout() { this.run = null; } };
  const told = [];
  const t = (key, names) => (names ? `${key}(${Object.values(names).join("|")})` : key);
  const arrivals = new Arrivals({
    adminId: 7, timers, tell: (what) => told.push(arrivalText(what, t, ({ author }) => author?.name ?? "Minh")),
  });
  given(arrivals);
  timers.run?.();
  return told;
};

test("what came together is told of once: how many, and the last with its author", () => {
  assert.deepEqual(said((a) => a.came(message(1, 1))), ["arrived.message(Minh|text 1)"]);
  assert.deepEqual(said((a) => [1, 2, 3].forEach((id) => a.came(message(id, id)))), [
    "arrived.messages(3|Minh|text 3)",
  ]);
  assert.deepEqual(said((a) => { a.came(message(1, 1)); a.forget(); }), [], "another thread is open");
});

test("own replies are told of as sent, and as far as they came", () => {
  const own = message(1, 1, { role: "admin", author: { id: 7, name: "Mai" }, private: false });
  assert.deepEqual(said((a) => a.came(own)), ["arrived.sent"]);
  assert.deepEqual(said((a) => a.came({ ...own, private: true })), ["arrived.noted"]);
  const delivered = { state: "delivered", to: "customer" };
  assert.deepEqual(said((a) => { a.came(own); a.delivered(own, delivered); }), ["delivery.delivered.customer"]);
  assert.deepEqual(said((a) => a.delivered({ author: { id: 8 } }, delivered)), []);
});
