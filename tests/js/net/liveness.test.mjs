import assert from "node:assert/strict";
import { test } from "node:test";

import { Liveness } from "../../../static/js/net/heartbeat.js";
import { settled } from "../support.mjs";

function desk() {
  const connection = { connected: true, heardAt: 0 };
  const page = { visibilityState: "visible" };
  const made = { time: 0, asked: 0, changed: [], connection, page };
  const liveness = new Liveness({
    connection, page, now: () => made.time, timers: { setInterval() {} },
    changed: () => made.changed.push(liveness.silentSince),
    ask: () => {
      made.asked += 1;
      if (made.answers === false) return new Promise(() => {});
      connection.heardAt = made.time;
      return Promise.resolve();
    },
  });
  made.turn = async (ms) => {
    for (const end = made.time + ms; made.time < end;) {
      made.time += 1000;
      liveness.look();
      await settled();
    }
  };
  return made;
}

test("a quiet server that answers is asked now and then, and nothing is said", async () => {
  const made = desk();
  await made.turn(60_000);
  assert.ok(made.asked >= 8 && made.asked <= 12, `${made.asked}`);
  assert.deepEqual(made.changed, []);
});

test("a server that stopped answering is told of before the call gives up (H14)", async () => {
  const made = desk();
  made.answers = false;
  await made.turn(7000);
  assert.deepEqual(made.changed, []);
  await made.turn(1000);
  assert.deepEqual(made.changed, [0]);
  assert.equal(made.asked, 1);
  made.connection.heardAt = made.time;
  await made.turn(1000);
  assert.deepEqual(made.changed, [0, null]);
});

test("nothing is said of a connection that is lost, nor asked in a hidden window", async () => {
  const made = desk();
  made.answers = false;
  made.page.visibilityState = "hidden";
  await made.turn(20_000);
  made.page.visibilityState = "visible";
  made.connection.connected = false;
  await made.turn(20_000);
  assert.equal(made.asked, 0);
  assert.deepEqual(made.changed, []);
});
