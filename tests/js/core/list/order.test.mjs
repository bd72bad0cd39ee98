import assert from "node:assert/strict";
import { test } from "node:test";

import { Order } from "../../../../static/js/core/list/order.js";
import { ListServer, seeded } from "../../support.mjs";

const B = 2 ** 42;

// The head of a fresh answer, as far as `order` claims to be complete.
function expected(server, order) {
  const { bound } = order;
  if (bound === null) return server.ids;
  return server.sorted.filter(
    ([id, score]) => score < bound.score || (score === bound.score && id <= bound.id),
  ).map(([id]) => id);
}

function assertFresh(server, order, message) {
  assert.equal(order.version, server.version, message);
  assert.equal(order.total, server.scores.size, message);
  assert.deepEqual(Array.from(order.ids()), expected(server, order), message);
  for (let index = 0; index < order.length; index += 1) {
    const id = order.idAt(index);
    assert.equal(order.scoreAt(index), server.scores.get(id), message);
    assert.equal(order.indexOf(id), index, message);
  }
}

function filled(random, count) {
  return new ListServer(Array.from(
    { length: count }, (_, index) => [index + 1, B + random.below(40)],
  ));
}

// Small ids and few scores, so that ties, doubles and edges happen all the time.
function shake(server, random, times) {
  for (let time = 0; time < times; time += 1) {
    const id = 1 + random.below(90);
    server.put(id, random.random() < 0.25 ? null : B + random.below(40));
  }
}

test("a head plus its frames is the fresh head, over thousands of random frames", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const random = seeded(seed);
    const server = filled(random, 60);
    const order = new Order(server.open(1 + random.below(70)));
    for (let round = 0; round < 150; round += 1) {
      const from = server.version;
      shake(server, random, random.random() < 0.05 ? 120 : 1 + random.below(4));
      assert.equal(order.apply(server.frame(from)), "applied");
      assertFresh(server, order, `seed ${seed}, round ${round}`);
    }
  }
});

test("lost, doubled, overlapping and swapped frames end in the fresh head after one sync", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const random = seeded(1000 + seed);
    const server = filled(random, 60);
    const order = new Order(server.open(20));
    const kept = [];
    for (let round = 0; round < 100; round += 1) {
      const from = random.random() < 0.2 ? Math.max(1, server.version - random.below(5)) : server.version;
      shake(server, random, 1 + random.below(3));
      kept.push(server.frame(from));
      if (random.random() < 0.2) kept.push(random.one(kept));
      if (random.random() < 0.3 && kept.length > 1) kept.push(kept.shift());
      const lost = random.random() < 0.2;
      const frame = kept.shift();
      if (!lost && order.apply(frame) === "sync") {
        assert.ok(frame.from > order.version, "a sync is asked for only where there is a gap");
      }
      for (let index = 1; index < order.length; index += 1) {
        assert.ok(order.indexOf(order.idAt(index)) === index, "the order is sound after every frame");
      }
    }
    order.apply(server.sync(order));
    assertFresh(server, order, `seed ${seed}`);
  }
});

test("more of the list may come before, between and after the frames that changed it", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seeded(2000 + seed);
    const server = filled(random, 80);
    const order = new Order(server.open(5));
    for (let round = 0; round < 40 && !order.whole; round += 1) {
      const from = server.version;
      shake(server, random, random.below(3));
      const asked = [order.bound.score, order.bound.id];
      const early = server.more(asked, 1 + random.below(6));
      const middle = server.version;
      shake(server, random, random.below(3));
      const frames = [server.frame(from)];
      if (random.random() < 0.5) frames.unshift({ ...server.frame(from), version: from, set: [], del: [] });
      if (random.random() < 0.5) order.more(early);
      frames.forEach((frame) => order.apply(frame));
      if (!order.whole && order.bound.id === asked[1] && order.bound.score === asked[0]) {
        assert.equal(order.more(early), "applied", `version ${middle} is remembered`);
      }
      assertFresh(server, order, `seed ${seed}, round ${round}`);
    }
  }
});

