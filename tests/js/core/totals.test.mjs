import assert from "node:assert/strict";
import { test } from "node:test";

import { Totals } from "../../../static/js/core/totals.js";

test("a place has the total of its view and filter, a saved view its own", () => {
  const totals = new Totals();
  assert.equal(totals.of("mine"), undefined);
  totals.take({ filter: "all", arrival: 9, not_respond: 4, history: 2 });
  totals.take({ filter: "mine", arrival: 1, not_respond: 0, history: 0 });
  totals.takeOthers({ v1: 3, snoozed: 5, v2: null });
  assert.deepEqual(["mine", "unassigned", "arrival", "not_respond", "snoozed", "v1", "v2"].map(
    (name) => totals.of(name),
  ), [1, undefined, 9, 4, 5, 3, undefined]);
});
