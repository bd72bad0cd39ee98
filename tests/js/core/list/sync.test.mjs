import assert from "node:assert/strict";
import { test } from "node:test";

import { seeded, settled } from "../../support.mjs";
import { desk, ids, numbers } from "./desk.mjs";

test("a list is opened and then follows frames", async () => {
  const { server, sync, push, calls } = desk(numbers(5));
  sync.start(true);
  await settled();
  assert.equal(sync.state, "live");
  server.put(9, -1);
  push();
  assert.deepEqual(ids(sync), server.ids);
  assert.deepEqual(calls, ["list:open"]);
});

test("frames that come before the answer to list:open are applied after it", async () => {
  const { server, sync, line } = desk(numbers(5));
  let letGo;
  line.held = new Promise((resolve) => { letGo = resolve; });
  sync.start(true);
  server.put(9, -1);
  sync.frame(server.frame(1));
  assert.equal(sync.order, null);
  letGo();
  await settled();
  assert.deepEqual(ids(sync), server.ids);
});

test("a gap is caught up by one list:sync", async () => {
  const { server, sync, push, calls } = desk(numbers(5));
  sync.start(true);
  await settled();
  server.put(9, -1);
  const lost = server.version;
  server.put(8, -2);
  push(lost);
  await settled();
  assert.deepEqual(ids(sync), server.ids);
  assert.deepEqual(calls, ["list:open", "list:sync"]);
});

test("after a reconnect only what changed is asked for; of another epoch everything", async () => {
  const { server, sync, calls } = desk(numbers(5));
  sync.start(true);
  await settled();
  sync.disconnected();
  assert.equal(sync.state, "away");
  server.put(2, null);
  sync.connected();
  await settled();
  assert.deepEqual(ids(sync), server.ids);
  sync.disconnected();
  server.restart();
  server.put(7, 3);
  sync.connected();
  await settled();
  assert.deepEqual(ids(sync), server.ids);
  assert.deepEqual(calls, ["list:open", "list:sync", "list:sync", "list:open"]);
});

test("an answer of before the disconnect is not taken", async () => {
  const { server, sync, line } = desk(numbers(5));
  let letGo;
  line.held = new Promise((resolve) => { letGo = resolve; });
  sync.start(true);
  sync.disconnected();
  letGo();
  await settled();
  assert.equal(sync.order, null);
  line.held = null;
  server.put(9, -1);
  sync.connected();
  await settled();
  assert.deepEqual(ids(sync), server.ids);
});

test("a refused call is tried again, for ever, and told meanwhile", async () => {
  const { server, sync, line, clock } = desk(numbers(5));
  line.failing = true;
  sync.start(true);
  await clock.turn(60_000);
  assert.equal(sync.state, "failed");
  assert.equal(sync.problem.problem.status, 503);
  line.failing = false;
  await clock.turn(20_000);
  assert.equal(sync.state, "live");
  assert.deepEqual(ids(sync), server.ids);
});

test("a call too many is tried again; a list that there is not is not asked for again (case B4)", async () => {
  for (const [status, state] of [[429, "failed"], [404, "refused"]]) {
    const { sync, line, clock } = desk(numbers(5));
    Object.assign(line, { failing: true, status });
    sync.start(true);
    await clock.turn(10_000);
    assert.equal(sync.state, state);
    line.failing = false;
    await clock.turn(60_000);
    assert.equal(sync.state, status === 429 ? "live" : "refused");
  }
});

test("the head grows as far as it is looked at, in calls of up to 20,000", async () => {
  const { server, sync, calls } = desk(numbers(45_000));
  sync.start(true);
  await settled();
  assert.equal(sync.order.length, 100);
  sync.need(110);
  await settled();
  assert.ok(sync.order.length > 110 && sync.order.length < 1000);
  sync.need(45_000);
  await settled();
  assert.equal(sync.order.length, 45_000);
  assert.equal(sync.order.whole, true);
  assert.equal(calls.filter((name) => name === "list:more").length, 4);
  assert.deepEqual(ids(sync), server.ids);
});