test("an answer that is ahead waits for the frames that lead to it", () => {
  const server = new ListServer([[1, 10], [2, 20], [3, 30], [4, 40]]);
  const order = new Order(server.open(2));
  server.put(3, 5);
  const answer = server.more([20, 2], 10);
  assert.equal(order.more(answer), "wait");
  assert.deepEqual(Array.from(order.ids()), [1, 2]);
  assert.equal(order.apply(server.frame(1)), "applied");
  assert.deepEqual(Array.from(order.ids()), [3, 1, 2, 4]);
  assert.equal(order.whole, true);
});

test("an answer older than what is remembered is asked for again", () => {
  const server = new ListServer(Array.from({ length: 6000 }, (_, index) => [index + 1, index]));
  const order = new Order(server.open(10));
  const answer = server.more([9, 10], 10);
  for (let id = 1000; id < 5500; id += 1) {
    const from = server.version;
    server.put(id, id + 1);
    order.apply(server.frame(from));
  }
  assert.equal(order.more(answer), "again");
  assert.equal(order.more(server.more([9, 10], 10)), "applied");
  assertFresh(server, order);
});

test("an entry that lands beyond the loaded head is counted and leaves the head", () => {
  const server = new ListServer([[1, 10], [2, 20], [3, 30], [4, 40]]);
  const order = new Order(server.open(2));
  server.put(1, 35);
  order.apply(server.frame(1));
  assert.deepEqual(Array.from(order.ids()), [2]);
  assert.equal(order.total, 4);
  assert.equal(order.whole, false);
  assert.deepEqual(order.bound, { score: 20, id: 2 });
});

test("the bound stays where the entry that made it leaves", () => {
  const server = new ListServer([[1, 10], [2, 20], [3, 30], [4, 40]]);
  const order = new Order(server.open(2));
  server.put(2, null);
  server.put(4, 25);
  order.apply(server.frame(1));
  assert.deepEqual(Array.from(order.ids()), [1], "25 is beyond the bound of 20: others may be before it");
  server.put(3, 15);
  order.apply(server.frame(3));
  assert.deepEqual(Array.from(order.ids()), [1, 3]);
});

test("equal scores stand by the lower id", () => {
  const server = new ListServer([[5, 10], [3, 10], [9, 10]]);
  const order = new Order(server.open(10));
  server.put(4, 10);
  order.apply(server.frame(1));
  assert.deepEqual(Array.from(order.ids()), [3, 4, 5, 9]);
});

test("a frame of another epoch or from beyond our version asks for a sync and changes nothing", () => {
  const server = new ListServer([[1, 10], [2, 20]]);
  const order = new Order(server.open(10));
  const frame = { epoch: "one", from: 1, version: 2, total: 3, set: [[3, 5]], del: [], rows: {} };
  assert.equal(order.apply({ ...frame, epoch: "two" }), "sync");
  assert.equal(order.apply({ ...frame, from: 2, version: 3 }), "sync");
  assert.deepEqual(Array.from(order.ids()), [1, 2]);
  assert.equal(order.apply(frame), "applied");
  assert.equal(order.apply(frame), "old");
});

test("each change is told with where the thread stood and where it stands", () => {
  const server = new ListServer([[1, 10], [2, 20], [3, 30]]);
  const order = new Order(server.open(2));
  order.apply({
    epoch: "one", from: 1, version: 2, total: 3, del: [2], rows: {}, set: [[3, 5], [1, 50]],
  });
  assert.deepEqual(order.changes, [
    { id: 2, was: 20, now: undefined, left: true },
    { id: 3, was: undefined, now: 5, left: false },
    { id: 1, was: 10, now: undefined, left: false },
  ]);
});

test("a list that was empty fills from frames alone", () => {
  const server = new ListServer();
  const order = new Order(server.open(10));
  assert.equal(order.whole, true);
  server.put(7, 3);
  order.apply(server.frame(1));
  assert.deepEqual(Array.from(order.ids()), [7]);
});
