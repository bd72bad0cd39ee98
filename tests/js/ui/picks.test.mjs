import assert from "node:assert/strict";
import { test } from "node:test";

import { Picks } from "../../../static/js/ui/list/picks.js";
import { pageOf } from "../support.mjs";

// A list of threads; the row of the keyboard is that of `activeId`.
function scene(ids, activeId) {
  const listing = {
    activeId, ready: true,
    painted: {
      indexOf: (id) => ids.indexOf(id), hold() {},
      entries: ({ first, end }) => ids.slice(first, end).map((id) => ({ id })),
    },
  };
  const listPane = { walk: (step) => { listing.activeId = ids[Math.max(0, ids.indexOf(listing.activeId) + step)]; } };
  return new Picks(/** @type {any} */ (pageOf({
    lists: { listing, sync: { order: { total: ids.length } } }, listPane, hold: { pick() {} },
    announce() {}, painter: { ask() {} }, language: { t: (key) => key },
  })));
}

test("Shift and an arrow select from the row of the keyboard on", () => {
  const picks = scene([1, 2, 3], 1);
  picks.extend(1);
  assert.deepEqual(picks.ids, [1, 2]);
  picks.extend(1);
  assert.deepEqual(picks.ids, [1, 2, 3]);
});

test("a thread that is not on the list is not selected by them", () => {
  const picks = scene([1, 2, 3], 9);
  picks.extend(1);
  assert.deepEqual(picks.ids, [1]);
});
