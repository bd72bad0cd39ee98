// The page's connection as a state machine: the real client library over a transport of the test,
// under a clock of the test. A server that answers, refuses, hangs or opens and says nothing; sleep,
// frozen pages, focus, networks that come and go, presses, calls without an answer, in any order.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { seeded, settled, pageOf } from "../support.mjs";

globalThis.location = /** @type {any} */ ({ protocol: "http:", hostname: "127.0.0.1", port: "9" });
globalThis.navigator ??= /** @type {any} */ ({ onLine: true });
mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
const { Transport } = await import("engine.io-client");
const { Connection } = await import("../../../static/js/net/socket.js");
const { watch } = await import("../../../static/js/net/heartbeat.js");
const { ConnectionState } = await import("../../../static/js/ui/shell/connection-state.js");
const { banner } = await import("../../../static/js/ui/shell/banner.js");

const ATTEMPT_MS = 10_000;
const LONGEST_WAIT_MS = 30_000;
const PING_MS = 25_000;
const HANDSHAKE = { sid: "e", upgrades: [], pingInterval: PING_MS, pingTimeout: 45_000, maxPayload: 1e6 };
const SEEDS = 40;
const SERVERS = ["up", "refuses", "hangs", "half", "rejects", "drops"];

class World {
  server = "up";
  answerMs = 50;
  ticks = 0; // ms that timers have seen, without sleep
  attempts = [];
  visibility = "visible";
  listeners = new Map();

  constructor(seed) {
    const world = this;
    Object.assign(this, seeded(seed));
    class Line extends Transport {
      get name() { return "websocket"; }
      doOpen() { world.opened(this); }
      onClose() {
        this.attempt.isOpen = false;
        super.onClose();
      }
      onError(reason) {
        this.attempt.isOpen = false;
        return super.onError(reason);
      }
      doClose() {}
      write(packets) { world.wrote(this, packets); }
    }
    this.connection = new Connection({
      protocol: 1, transports: [Line],
      on: {
        event() {}, connected: () => this.state.connected(),
        disconnected: () => this.state.disconnected(), refused: (error) => this.state.refused(error),
      },
    });
    const part = { connected() {}, disconnected() {}, forget() {}, sync: { orderIsBack() {}, syncedAt: null } };
    this.state = new ConnectionState(/** @type {any} */ pageOf(({
      connection: this.connection, lists: part, presence: part, thread: part, alerts: part,
      unsent: { part: null }, painter: { ask() {}, askAll() {} }, announce() {}, toasts: { show() {} },
      api: { me: async () => { throw Object.assign(new Error(), { status: 0 }); } },
      language: { t: (key) => key, words: { clock: String } }, now: Date.now, clear() {},
    })));
    const listen = (name, run) => {
      this.listeners.set(name, [...this.listeners.get(name) ?? [], run]);
    };
    this.unwatch = watch({
      on: { slept: () => this.state.slept(), back: () => this.state.resumed() },
      window: /** @type {any} */ ({
        setInterval, clearInterval, addEventListener: listen,
        document: { get visibilityState() { return world.visibility; }, addEventListener: listen },
      }),
    });
    this.connection.start();
  }

  opened(line) {
    line.attempt = { line, at: this.ticks, isOpen: true };
    this.attempts.push(line.attempt);
    if (this.server === "hangs") return;
    if (this.server === "refuses") return this.later(line, () => line.onError("refused"));
    this.later(line, () => {
      line.onOpen();
      line.onPacket({ type: "open", data: JSON.stringify(HANDSHAKE) });
    });
  }

  wrote(line, packets) {
    for (const { type, data } of packets) {
      if (type !== "message") continue;
      const ask = /^2\/admin,(\d+)/.exec(data);
      if (data.startsWith("0/admin") && this.server === "up") {
        this.later(line, () => {
          line.onPacket({ type: "message", data: '0/admin,{"sid":"s"}' });
          line.attempt.connected = true;
          this.ping(line);
        });
      } else if (data.startsWith("0/admin") && this.server === "rejects") {
        this.later(line, () => line.onPacket({ type: "message", data: '4/admin,{"message":"no"}' }));
      } else if (ask && this.server === "up") {
        this.later(line, () => line.onPacket({ type: "message", data: `3/admin,${ask[1]}[{"ok":true}]` }));
      } else if (this.server === "drops") {
        this.later(line, () => line.onClose());
      }
    }
    Promise.resolve().then(() => {
      line.writable = true;
      line.emitReserved("drain");
    });
  }

  later(line, run) { setTimeout(() => { if (line.attempt.isOpen) run(); }, this.answerMs); }

  ping(line) {
    setTimeout(() => {
      if (!line.attempt.isOpen) return;
      if (this.server === "up") line.onPacket({ type: "ping" });
      this.ping(line);
    }, PING_MS);
  }

  // The server ends every connection that it has.
  end() {
    const { current: { line, isOpen, connected } } = this;
    if (isOpen && connected) line.onClose();
    else if (isOpen) line.onError("ended");
  }

  fire(...names) { for (const name of names) for (const run of this.listeners.get(name) ?? []) run(); }

  async pass(ms) {
    for (let left = ms; left > 0;) {
      const step = Math.min(left, 50);
      mock.timers.tick(step);
      this.ticks += step;
      left -= step;
      await new Promise((resolve) => { process.nextTick(resolve); }); // as the library passes packets on
    }
    await settled();
  }

  // The clock goes on and no timer runs.
  sleep(ms) { mock.timers.setTime(Date.now() + ms); }

