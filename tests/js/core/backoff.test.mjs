import assert from "node:assert/strict";
import { test } from "node:test";

import { delayMs } from "../../../static/js/core/time.js";
import { seeded } from "../support.mjs";

const { random } = seeded(7);
const waits = (attempt, given = {}) => Array.from({ length: 2000 }, () => delayMs(attempt, { random, ...given }));

test("windows that failed together come back spread over the whole time (T17)", () => {
  for (const [attempt, mostMs] of [[0, 4000], [1, 8000], [2, 16_000], [3, 30_000], [9, 30_000]]) {
    const found = waits(attempt, { firstMs: 4000 });
    assert.ok(Math.min(...found) >= 500 && Math.max(...found) <= mostMs);
    const perSecond = new Map();
    for (const ms of found) {
      const second = Math.floor(ms / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    const level = (2000 * 1000) / (mostMs - 500);
    assert.ok(Math.max(...perSecond.values()) < 1.4 * level, `attempt ${attempt}`);
  }
});

test("the wait never grows beyond its limit, however often it failed", () => {
  assert.ok(Math.max(...waits(5000)) <= 30_000);
});
