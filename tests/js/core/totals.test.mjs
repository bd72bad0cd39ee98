import assert from "node:assert/strict";
import { test } from "node:test";

import { FilterTotals, Totals } from "../../../static/js/core/totals.js";
import { Clock } from "../support.mjs";

const VIEW = { view: "v1", sort: "arrival", filter: "all" };
const QUERY = { view: "query", query: "is:open", sort: "arrival", filter: "all" };

function desk(list = VIEW) {
  const clock = new Clock();
  const calls = [];
  const shown = (each, state = "live") => ({
    key: JSON.stringify(each), sync: { state, late: false, asked: each },
  });
  const lists = { list, current: shown(list) };
  const show = (each, state) => Object.assign(lists, { list: each, current: shown(each, state) });
  const totals = new Totals();
  totals.take({ filter: "mine", arrival: 1, not_respond: 0, history: 0 });
  const filters = new FilterTotals({
    lists, totals, timers: clock,
    call: async (name, given) => { calls.push([name, given]); },
  });
  return { clock, calls, lists, show, totals, filters };
}

test("the totals of an open list's filters are those of its view or query alone", () => {
  const totals = new Totals();
  totals.take({ filter: "mine", arrival: 1, not_respond: 0, history: 0 });
  totals.takeFiltered({ ...VIEW, totals: { unassigned: 3, mine: 2 } });
  assert.equal(totals.here(VIEW, "mine"), 2);
  assert.equal(totals.here({ ...VIEW, view: "v2" }, "mine"), undefined);
  assert.equal(totals.here({ ...VIEW, view: "arrival" }, "mine"), 1, "of a built-in view");
  assert.equal(totals.here(QUERY, "mine"), undefined);
  totals.takeFiltered({ query: "is:open", sort: "arrival", totals: { all: 9, mine: 0 } });
  assert.equal(totals.here(QUERY, "all"), 9);
  assert.equal(totals.here({ ...QUERY, query: "is:closed" }, "all"), undefined);
  assert.equal(totals.here(VIEW, "mine"), undefined);
});

test("the totals of a list are asked for once it was live for a moment", async () => {
  const { clock, calls, show, filters } = desk();
  filters.look();
  assert.deepEqual(calls, []);
  await clock.turn(500);
  filters.look();
  assert.deepEqual(calls, [["list:totals", VIEW]]);
  show(QUERY, "opening");
  filters.look();
  show(QUERY);
  filters.look();
  await clock.turn(100);
  show({ ...VIEW, view: "arrival" });
  filters.look();
  await clock.turn(1000);
  assert.equal(calls.length, 1, "left at once, for a list whose totals come by themselves");
});

test("the totals of another list are not shown as those of this one", async () => {
  const { clock, show, totals, filters } = desk();
  filters.look();
  await clock.turn(500);
  totals.takeFiltered({ ...VIEW, totals: { mine: 2 } });
  show(QUERY, "opening");
  filters.look();
  show(VIEW, "opening");
  assert.equal(totals.here(VIEW, "mine"), undefined, "they may have changed meanwhile");
});

test("a new connection is asked again", async () => {
  const { clock, calls, filters } = desk();
  filters.look();
  await clock.turn(500);
  filters.connected();
  filters.look();
  await clock.turn(500);
  assert.equal(calls.length, 2);
});
