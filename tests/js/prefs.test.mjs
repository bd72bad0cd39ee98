import assert from "node:assert/strict";
import { test } from "node:test";

import { Prefs } from "../../static/js/core/prefs.js";
import { Clock } from "./support.mjs";

function desk(send) {
  const clock = new Clock();
  const sent = [];
  const prefs = new Prefs({
    kept: { sorts: { arrival: "priority" }, filters: {}, page: "arrival" },
    send: async (changes) => { sent.push(changes); await send?.(changes); },
    timers: clock,
  });
  return { clock, sent, prefs };
}

test("each page has its own sort and filter, with a default", () => {
  const { prefs } = desk();
  assert.equal(prefs.sortOf("arrival"), "priority");
  assert.equal(prefs.sortOf("history"), "arrival");
  assert.equal(prefs.filterOf("arrival"), "all");
});

test("choices made one after the other are sent once, and none where nothing changed", async () => {
  const { clock, sent, prefs } = desk();
  prefs.place({ page: "arrival", sort: "priority", filter: "all" });
  await clock.turn(1000);
  assert.deepEqual(sent, []);
  prefs.place({ page: "history", sort: "arrival", filter: "mine" });
  prefs.place({ page: "arrival", sort: "longest_wait", filter: "all" });
  await clock.turn(1000);
  assert.deepEqual(sent, [{
    page: "arrival",
    sorts: { arrival: "longest_wait", history: "arrival" },
    filters: { history: "mine", arrival: "all" },
  }]);
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
