import assert from "node:assert/strict";
import { test } from "node:test";

import { indexesOf, inView, range, Scale, topFor } from "../../../../static/js/core/list/window.js";
import { seeded } from "../../support.mjs";

test("the active row is among the indexes wherever it is, in the order on screen", () => {
  assert.deepEqual(indexesOf({ first: 2, end: 4 }, -1), [2, 3]);
  assert.deepEqual(indexesOf({ first: 2, end: 4 }, 3), [2, 3]);
  assert.deepEqual(indexesOf({ first: 2, end: 4 }, 0), [0, 2, 3]);
  assert.deepEqual(indexesOf({ first: 2, end: 4 }, 9), [2, 3, 9]);
});

test("the range holds what is seen and the overscan, inside the list", () => {
  assert.deepEqual(range(0, 640, 1000), { first: 0, end: 16 });
  assert.deepEqual(range(6400, 640, 1000), { first: 94, end: 116 });
  assert.deepEqual(range(6400, 640, 3), { first: 94, end: 94 });
  assert.deepEqual(inView(32, 640, 1000), { first: 0, end: 11 });
  assert.deepEqual(range(0, 640, 0), { first: 0, end: 0 });
});

test("a row is brought into view by scrolling as little as possible, or to the middle", () => {
  assert.equal(topFor(0, 640, 640), 0);
  assert.equal(topFor(12, 640, 640), 640);
  assert.equal(topFor(20, 640, 640), 704);
  assert.equal(topFor(100, 0, 640, "center"), 6112);
  assert.equal(topFor(1, 0, 640, "center"), 0);
});

test("a short list scrolls pixel by pixel", () => {
  const scale = new Scale(10_000);
  scale.resize(5000, 500);
  assert.equal(scale.spacerPx, 5000);
  assert.equal(scale.scrolled(1234), 1234);
  assert.equal(scale.moveTo(9999), 4500);
  assert.equal(scale.shift, 0);
});

test("a list longer than the spacer reaches both ends, by wheel, by thumb and by key", () => {
  const scale = new Scale(1_000_000);
  scale.resize(64_000_000, 800);
  assert.equal(scale.spacerPx, 1_000_000);
  assert.equal(scale.scrolled(scale.spacerPx - 800), 64_000_000 - 800);
  assert.equal(scale.scrolled(0), 0);
  assert.equal(scale.scrolled(100), 100, "near the start one pixel is one pixel");
  const middle = scale.scrolled(500_000);
  assert.ok(Math.abs(middle - 32_000_000) < 100_000, "the thumb in the middle is the middle");
  assert.equal(scale.scrolled(500_064), middle + 64, "the wheel moves row by row");
  assert.equal(scale.moveTo(64_000_000), scale.spacerPx - 800);
  assert.equal(scale.top, 64_000_000 - 800);
});

test("turning the wheel for ever reaches the end and shows every row on the way", () => {
  const scale = new Scale(200_000);
  scale.resize(3_000_000, 800);
  let real = 0;
  let { top } = scale;
  for (let turn = 0; turn < 100_000 && top < 3_000_000 - 800; turn += 1) {
    real = Math.min(real + 120, scale.spacerPx - 800);
    const next = scale.scrolled(real);
    assert.ok(next - top <= 121, `no row is jumped over: ${top} to ${next}`);
    top = next;
    real = scale.recentre() ?? real;
    assert.ok(Math.abs(scale.top - top) < 0.01, "recentring does not move the list");
  }
  assert.equal(top, 3_000_000 - 800);
});

test("wherever it is moved to, it is there, and the spacer position is possible", () => {
  const random = seeded(5);
  const scale = new Scale(300_000);
  scale.resize(9_000_000, 700);
  for (let time = 0; time < 2000; time += 1) {
    const target = random.below(9_000_000 - 700);
    const real = scale.moveTo(target);
    assert.ok(real >= 0 && real <= scale.spacerPx - 700);
    assert.ok(Math.abs(scale.top - target) < 0.01);
    assert.ok(scale.recentre() === null, "a place that was chosen needs no recentring");
  }
});

test("a list that grows above keeps its place when moved by as much", () => {
  const scale = new Scale(10_000);
  scale.resize(9_990, 500);
  scale.moveTo(5000);
  scale.resize(10_054, 500);
  scale.moveTo(5064);
  assert.equal(scale.top, 5064);
});
