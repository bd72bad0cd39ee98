import assert from "node:assert/strict";
import { test } from "node:test";

import { Fetcher } from "../../../../static/js/core/list/rows.js";
import { Clock, LIMITS } from "../../support.mjs";

const BATCH_MAX = LIMITS.row_ids;

function desk(load) {
  const clock = new Clock();
  const asked = [];
  const taken = [];
  const fetcher = new Fetcher({
    load: (ids) => { asked.push(ids); return load(ids); },
    take: (rows, asOf) => taken.push([rows, asOf]),
    mark: () => 7,
    batchMax: BATCH_MAX,
    now: clock.now,
    timers: clock,
    random: () => 0,
  });
  return { clock, asked, taken, fetcher };
}

const good = async (ids) => ({ rows: ids.map((id) => ({ id })), missing: [] });

test("wishes are gathered, and what is on its way is not asked for again", async () => {
  const landings = [];
  const { clock, asked, taken, fetcher } = desk((ids) => new Promise((resolve) => {
    landings.push(() => resolve({ rows: ids.map((id) => ({ id })), missing: [] }));
  }));
  fetcher.want([1]);
  fetcher.want([1, 2]);
  await clock.turn(16);
  fetcher.want([1, 2, 3]);
  await clock.turn(200);
  assert.deepEqual(asked, [[1, 2], [3]]);
  landings.forEach((land) => land());
  await clock.turn(0);
  assert.deepEqual(taken, [[[{ id: 1 }, { id: 2 }], 7], [[{ id: 3 }], 7]]);
});

test("a call never asks for more than 200", async () => {
  const { clock, asked, fetcher } = desk(good);
  fetcher.want(Array.from({ length: 450 }, (_, index) => index));
  await clock.turn(100);
  assert.deepEqual(asked.map((ids) => ids.length), [BATCH_MAX, BATCH_MAX, 50]);
});

test("what scrolled away before it was asked for is let go", async () => {
  const { clock, asked, fetcher } = desk(good);
  fetcher.want([1, 2]);
  fetcher.want([8]);
  await clock.turn(100);
  assert.deepEqual(asked, [[8]]);
});

test("a failure is tried again, later each time", async () => {
  let failures = 3;
  const { clock, asked, fetcher } = desk((ids) => {
    failures -= 1;
    return failures < 0 ? good(ids) : Promise.reject(new Error("no"));
  });
  fetcher.want([1]);
  await clock.turn(100);
  assert.equal(asked.length, 1);
  await clock.turn(10_000);
  assert.equal(asked.length, 4);
});

test("a thread that does not exist is not asked for until a frame names it", async () => {
  const { clock, asked, fetcher } = desk(async (ids) => ({ rows: [], missing: ids }));
  fetcher.want([1]);
  await clock.turn(200);
  fetcher.want([1]);
  await clock.turn(200);
  assert.equal(asked.length, 1);
  fetcher.forgetMissing(1);
  fetcher.want([1]);
  await clock.turn(200);
  assert.equal(asked.length, 2);
});

test("steady movement makes at most ten requests a second", async () => {
  const { clock, asked, fetcher } = desk(good);
  for (let step = 0; step < 200; step += 1) {
    fetcher.want([step]);
    await clock.turn(10);
  }
  assert.ok(asked.length <= 21, `${asked.length} requests in two seconds`);
});
