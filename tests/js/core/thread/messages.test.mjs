import assert from "node:assert/strict";
import { test } from "node:test";

import { Messages } from "../../../../static/js/core/thread/messages.js";

const message = (id, at = id) => ({ id, at });
const some = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const ids = (list) => list.map(({ id }) => id);

test("messages stand by time, then id, however they come", () => {
  const messages = new Messages();
  messages.reset([message(1, 10), message(2, 30)], false);
  messages.add(message(3, 20));
  messages.add(message(4, 30));
  assert.deepEqual(ids(messages.list), [1, 3, 2, 4]);
  assert.equal(messages.newestId, 4);
});

test("a message that comes before the first answer hides no older ones", () => {
  const messages = new Messages();
  messages.add(message(120));
  messages.reset(some(71, 120), true);
  assert.equal(messages.more, true);
  messages.reset(some(100, 121), false);
  assert.equal(messages.more, true, "a shorter answer says nothing about the older ones that are known");
  messages.prepend(some(1, 70), false);
  messages.reset(some(72, 121), true);
  assert.equal(messages.more, false);
});

test("a message that comes twice is there once, as it came last", () => {
  const messages = new Messages();
  messages.reset([message(1)], false);
  assert.equal(messages.add({ ...message(1), delivery: "read" }), false);
  assert.equal(messages.list.length, 1);
  assert.equal(messages.list[0].delivery, "read");
});

test("older ones come before, and the painted part stays around its place", () => {
  const messages = new Messages();
  messages.reset(some(101, 150), true);
  messages.prepend(some(51, 100), true);
  assert.deepEqual(ids(messages.painted), ids(some(51, 150)));
  messages.prepend(some(1, 50), false);
  messages.toNewest();
  messages.add(message(151));
  assert.equal(messages.painted.length, 150);
  assert.equal(messages.painted.at(-1).id, 151);
  assert.equal(messages.older(), true);
  assert.equal(messages.painted[0].id, 1);
  assert.equal(messages.atNewest, false);
  assert.equal(messages.older(), false);
  messages.newer();
  assert.equal(messages.atNewest, true);
});

test("someone who reads older messages is not moved by a new one", () => {
  const messages = new Messages();
  messages.reset(some(1, 200), false);
  messages.older();
  const [first] = messages.painted;
  messages.add(message(300));
  assert.equal(messages.painted[0], first);
});

test("someone who reads older messages is not moved by a reconnect either", () => {
  const messages = new Messages();
  messages.reset(some(1, 200), false);
  messages.older();
  const [first] = messages.painted;
  messages.reset(some(190, 220), true);
  assert.equal(messages.painted[0], first);
});

test("after a gap the newest join what is here, or replace it where a hole would be", () => {
  const messages = new Messages();
  messages.reset(some(1, 50), false);
  messages.reset(some(40, 60), true);
  assert.deepEqual(ids(messages.list), ids(some(1, 60)));
  assert.equal(messages.more, false);
  messages.reset(some(100, 150), true);
  assert.deepEqual(ids(messages.list), ids(some(100, 150)));
  assert.equal(messages.more, true);
});

test("a part that was found leaves a gap, behind which others wait until it is closed", () => {
  const messages = new Messages();
  messages.reset(some(151, 200), true);
  messages.add(message(201));
  messages.replace({ messages: some(10, 59), more: true, later: true });
  assert.deepEqual(ids(messages.list), ids(some(10, 59)));
  assert.deepEqual([messages.atNewest, messages.isAtEnd, messages.untilMs], [false, true, 60]);
  assert.equal(messages.add(message(202)), true);
  assert.equal(messages.add(message(202)), false);
  assert.equal(messages.add(message(70, 30)), true, "one of an earlier time stands at its place");
  assert.equal(messages.list.length, 51);
  messages.append(some(60, 109).filter(({ id }) => id !== 70), true);
  messages.append(some(110, 201), false);
  assert.equal(messages.later, false);
  assert.deepEqual(ids(messages.list).slice(-3), [200, 201, 202]);
  assert.equal(messages.list.length, 193);
});

test("what came in while the newest part was being read is kept", () => {
  const messages = new Messages();
  messages.reset(some(1, 50), false);
  messages.add(message(51));
  messages.replace({ messages: some(20, 50), more: true, later: false });
  assert.deepEqual(ids(messages.list), ids(some(20, 51)));
  messages.replace({ messages: some(1, 9), more: false, later: true });
  assert.equal(messages.reset(some(5, 60), true), true, "the gap is closed by what overlaps");
  assert.deepEqual([messages.later, messages.newest.id], [false, 60]);
});

test("a message is painted with others around it", () => {
  const messages = new Messages();
  messages.reset(some(1, 400), false);
  messages.show(390);
  assert.equal(messages.painted.at(-1).id, 400, "it is painted: nothing moves");
  messages.show(100);
  assert.deepEqual([messages.painted[0].id, messages.painted.length], [25, 150]);
  messages.show(3);
  assert.equal(messages.painted[0].id, 1);
});

test("an edit replaces the message that it changed, and an older state does not come back", () => {
  const messages = new Messages();
  const edited = { ...message(2), body: "new", edit: { at: 5, deleted: false, v: 7 } };
  messages.reset([message(1), { ...message(2), body: "old" }], false);
  assert.equal(messages.add(edited), false);
  messages.reset([message(1), { ...message(2), body: "old", delivery: null }], false);
  messages.add({ ...message(2), body: "older", edit: { at: 4, deleted: false, v: 6 } });
  assert.equal(messages.get(2).body, "new");
  messages.add({ ...message(2), body: "", edit: { at: 6, deleted: true, v: 8 } });
  assert.deepEqual([ids(messages.list), messages.get(2).body], [[1, 2], ""]);
});

test("an edit of a message that is not loaded yet leaves no gap", () => {
  const messages = new Messages();
  messages.reset(some(51, 60), true);
  assert.equal(messages.add({ ...message(7), edit: { at: 99, deleted: false, v: 99 } }), false);
  assert.deepEqual(ids(messages.list), ids(some(51, 60)));
});

test("a part that was read before an edit and a delivery does not take them back", () => {
  const messages = new Messages();
  const edit = { v: 7, at: 7, by: null };
  messages.reset([message(1), { ...message(2), body: "new", edit, delivery: { v: 3, state: "read" } }], false);
  const old = { ...message(2), body: "old", edit: null, delivery: { v: 2, state: "delivered" } };
  messages.replace({ messages: [message(1), old], more: false, later: false });
  const { body, delivery } = messages.get(2);
  assert.deepEqual([body, delivery], ["new", { v: 3, state: "read" }]);
});

test("a delivery reaches a message behind the gap, too", () => {
  const messages = new Messages();
  messages.replace({ messages: some(1, 5), more: false, later: true });
  messages.add({ ...message(9), delivery: { v: 1, state: "sent" } });
  assert.equal(messages.deliver(9, { v: 3, state: "read" }), false);
  messages.deliver(9, { v: 2, state: "delivered" });
  messages.append(some(6, 8), false);
  assert.equal(messages.get(9).delivery.state, "read");
});
