import assert from "node:assert/strict";
import { test } from "node:test";

import { Listing } from "../../../../static/js/core/list/listing.js";
import { Neighbours } from "../../../../static/js/core/list/lists.js";
import { Order } from "../../../../static/js/core/list/order.js";

function desk(ids) {
  const order = [...ids];
  const painted = { indexOf: (id) => order.indexOf(id), idAt: (index) => order[index], markOf: () => "" };
  const current = { listing: { ready: true, painted } };
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

// Threads 1 to 4 are on the live list, 11 to 14 follow it in the archive.
function archivedDesk() {
  const archived = [11, 12, 13, 14];
  const archive = {
    length: archived.length, whole: true, idAt: (index) => archived[index], scoreAt: (index) => 100 + index,
    indexOf: (id) => archived.indexOf(id), has: (id) => archived.includes(id), refresh() {}, settle() {}, follow() {},
  };
  const rows = { markAll() {}, put() {}, mark() {} };
  const listing = new Listing({ list: "history", rows, mayMove: () => false, archive });
  const answer = { epoch: "e", version: 1, total: 4, ids: [1, 2, 3, 4], scores: [1, 2, 3, 4], rows: [] };
  const order = new Order(answer);
  listing.reset(order, answer);
  const thread = { id: null };
  const neighbours = new Neighbours({ lists: { current: { listing } }, thread });
  return {
    archived, listing, neighbours,
    open(id) {
      thread.id = id;
      neighbours.look();
    },
    leaves(...del) {
      const frame = { epoch: "e", from: order.version, version: order.version + 1, total: 4 - del.length, set: [], del, rows: {} };
      listing.before(frame);
      order.apply(frame);
      listing.applied(frame, order.changes);
    },
  };
}

test("behind the line, where the archive follows, the next one is the next, too (H4)", () => {
  const { open, archived, neighbours } = archivedDesk();
  open(12);
  assert.equal(neighbours.next(12), 13);
  archived.splice(archived.indexOf(13), 1);
  assert.equal(neighbours.next(12), 14);
  open(4);
  assert.equal(neighbours.next(4), 11, "over the line");
  open(14);
  assert.equal(neighbours.next(14), 12, "above the last one");
});

test("in a list that stands still what has left it is passed over, though it is painted (H4)", () => {
  const { open, leaves, listing, neighbours } = archivedDesk();
  open(2);
  leaves(2, 3);
  assert.ok(listing.painted.held && listing.painted.indexOf(3) >= 0);
  assert.equal(neighbours.next(2), 4);
});
