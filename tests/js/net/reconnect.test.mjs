import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "../support.mjs";

// The page's address; the client library reads it. Nothing listens there, and nothing connects.
globalThis.location = /** @type {Location} */ ({ protocol: "http:", host: "127.0.0.1:9", hostname: "127.0.0.1", port: "9" });
const { Connection } = await import("../../../static/js/net/socket.js");
const { ConnectionState } = await import("../../../static/js/ui/shell/connection-state.js");
const { socketEvents } = await import("../../../static/js/app/socket-events.js");

// So many that chance alone never fills a second to 1.6 times its share (five standard deviations).
const WINDOWS = 2500;

function windows(count = WINDOWS) {
  const nothing = () => {};
  const on = { refused: nothing, event: nothing, connected: nothing, disconnected: nothing };
  return Array.from({ length: count }, () => {
    const one = new Connection({ on, protocol: 1, now: () => 0 });
    one.socket.connect = () => one.socket; // the test says what becomes of it
    one.start();
    return one;
  });
}

// Returns the time at which each window tries again, in ms from now; 0 for at once.
function tries(all, happens) {
  return all.map((one) => {
    happens(one);
    const at = one.nextTryAt;
    assert.equal(one.state, "waiting");
    one.start();
    return at;
  });
}

function assertSpread(found, mostMs) {
  assert.ok(Math.min(...found) >= 500 && Math.max(...found) <= mostMs, `${Math.min(...found)} to ${Math.max(...found)}`);
  const perSecond = new Map();
  for (const ms of found) perSecond.set(Math.floor(ms / 1000), (perSecond.get(Math.floor(ms / 1000)) ?? 0) + 1);
  const level = (WINDOWS * 1000) / (mostMs - 500);
  assert.ok(Math.max(...perSecond.values()) < 1.6 * level, JSON.stringify([...perSecond]));
}

test("windows that a restarted server has disconnected come back spread, the first time and later (T17)", () => {
  const all = windows();
  for (const one of all) one.socket.emitReserved("connect");
  assertSpread(tries(all, (one) => one.socket.emitReserved("disconnect", "transport close")), 4000);
  const refused = (one) => one.socket.emitReserved("connect_error", new Error("refused"));
  assertSpread(tries(all, refused), 8000);
  for (let attempt = 0; attempt < 5; attempt += 1) tries(all, refused);
  assertSpread(tries(all, refused), 30_000);
  for (const one of all) one.socket.emitReserved("connect");
  assertSpread(tries(all, (one) => one.socket.emitReserved("disconnect", "io server disconnect")), 4000);
  for (const one of all) one.stop();
});

test("a window whose server process ends connects at once, and waits for its turn where nothing is (H33)", () => {
  const [one] = windows(1);
  one.socket.emitReserved("connect");
  let tries = 0;
  one.socket.connect = () => { tries += 1; return one.socket; };
  one.socket.disconnect = () => one.socket.emitReserved("disconnect", "io client disconnect");
  const events = socketEvents(pageOf({
    connectionState: {
      moved: ConnectionState.prototype.moved, ended: null, net: { connection: one, now: () => 0 },
    },
  }));
  events.event("server:leaving", {});
  assert.deepEqual([one.state, tries], ["connecting", 1]);
  one.socket.emitReserved("connect_error", new Error("refused"));
  assert.equal(one.state, "waiting");
  assert.ok(one.nextTryAt >= 500 && one.nextTryAt <= 4000, `${one.nextTryAt}`);
  one.stop();
});

test("a window that is taken over says nothing of a loss, unless nobody takes it over (H33)", async (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const said = [];
  const part = { connected() {}, disconnected() {}, forget() {} };
  const state = Object.assign(Object.create(ConnectionState.prototype), {
    ended: null, wasConnected: true, movesUntil: 0,
  }, pageOf({
    now: () => now, lists: part, presence: part, thread: part, alerts: part, unsent: { part: null },
    painter: { ask() {}, askAll() {} }, api: { me: async () => {} },
    announce: (text) => said.push(text), language: { t: (key) => key },
    connection: { renew() { state.disconnected(); } },
  }));
  state.moved();
  assert.equal(state.isMoving, true);
  state.connected();
  assert.deepEqual([said, state.isMoving], [[], false]);
  state.disconnected();
  state.connected();
  assert.deepEqual(said.splice(0), ["announce.disconnected", "announce.connected"]);
  state.moved();
  await state.refused(new Error("refused"));
  assert.equal(state.isMoving, false);
  state.connected();
  assert.deepEqual(said, ["announce.disconnected", "announce.connected"]);
  state.moved();
  now += 2000;
  assert.equal(state.isMoving, false);
});
