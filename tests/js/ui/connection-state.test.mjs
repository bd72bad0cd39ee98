import assert from "node:assert/strict";
import { test } from "node:test";

import { banner } from "../../../static/js/ui/shell/banner.js";
import { ConnectionState } from "../../../static/js/ui/shell/connection-state.js";
import { pageOf } from "../support.mjs";

function desk(t) {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  globalThis.navigator ??= /** @type {any} */ ({});
  const told = [];
  const tells = (part, ...names) => Object.fromEntries(
    names.map((name) => [name, () => { told.push(`${part}.${name}`); }]),
  );
  const world = { now: 1_000_000 };
  const parts = {
    connection: {
      state: "connected", connected: true, downSince: null, heardAt: world.now,
      ...tells("connection", "renew", "tryNow", "stop"),
    },
    lists: {
      ...tells("lists", "connected", "disconnected"),
      sync: { state: "live", syncedAt: world.now, ...tells("sync", "orderIsBack", "check") },
    },
    thread: { state: "open", ...tells("thread", "connected", "disconnected", "retry") },
    presence: { late: false, ...tells("presence", "connected", "disconnected") },
    alerts: tells("alerts", "connected", "forget"),
    unsent: { part: { outbox: tells("outbox", "retryWaiting") } },
    painter: { ask() {}, askAll() {} }, announce() {}, picks: { offer: null }, bulk: {},
    language: { t: (key) => key, words: { clock: String } }, liveness: { silentSince: null },
    api: { me: async () => ({}) }, now: () => world.now,
    clear: (reason) => told.push(`clear ${reason}`),
  };
  const state = new ConnectionState(/** @type {any} */ pageOf((parts)));
  state.online = true;
  const heard = () => told.splice(0);
  const said = () => JSON.stringify(/** @type {any} */ (
    banner(/** @type {any} */ pageOf(({ ...parts, connectionState: state })))).values ?? "");
  return { state, parts, world, heard, said };
}

test("all parts hear of a connection and of its loss, and what waits is sent (H12, cases E15, F10)", (t) => {
  const { state, heard } = desk(t);
  state.connected();
  const parts = ["lists", "presence", "thread", "alerts"].map((part) => `${part}.connected`);
  assert.deepEqual(heard().sort(), [...parts, "outbox.retryWaiting"].sort());
  state.disconnected();
  assert.deepEqual(heard().sort(), [
    "alerts.forget", "lists.disconnected", "presence.disconnected", "thread.disconnected",
  ]);
});

test("when the network is back what failed is tried again (cases B18, E15)", (t) => {
  const { state, parts, heard, said } = desk(t);
  state.setOnline(false);
  assert.match(said(), /banner\.offline/);
  assert.deepEqual(heard(), []);
  parts.thread.state = "failed";
  state.setOnline(true);
  assert.deepEqual(heard(), ["outbox.retryWaiting", "thread.retry"]);
});

test("after a sleep the connection is replaced, unless something was just heard (F59)", (t) => {
  const { state, world, heard } = desk(t);
  state.slept();
  assert.deepEqual(heard(), []);
  world.now += 1001;
  state.slept();
  assert.deepEqual(heard(), ["connection.renew"]);
});

test("after half a minute without a frame the list is checked (case B2)", (t) => {
  const { world, heard } = desk(t);
  world.now += 28_000;
  t.mock.timers.tick(30_000);
  assert.ok(!heard().includes("sync.check"));
  world.now += 2000;
  t.mock.timers.tick(30_000);
  assert.ok(heard().includes("sync.check"));
});

test("a page of before an update stops, and asks to be loaded anew (F68)", async (t) => {
  const { state, heard, said } = desk(t);
  await state.refused({ data: { code: "protocol_mismatch" } });
  assert.deepEqual([state.ended, heard().includes("connection.stop")], ["protocol", true]);
  assert.match(said(), /banner\.protocol/);
});

test("a page without a session stops, and shows nothing more (H26)", (t) => {
  const { state, heard } = desk(t);
  state.end("session", "disabled");
  const told = heard();
  assert.ok(told.includes("clear disabled") && told.includes("connection.stop"));
});

test("a server that does not answer is told of, and can be asked again (H14)", (t) => {
  const { parts, said } = desk(t);
  parts.liveness.silentSince = 5;
  assert.match(said(), /banner\.silent.*banner\.try_now/);
});
