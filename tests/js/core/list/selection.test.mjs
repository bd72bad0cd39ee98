import assert from "node:assert/strict";
import { test } from "node:test";

import { Selection } from "../../../../static/js/ui/list/picks.js";

test("a press picks, a second one lets go", () => {
  const selection = new Selection();
  selection.toggle(1);
  selection.toggle(2);
  selection.toggle(1);
  assert.deepEqual(selection.ids, [2]);
});

test("a range grows and shrinks from its anchor and leaves what was picked before", () => {
  const selection = new Selection();
  selection.toggle(9);
  selection.toggle(3);
  selection.range([3, 4, 5]);
  selection.range([3, 4]);
  assert.deepEqual(selection.ids, [9, 3, 4]);
  assert.equal(selection.anchor, 3);
});

test("what was done leaves the selection and does not come back with a range", () => {
  const selection = new Selection();
  selection.toggle(1);
  selection.toggle(2);
  selection.drop([1]);
  selection.range([2, 3]);
  assert.deepEqual(selection.ids, [2, 3]);
});

test("a range may be as long as the list (H5)", () => {
  const selection = new Selection();
  selection.range(Array.from({ length: 20_000 }, (_, id) => id + 1));
  assert.equal(selection.size, 20_000);
  selection.clear();
  assert.equal(selection.size, 0);
});