test("a thread is found however deep it stands, and said to be missing where it is", async () => {
  const { server, sync } = desk(numbers(3000));
  sync.start(true);
  await settled();
  assert.equal(await sync.through(2500), true);
  assert.equal(sync.order.indexOf(2500), 2499);
  const { length } = sync.order;
  assert.equal(await sync.through(9999), false);
  assert.equal(sync.order.length, length);
  assert.equal(sync.order.whole, false, "an answer without entries is not the end of the list");
  server.put(2600, null);
  assert.equal(await sync.through(2600), false);
});

test("an answer ahead of our version is taken with the frame that leads there", async () => {
  const { server, sync, push, clock } = desk(numbers(3000));
  sync.start(true);
  await settled();
  server.put(5000, 150.5);
  const found = sync.through(200);
  await settled();
  assert.equal(sync.order.waiting, true);
  push();
  await clock.turn(0);
  assert.equal(await found, true);
  assert.deepEqual(ids(sync), server.ids.slice(0, sync.order.length));
});

test("an order read while Redis is away is opened anew when it is back", async () => {
  const { server, sync, calls } = desk(numbers(5));
  const { open } = server;
  server.open = (limit) => ({ ...open.call(server, limit), epoch: null, version: 0, late: true });
  sync.start(true);
  await settled();
  assert.equal(sync.late, true);
  sync.check();
  assert.deepEqual(calls, ["list:open"], "there is nothing to sync with");
  server.open = open;
  sync.orderIsBack();
  await settled();
  assert.equal(sync.late, false);
  assert.equal(sync.order.epoch, "one");
  sync.orderIsBack();
  assert.deepEqual(calls, ["list:open", "list:open"], "what is live stays as it is");
});

test("a list that was left is closed, and caught up when it is shown again", async () => {
  const { server, sync, calls } = desk(numbers(5));
  sync.start(true);
  await settled();
  sync.stop();
  server.put(1, null);
  sync.frame(server.frame(1));
  assert.deepEqual(ids(sync), [1, 2, 3, 4, 5]);
  sync.start(true);
  await settled();
  assert.deepEqual(ids(sync), server.ids);
  assert.deepEqual(calls, ["list:open", "list:close", "list:sync"]);
});

test("state plus frames is fresh state on a line that loses, doubles, cuts and delays", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = seeded(seed);
    const { server, sync, clock } = desk(numbers(400));
    sync.start(true);
    await settled();
    let sent = server.version;
    for (let round = 0; round < 80; round += 1) {
      const chance = random.random();
      if (chance < 0.04) sync.disconnected();
      else if (chance < 0.1) sync.connected();
      else if (chance < 0.12) server.restart();
      else if (chance < 0.2) sync.need(random.below(420));
      server.put(1 + random.below(500), random.random() < 0.2 ? null : random.below(500));
      const frame = server.frame(Math.min(sent, server.version - 1));
      if (random.random() < 0.8) sync.frame(frame);
      if (random.random() < 0.1) sync.frame(frame);
      if (random.random() < 0.9) sent = server.version;
      if (random.random() < 0.5) await settled();
    }
    sync.disconnected();
    sync.connected();
    await clock.turn(30_000);
    assert.equal(sync.state, "live", `seed ${seed}`);
    assert.deepEqual(ids(sync), server.ids.slice(0, sync.order.length), `seed ${seed}`);
    assert.equal(sync.order.total, server.ids.length);
  }
});

test("the head that came with the page is shown, and caught up by list:sync", async () => {
  const { server, sync, calls, heard } = desk(numbers(40));
  sync.start(false);
  sync.begin(server.open(10));
  assert.equal(sync.order.length, 10);
  assert.deepEqual(heard.filter((name) => name === "reset"), ["reset"]);
  assert.equal(sync.state, "away");
  server.put(99, -1);
  sync.connected();
  await settled();
  assert.equal(sync.state, "live");
  assert.deepEqual(ids(sync).slice(0, 11), server.ids.slice(0, 11));
  assert.deepEqual(calls.slice(0, 2), ["list:sync"]);
});

test("a head that comes after the list was opened is not used", async () => {
  const { server, sync } = desk(numbers(5));
  const old = server.open(5);
  sync.start(true);
  await settled();
  server.put(9, -1);
  sync.frame(server.frame(1));
  sync.begin(old);
  assert.deepEqual(ids(sync), server.ids);
});
