import assert from "node:assert/strict";
import { test } from "node:test";

import { Prefs } from "../../../static/js/core/prefs.js";
import { Clock } from "../support.mjs";

function desk(send) {
  const clock = new Clock();
  const sent = [];
  const prefs = new Prefs({
    kept: { sorts: { arrival: "priority" }, filters: {}, view: "arrival" },
    send: async (changes) => { sent.push(changes); await send?.(changes); },
    timers: clock,
  });
  return { clock, sent, prefs };
}

test("each view has its own sort and filter, with a default", () => {
  const { prefs } = desk();
  assert.equal(prefs.sortOf("arrival"), "priority");
  assert.equal(prefs.sortOf("history"), "arrival");
  assert.equal(prefs.filterOf("arrival"), "all");
});

test("choices made one after the other are sent once, and none where nothing changed", async () => {
  const { clock, sent, prefs } = desk();
  prefs.place({ view: "arrival", sort: "priority", filter: "all" });
  await clock.turn(1000);
  assert.deepEqual(sent, []);
  prefs.place({ view: "history", sort: "arrival", filter: "mine" });
  prefs.place({ view: "arrival", sort: "longest_wait", filter: "all" });
  await clock.turn(1000);
  assert.deepEqual(sent, [{
    view: "arrival",
    sorts: { arrival: "longest_wait", history: "arrival" },
    filters: { history: "mine", arrival: "all" },
  }]);
});

test("the last saved view is kept with a sort that is not its own, until a built-in one is opened", async () => {
  const { clock, sent, prefs } = desk();
  prefs.placeSaved({ view: "v1", sort: "priority", filter: "all" }, "priority");
  await clock.turn(1000);
  prefs.placeSaved({ view: "v1", sort: "priority", filter: "all" }, "priority");
  await clock.turn(1000);
  prefs.placeSaved({ view: "v1", sort: "arrival", filter: "mine" }, "priority");
  await clock.turn(1000);
  prefs.place({ view: "arrival", sort: "priority", filter: "all" });
  await clock.turn(1000);
  assert.deepEqual(sent.map(({ saved }) => saved), [
    { view: "v1" }, { view: "v1", sort: "arrival", filter: "mine" }, null,
  ]);
});

test("a choice that could not be sent is sent later", async () => {
  let failing = true;
  const { clock, sent, prefs } = desk(() => { if (failing) throw Object.assign(new Error(), { status: 0 }); });
  prefs.change({ theme: "dark" });
  await clock.turn(1000);
  failing = false;
  await clock.turn(10_000);
  assert.deepEqual(sent, [{ theme: "dark" }, { theme: "dark" }]);
});

test("what was just chosen is sent as the page goes, once", async () => {
  const { clock, sent, prefs } = desk();
  prefs.change({ theme: "dark" });
  await prefs.flush();
  assert.deepEqual(sent, [{ theme: "dark" }]);
  await prefs.flush();
  await clock.turn(1000);
  assert.equal(sent.length, 1);
});
