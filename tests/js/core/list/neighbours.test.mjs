import assert from "node:assert/strict";
import { test } from "node:test";

import { Neighbours } from "../../../../static/js/core/list/neighbours.js";

function desk(ids) {
  const order = [...ids];
  const painted = { indexOf: (id) => order.indexOf(id), idAt: (index) => order[index] };
  const listing = { ready: true, painted };
  const current = { listing, sync: { order: { has: (id) => order.includes(id) } } };
  const lists = { current };
  const thread = { id: null };
  const neighbours = new Neighbours({ lists, thread });
  return {
    order, lists, thread, neighbours,
    open(id) {
      thread.id = id;
      neighbours.look();
    },
    move(id, to) {
      order.splice(order.indexOf(id), 1);
      if (to !== null) order.splice(to, 0, id);
      neighbours.look();
    },
  };
}

test("after a reply moved the thread the next one is who stood next (H4)", () => {
  for (const to of [0, 4]) {
    const { open, move, neighbours } = desk([1, 2, 3, 4, 5]);
    open(2);
    move(2, to);
    assert.equal(neighbours.next(2), 3);
  }
});

test("who left the list meanwhile is passed over; then those above follow (H4)", () => {
  const { open, move, neighbours } = desk([1, 2, 3, 4, 5]);
  open(4);
  move(5, null);
  assert.equal(neighbours.next(4), 3);
  move(3, null);
  assert.equal(neighbours.next(4), 2);
  move(2, null);
  move(1, null);
  assert.equal(neighbours.next(4), null);
});

test("of a thread that was not on the list nothing is known until it is", () => {
  const { open, order, neighbours } = desk([1, 2]);
  open(9);
  assert.equal(neighbours.next(9), null);
  order.unshift(9);
  neighbours.look();
  assert.equal(neighbours.next(9), 1);
});

test("each list that was shown since has its own neighbours", () => {
  const { open, lists, neighbours } = desk([1, 2, 3]);
  open(2);
  const first = lists.current;
  const other = desk([3, 2, 1]);
  lists.current = other.lists.current;
  neighbours.look();
  assert.equal(neighbours.next(2), 1);
  lists.current = first;
  neighbours.look();
  assert.equal(neighbours.next(2), 3);
});
