import assert from "node:assert/strict";
import { test } from "node:test";

import { Rows } from "../../../../static/js/core/list/rows.js";

test("the newest revision wins, in whatever order they come", () => {
  const rows = new Rows();
  assert.equal(rows.put({ id: 1, rev: 2 }), true);
  assert.equal(rows.put({ id: 1, rev: 1 }), false);
  assert.equal(rows.put({ id: 1, rev: 2 }), false);
  assert.equal(rows.get(1).rev, 2);
});

test("a fetch that left before the thread changed does not make its row true again", () => {
  const rows = new Rows();
  rows.put({ id: 1, rev: 1 });
  const asOf = rows.tick;
  rows.mark(1);
  rows.put({ id: 1, rev: 1 }, asOf);
  assert.equal(rows.wanted(1), true);
  rows.put({ id: 1, rev: 2 }, rows.tick);
  assert.equal(rows.wanted(1), false);
});

test("the longest unused rows go first, those on screen never", () => {
  const rows = new Rows(3);
  [1, 2, 3, 4, 5].forEach((id) => rows.put({ id, rev: 1 }));
  rows.trim(new Set([1]));
  assert.deepEqual([1, 2, 3, 4, 5].filter((id) => rows.get(id)), [1, 4, 5]);
});
