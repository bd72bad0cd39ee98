import assert from "node:assert/strict";
import { test } from "node:test";

import { Messages } from "../../static/js/core/messages.js";

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
