import assert from "node:assert/strict";
import { test } from "node:test";

import { Order } from "../../../../static/js/core/list/order.js";
import { View } from "../../../../static/js/core/list/view.js";
import { ListServer, seeded } from "../../support.mjs";

const shown = (view) => Array.from({ length: view.length }, (_, index) => view.idAt(index));

function opened(entries, limit = 100) {
  const server = new ListServer(entries);
  const order = new Order(server.open(limit));
  const view = new View(order);
  const apply = () => {
    order.apply(server.frame(order.version));
    view.note(order.changes);
  };
  return { server, order, view, apply };
}

test("a live view is the true order", () => {
  const { server, view, apply } = opened([[1, 10], [2, 20]]);
  server.put(3, 5);
  apply();
  assert.deepEqual(shown(view), [3, 1, 2]);
  assert.equal(view.indexOf(2), 2);
});

test("a held view keeps its rows and tells where they went", () => {
  const { server, view, apply } = opened([[1, 10], [2, 20], [3, 30], [4, 40]]);
  view.hold();
  server.put(3, 5);
  server.put(2, null);
  server.put(1, 35);
  server.put(9, 1);
  apply();
  assert.deepEqual(shown(view), [1, 2, 3, 4]);
  assert.deepEqual([1, 2, 3, 4].map((id) => view.markOf(id)), ["down", "left", "up", ""]);
  assert.deepEqual([1, 2, 3, 4, 9].map((id) => view.indexOf(id)), [0, 1, 2, 3, -1]);
  assert.equal(view.total, 4);
  view.commit();
  assert.deepEqual(shown(view), [9, 3, 1, 4]);
  assert.equal(view.markOf(3), "");
});

test("a row that went and came back to its place has no mark", () => {
  const { server, view, apply } = opened([[1, 10], [2, 20]]);
  view.hold();
  server.put(1, 30);
  apply();
  server.put(1, 10);
  apply();
  assert.equal(view.markOf(1), "");
});

test("what is loaded while held follows below, nothing twice", () => {
  const { server, order, view, apply } = opened(
    [[1, 10], [2, 20], [3, 30], [4, 40], [5, 50]], 2,
  );
  view.hold();
  server.put(1, 45);
  server.put(4, 5);
  apply();
  order.more(server.more([20, 2], 10));
  view.extend();
  assert.deepEqual(shown(view), [1, 2, 3, 5], "1 keeps its place, 4 is news above");
  assert.equal(view.indexOf(5), 3);
  view.commit();
  assert.deepEqual(shown(view), server.ids);
});

test("whatever happens while held, every painted row is found at its place", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seeded(seed);
    const { server, order, view, apply } = opened(
      Array.from({ length: 60 }, (_, index) => [index + 1, random.below(50)]), 10,
    );
    view.hold();
    const first = shown(view);
    for (let round = 0; round < 40; round += 1) {
      server.put(1 + random.below(70), random.random() < 0.2 ? null : random.below(50));
      apply();
      if (random.random() < 0.2 && !order.whole) {
        order.more(server.more([order.bound.score, order.bound.id], 1 + random.below(8)));
        view.extend();
      }
      const ids = shown(view);
      assert.deepEqual(ids.slice(0, first.length), first, "held rows stay");
      assert.equal(new Set(ids).size, ids.length, `seed ${seed}: no row twice`);
      ids.forEach((id, index) => assert.equal(view.indexOf(id), index, `seed ${seed}`));
    }
    view.commit();
    assert.deepEqual(shown(view), Array.from(order.ids()));
  }
});
