import assert from "node:assert/strict";
import { test } from "node:test";

import { Prefs } from "../../../static/js/core/prefs.js";
import { Clock } from "../support.mjs";

function desk(send) {
  const clock = new Clock();
  const sent = [];
  const prefs = new Prefs({
    kept: { sorts: { arrival: "priority" }, place: "arrival", view: "not_respond" },
    send: async (changes) => { sent.push(changes); await send?.(changes); },
    timers: clock,
  });
  return { clock, sent, prefs };
}

test("each place has its own sort, with a default; the first one comes from the server", () => {
  const { prefs } = desk();
  assert.equal(prefs.sortOf("arrival"), "priority");
  assert.equal(prefs.sortOf("history"), "arrival");
  assert.equal(prefs.place, "arrival");
  const kept = { place: null, view: "not_respond" };
  assert.equal(new Prefs({ kept, send: async () => {} }).place, "not_respond");
});

test("choices made one after the other are sent once, and none where nothing changed", async () => {
  const { clock, sent, prefs } = desk();
  prefs.keep({ view: "arrival", sort: "priority" });
  await clock.turn(1000);
  assert.deepEqual(sent, []);
  prefs.keep({ view: "history", sort: "arrival" });
  prefs.keep({ view: "mine", sort: "longest_wait" });
  await clock.turn(1000);
  assert.deepEqual(sent, [{
    place: "mine", sorts: { arrival: "priority", history: "arrival", mine: "longest_wait" },
  }]);
});

test("the last saved view is kept with a sort that is not its own, until a built-in one is opened", async () => {
  const { clock, sent, prefs } = desk();
  prefs.keepSaved({ view: "v1", sort: "priority" }, "priority");
  await clock.turn(1000);
  prefs.keepSaved({ view: "v1", sort: "priority" }, "priority");
  await clock.turn(1000);
  prefs.keepSaved({ view: "v1", sort: "arrival" }, "priority");
  await clock.turn(1000);
  prefs.keep({ view: "arrival", sort: "priority" });
  await clock.turn(1000);
  assert.deepEqual(sent.map(({ saved }) => saved), [
    { view: "v1" }, { view: "v1", sort: "arrival" }, null,
  ]);
});

test("a choice that fails late does not come again after a newer one was stored", async () => {
  const fails = [];
  const { clock, sent, prefs } = desk((changes) => (
    changes.density === "compact" ? new Promise((_, fail) => { fails.push(fail); }) : null));
  prefs.change({ density: "compact", theme: "dark" });
  await clock.turn(1000);
  prefs.change({ density: "comfortable" });
  await clock.turn(1000);
  fails[0](Object.assign(new Error(), { status: 0 }));
  await clock.turn(10_000);
  assert.deepEqual(sent.slice(1), [{ density: "comfortable" }, { density: "comfortable", theme: "dark" }]);
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
