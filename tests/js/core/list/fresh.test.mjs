import assert from "node:assert/strict";
import { test } from "node:test";

import { Fresh, SEEN_AFTER_MS } from "../../../../static/js/core/list/listing.js";

test("a mark goes when the thread was in view for two seconds without a break", () => {
  const fresh = new Fresh();
  fresh.add(1);
  fresh.seen(new Set([1]), 0);
  assert.equal(fresh.wait(500), SEEN_AFTER_MS - 500);
  fresh.seen(new Set(), 1500);
  fresh.seen(new Set([1]), 1600);
  fresh.seen(new Set([1]), 3000);
  assert.equal(fresh.has(1), true);
  fresh.seen(new Set([1]), 1600 + SEEN_AFTER_MS);
  assert.equal(fresh.has(1), false);
  assert.equal(fresh.wait(0), null);
});

test("a mark goes when the thread is opened; marks do not pile up for ever", () => {
  const fresh = new Fresh();
  fresh.add(1);
  fresh.drop(1);
  assert.equal(fresh.has(1), false);
  for (let id = 0; id < 5000; id += 1) fresh.add(id);
  assert.equal(fresh.size, 1000);
  assert.equal(fresh.has(4999), true);
});