  get current() { return this.attempts.at(-1); }

  check(about) {
    const { state, nextTryAt, connected } = this.connection;
    if (connected) return assert.ok(this.current.connected && this.current.isOpen, about);
    const isUnderWay = this.current.isOpen && this.ticks - this.current.at <= ATTEMPT_MS;
    const waits = state === "waiting" && nextTryAt !== null
      && nextTryAt - Date.now() <= LONGEST_WAIT_MS;
    assert.ok(isUnderWay !== waits, `${about}: ${state}, ${isUnderWay}, ${nextTryAt}`);
  }

  stop() {
    this.connection.stop();
    this.unwatch();
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  }
}

const STEPS = {
  pass: (world) => world.pass(world.one([50, 400, 1500, 4000, 9950, 20_000])),
  server: (world) => { world.server = world.one(SERVERS); },
  slow: (world) => { world.answerMs = world.one([0, 50, 400, 900]); },
  end: (world) => world.end(),
  resume: (world) => world.fire("resume"),
  focus: (world) => world.fire("focus"),
  network: (world) => { world.state.setOnline(false); world.state.setOnline(true); world.fire("online"); },
  offline: (world) => world.state.setOnline(world.below(2) === 0),
  hide: (world) => {
    world.visibility = world.one(["visible", "hidden"]);
    world.fire("visibilitychange");
  },
  sleep: (world) => world.sleep(world.one([3000, 15_000, 3_600_000])),
  leave: (world) => {
    world.connection.leave();
    if (world.below(2)) world.fire("pageshow");
  },
  moved: (world) => world.state.moved(),
  call: (world) => { world.connection.call("list:open", {}).catch(() => {}); },
  press: (world) => {
    world.connection.tryNow();
    if (world.connection.connected) return;
    assert.equal(world.connection.state, "connecting", "a press acts in every state without a connection");
    assert.ok(world.ticks - world.current.at <= 2000 && world.current.isOpen);
  },
};

test("without a connection a timer runs, or an attempt is younger than 10 s, whatever happens (F74)", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    const steps = [];
    for (let step = 0; step < 40; step += 1) {
      const name = world.one(Object.keys(STEPS));
      steps.push(`${name}/${world.server}`);
      await STEPS[name](world);
      await settled();
      world.check(`seed ${seed}: ${steps.join(" ")}`);
    }
    Object.assign(world, { server: "up", answerMs: 50 });
    await world.pass(ATTEMPT_MS + LONGEST_WAIT_MS + 10_000);
    assert.ok(world.connection.connected, `seed ${seed}: ${steps.join(" ")}`);
    world.stop();
  }
});

test("a server that answers within a second is reached under wakes without end (F74)", async () => {
  for (const wakes of [["resume"], ["focus"], ["resume", "focus", "online", "pageshow"]]) {
    const world = new World(1);
    world.answerMs = 450;
    world.server = "hangs";
    for (let count = 0; count < 8; count += 1) {
      await world.pass(1500);
      world.fire(...wakes);
    }
    world.server = "up";
    for (let count = 0; count < 10 && !world.connection.connected; count += 1) {
      await world.pass(400);
      world.fire(...wakes);
    }
    assert.ok(world.connection.connected, wakes.join());
    world.stop();
  }
});

test("an attempt that nobody answers ends after 10 s, at any of its steps (F74)", async () => {
  for (const server of ["hangs", "half"]) {
    const world = new World(1);
    world.end();
    world.server = server;
    world.connection.tryNow();
    await world.pass(2100);
    world.connection.tryNow();
    await world.pass(9900);
    assert.equal(world.connection.state, "connecting");
    await world.pass(200);
    assert.deepEqual([world.connection.state, world.current.isOpen], ["waiting", false]);
    world.stop();
  }
});

test("a call that nobody answers for 8 s is followed by another connection (H14)", async () => {
  const world = new World(1);
  await world.pass(500);
  assert.ok(world.connection.connected);
  world.server = "hangs";
  const refused = assert.rejects(world.connection.call("list:open", {}), { problem: null });
  await world.pass(7900);
  assert.deepEqual([world.attempts.length, world.connection.connected], [1, true]);
  await world.pass(200);
  assert.deepEqual([world.attempts.length, world.connection.state], [2, "connecting"]);
  await refused;
  world.stop();
});

test("after a minute without a connection the page offers to be loaded anew, and says so before (F74)", async () => {
  const world = new World(1);
  await world.pass(500);
  const acts = () => {
    const language = { t: (key) => key, words: { clock: String } };
    const parts = {
      connectionState: world.state, connection: world.connection, liveness: { silentSince: null },
      lists: { sync: { state: "live", syncedAt: null } }, presence: { late: false }, picks: {}, bulk: {}, hold: { paused: false },
      language,
    };
    return JSON.stringify(banner(/** @type {any} */ pageOf((parts))));
  };
  assert.doesNotMatch(acts(), /banner/);
  world.server = "hangs";
  world.end();
  await world.pass(1000);
  assert.match(acts(), /banner\.try_now/);
  assert.doesNotMatch(acts(), /banner\.reload_page/);
  await world.pass(60_000);
  assert.match(acts(), /banner\.try_now.*banner\.reload_page/);
  world.server = "up";
  await world.pass(45_000);
  assert.doesNotMatch(acts(), /banner/);
  world.server = "hangs";
  world.end();
  await world.pass(1000);
  assert.doesNotMatch(acts(), /banner\.reload_page/, "the minute is that of this loss");
  world.stop();
});
