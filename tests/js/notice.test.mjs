import assert from "node:assert/strict";
import { test } from "node:test";

import { badge, Notice } from "../../static/js/core/notice.js";

const PAGES = ["not_respond"];

test("what was there already is not told, growth on a chosen page is", () => {
  const notice = new Notice();
  assert.equal(notice.totals({ arrival: 5, not_respond: 1 }, PAGES, 0), null);
  assert.equal(notice.totals({ arrival: 6, not_respond: 1 }, PAGES, 1), null);
  assert.deepEqual(notice.totals({ arrival: 6, not_respond: 3 }, PAGES, 2),
    { page: "not_respond", count: 3 });
  assert.equal(notice.totals({ arrival: 6, not_respond: 2 }, PAGES, 9000), null);
});

test("a rush is told once, and a gap is no growth", () => {
  const notice = new Notice();
  notice.totals({ not_respond: 1 }, PAGES, 0);
  assert.ok(notice.totals({ not_respond: 2 }, PAGES, 10_000));
  assert.equal(notice.totals({ not_respond: 3 }, PAGES, 10_500), null);
  notice.forget();
  assert.equal(notice.totals({ not_respond: 90 }, PAGES, 90_000), null);
});

test("a count fits on an icon", () => {
  assert.deepEqual([0, 7, 99, 100].map(badge), ["", "7", "99", "99+"]);
});
