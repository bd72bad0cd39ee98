import assert from "node:assert/strict";
import { test } from "node:test";

import { anchorOf, Listing } from "../../../../static/js/core/list/listing.js";
import { Order } from "../../../../static/js/core/list/order.js";
import { Rows } from "../../../../static/js/core/list/rows.js";
import { ListServer } from "../../support.mjs";

function opened(entries, { mayMove = () => true, head = 100 } = {}) {
  const server = new ListServer(entries);
  const rows = new Rows();
  const listing = new Listing({ list: { view: "arrival" }, rows, mayMove });
  const answer = server.open(head);
  const order = new Order(answer);
  listing.reset(order, answer);
  const push = (given = {}) => {
    const frame = { ...server.frame(order.version), rows: given };
    listing.before(frame);
    order.apply(frame);
    listing.applied(frame, order.changes);
  };
  return { server, rows, listing, order, push };
}

test("while nobody aims at it the view follows at the next painting; else it is held", () => {
  let mayMove = true;
  const { server, listing, push } = opened([[1, 10], [2, 20]], { mayMove: () => mayMove });
  server.put(2, 5);
  push();
  assert.deepEqual([listing.unpainted, listing.painted.idAt(0)], [true, 1], "as it was painted");
  listing.commit();
  assert.deepEqual([listing.unpainted, listing.painted.idAt(0)], [false, 2]);
  mayMove = false;
  server.put(1, 1);
  push();
  assert.equal(listing.painted.held, true);
  assert.equal(listing.painted.idAt(0), 2);
});

test("a row under a resting pointer is kept where it was painted, in a long list, too", () => {
  const many = Array.from({ length: 5001 }, (_, at) => [at + 1, 10 * at]);
  const { server, listing, push } = opened(many, { head: many.length });
  assert.equal(listing.aimsAt(500), false);
  server.put(400, 1);
  push();
  assert.equal(listing.painted.held, false, "others move below it");
  server.put(500, 2);
  push();
  assert.deepEqual([listing.painted.held, listing.aimsAt(500)], [true, true]);
  assert.equal(listing.painted.idAt(499), 500);
  listing.commit();
  assert.deepEqual([listing.aimsAt(500), listing.aimsAt(undefined)], [false, false]);
  server.put(9000, 20_000);
  server.put(500, 3);
  push();
  assert.equal(listing.painted.held, false, "nothing is aimed at");
  assert.equal(listing.aimsAt(600), false);
  server.put(600, null);
  push();
  assert.equal(listing.aimsAt(600), true, "it left the list");
});

test("news are the threads that came to stand above what is seen, each once", () => {
  const { server, listing, push } = opened([[1, 10], [2, 20], [3, 30], [4, 40]]);
  listing.looksAt(2);
  server.put(9, 1);
  server.put(4, 2);
  push();
  server.put(9, 0);
  push();
  server.put(8, 35);
  push();
  assert.deepEqual([...listing.news].sort(), [4, 9]);
  server.put(9, null);
  push();
  assert.deepEqual([...listing.news], [4]);
  listing.looksAt(null);
  assert.equal(listing.news.size, 0);
});

test("a thread that a push brings is new; one that only moves is not", () => {
  const { server, listing, push } = opened([[1, 10], [2, 20]]);
  server.put(3, 5);
  server.put(2, 1);
  push();
  assert.equal(listing.fresh.has(3), true);
  assert.equal(listing.fresh.has(2), false);
  server.put(3, null);
  push();
  assert.equal(listing.fresh.has(3), false);
});

test("a changed thread whose row did not come along is wanted again", () => {
  const { server, rows, push } = opened([[1, 10], [2, 20]]);
  rows.put({ id: 1, rev: 1 });
  rows.put({ id: 2, rev: 1 });
  server.put(1, 5);
  server.put(2, 6);
  push({ 1: { id: 1, rev: 2 } });
  assert.equal(rows.get(1).rev, 2);
  assert.equal(rows.wanted(1), false);
  assert.equal(rows.wanted(2), true);
});

test("the anchor is the first that stays and did not move itself", () => {
  const view = [7, 8, 9];
  const indexOf = (id) => view.indexOf(id);
  const candidates = [{ id: 5, index: 0 }, { id: 7, index: 1 }, { id: 8, index: 2 }];
  assert.deepEqual(anchorOf(candidates, new Set([7]), indexOf), { id: 8, from: 2 });
  assert.equal(anchorOf([{ id: 5, index: 0 }], new Set(), indexOf), null);
});
