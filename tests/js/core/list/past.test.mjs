import assert from "node:assert/strict";
import { test } from "node:test";

import {
  besideOf, firstOf, localOf, momentOf, momentOfLocal, PastList, pathOf, secondWords, spanNameOf, spanOf, SPANS, stepOf,
} from "../../../../static/js/core/list/past.js";
import { Clock, settled } from "../../support.mjs";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 28, 12);

test("the slider reaches up to now, or has the moment in its middle, and never begins before what is known", () => {
  const near = spanOf("day", { at: NOW - HOUR, now: NOW, since: 0 });
  assert.deepEqual([near.from, near.to, near.step, near.last], [NOW - DAY, NOW, 240_000, 360]);
  const far = spanOf("hour", { at: NOW - DAY, now: NOW, since: 0 });
  assert.deepEqual([far.from, far.to], [NOW - DAY - HOUR / 2, NOW - DAY + HOUR / 2]);
  const young = spanOf("month", { at: NOW, now: NOW, since: NOW - HOUR });
  assert.equal(young.from, firstOf(NOW - HOUR));
  const early = spanOf("day", { at: 0, now: NOW, since: NOW - 40 * DAY });
  assert.deepEqual([early.from, early.to - early.from], [firstOf(NOW - 40 * DAY), DAY / 2]);
  for (const name of Object.keys(SPANS)) {
    for (const since of [0, NOW - 20_001, NOW - 1, NOW]) {
      const span = spanOf(name, { at: NOW, now: NOW, since });
      assert.ok(span.from <= span.to && span.step >= 1, `${name} ${since}`);
      assert.equal(momentOf(span, span.last), span.to);
      assert.ok(span.last <= SPANS[name].steps && SPANS[name].steps <= 400);
    }
  }
});

test("the slider shows an hour, or the span that an address names", () => {
  assert.deepEqual(Object.keys(SPANS).map(spanNameOf), Object.keys(SPANS));
  for (const given of [null, "", "year", "toString"]) assert.equal(spanNameOf(given), "hour");
});

test("a step has a moment, and a moment the nearest step", () => {
  const span = spanOf("hour", { at: NOW, now: NOW, since: 0 });
  for (const number of [0, 1, 17, span.last]) assert.equal(stepOf(span, momentOf(span, number)), number);
  assert.equal(stepOf(span, span.from + 1.4 * span.step), 1);
  assert.equal(stepOf(span, span.from - DAY), 0);
  assert.equal(stepOf(span, NOW + DAY), span.last);
});

test("the mark before and after a moment has a change on that side of it", () => {
  const marks = [[3, 2, 31, 38], [10, 1, 105, 105], [40, 5, 401, 409]];
  const [one, two, three] = marks;
  assert.deepEqual([30, 31, 38, 104, 105, 408].map((at) => besideOf(marks, at, 1)), [one, one, two, two, three, three]);
  assert.deepEqual([410, 401, 106, 105, 38, 32].map((at) => besideOf(marks, at, -1)), [three, two, two, one, one, one]);
  assert.equal(besideOf(marks, 409, 1), undefined);
  assert.equal(besideOf(marks, 31, -1), undefined);
  assert.equal(besideOf([], NOW, -1), undefined);
});

test("marks are drawn with a height by their number", () => {
  assert.equal(pathOf([], 20), "");
  assert.equal(pathOf([[0, 1]], 20), "M1 20v-20");
  const heights = [...pathOf([[1, 1], [2, 10], [3, 100]], 20).matchAll(/v-(\d+)/g)].map(([, high]) => Number(high));
  assert.deepEqual(heights, [5, 10, 20]);
});

test("a moment is written to the second, in the chosen zone, with its year if it is another", () => {
  const words = secondWords("en-GB", "Asia/Tokyo");
  assert.equal(words(Date.UTC(2026, 10, 23, 5, 2, 10), NOW), "Mon 23 Nov, 14:02:10");
  assert.match(words(Date.UTC(2024, 10, 23, 5, 2, 10), NOW), /2024/);
});

test("the field of date and time holds a moment to the second", () => {
  for (const zone of ["UTC", "Asia/Tokyo", "America/St_Johns"]) {
    const at = Date.UTC(2026, 10, 23, 5, 2, 10);
    assert.equal(momentOfLocal(localOf(at, zone), zone), at, zone);
  }
  assert.equal(localOf(Date.UTC(2026, 10, 23, 5, 2, 7), "Asia/Tokyo"), "2026-11-23T14:02:07");
  assert.equal(momentOfLocal("2026-11-23T14:02", "Asia/Tokyo"), Date.UTC(2026, 10, 23, 5, 2));
  assert.equal(momentOfLocal("", "UTC"), null);
});

// A server whose answers come when the test says so.
class World {
  clock = new Clock();
  asked = [];
  marked = [];
  loaded = [];

  constructor() {
    this.clock.time = NOW;
    this.past = new PastList({
      ask: (given) => new Promise((resolve, reject) => { this.asked.push({ ...given, resolve, reject }); }),
      marksOf: (span, steps) => new Promise((resolve, reject) => { this.marked.push({ span, steps, resolve, reject }); }),
      loaded: (at) => this.loaded.push(at), changed() {}, now: this.clock.now, timers: this.clock,
    });
  }

  get moments() { return this.asked.map(({ at }) => at); }

  async answer(at, ids, more = {}) {
    const { resolve } = this.asked.findLast((each) => each.at === at);
    resolve({ ids, rows: ids.map((id) => ({ id })), total: ids.length, next: null, since: NOW - 40 * DAY, ...more });
    await settled();
  }
}

test("the rows stay until those of the next moment are there; a late answer of an earlier one is dropped", async () => {
  const world = new World();
  const { past } = world;
  past.go(NOW - 3);
  assert.equal(past.isWaiting, true);
  await world.answer(NOW - 3, [1, 2]);
  past.go(NOW - 2);
  past.go(NOW - 1);
  assert.deepEqual(past.shown.ids, [1, 2]);
  await world.answer(NOW - 1, [3]);
  await world.answer(NOW - 2, [9]);
  assert.deepEqual([past.shown.ids, past.shown.at, past.isWaiting], [[3], NOW - 1, false]);
  assert.deepEqual(world.loaded, [NOW - 3, NOW - 1]);
});

test("a refusal of an earlier moment says nothing about the last one", async () => {
  const world = new World();
  world.past.go(NOW - 2);
  world.past.go(NOW - 1);
  world.asked[0].reject(new Error("too early"));
  await world.answer(NOW - 1, [3]);
  assert.equal(world.past.problem, null);
});

test("while the slider is dragged, only the moment at which it rests is asked for", async () => {
  const world = new World();
  const { past, clock } = world;
  past.go(NOW);
  await world.answer(NOW, [1]);
  for (const back of [1, 2, 3, 4]) {
    past.drag(NOW - back);
    await clock.turn(50);
  }
  assert.deepEqual([past.at, world.moments], [NOW - 4, [NOW]]);
  await clock.turn(200);
  assert.deepEqual(world.moments, [NOW, NOW - 4]);
});

test("keys move by steps of the slider, and stop at its ends", async () => {
  const world = new World();
  const { past } = world;
  past.step(-1); // nothing is known yet
  past.go(NOW);
  await world.answer(NOW, [1]);
  const { span } = past;
  past.step(-1);
  assert.equal(past.at, NOW - span.step);
  past.step(-10);
  assert.equal(past.at, NOW - 11 * span.step);
  past.step(1);
  assert.equal(past.at, NOW - 10 * span.step);
  past.step(-Infinity);
  assert.equal(past.at, span.from);
  past.step(Infinity);
  assert.equal(past.at, NOW);
});

test("marks are read once for what the slider shows, again where the moment leaves it, and late ones are dropped", async () => {
  const world = new World();
  const { past } = world;
  past.go(NOW);
  await world.answer(NOW, [1]);
  past.go(NOW - HOUR);
  await world.answer(NOW - HOUR, [1]);
  past.look("hour");
  assert.deepEqual([past.spanName, world.marked.length], ["hour", 1]);
  past.look("day");
  assert.deepEqual([past.spanName, world.marked.length], ["day", 2]);
  world.marked[1].resolve({ counts: [[8, 1, 80, 80], [5, 1, 50, 50]] });
  world.marked[0].resolve({ counts: [[7, 1, 70, 70]] });
  await settled();
  assert.deepEqual(past.marks, [[5, 1, 50, 50], [8, 1, 80, 80]], "in the order of time");
  past.go(NOW - 2 * DAY);
  await world.answer(NOW - 2 * DAY, [1]);
  assert.equal(world.marked.length, 3);
  assert.ok(past.span.from < past.at && past.at < past.span.to);
});

test("the change before and after is gone to at its own moment, which is asked for inside of a mark", async () => {
  const world = new World();
  const { past } = world;
  past.go(NOW);
  await world.answer(NOW, [1]);
  const { from, step } = past.span;
  const near = (number, ms) => from + number * step + ms;
  const [single, first, middle, last] = [near(3, 1), near(9, 2), near(9, 7), near(9, 8)];
  const marks = [[3, 1, single, single], [9, 4, first, last]];
  world.marked[0].resolve({ counts: marks });
  await settled();
  await past.goBeside(1);
  assert.deepEqual(world.moments, [NOW], "nothing comes after");
  await past.goBeside(-1);
  assert.equal(past.at, last);
  past.goBeside(-1);
  assert.deepEqual([world.marked[1].span, world.marked[1].steps], [{ from: near(9, 0), to: last - 1 }, 1]);
  world.marked[1].resolve({ counts: [[0, 3, first, middle]] });
  await settled();
  assert.equal(past.at, middle);
  past.goBeside(1);
  assert.deepEqual(world.marked[2].span, { from: middle, to: last });
  world.marked[2].resolve({ counts: [[0, 1, last, last]] });
  await settled();
  assert.equal(past.at, last);
  past.go(first);
  await past.goBeside(-1);
  assert.equal(past.at, single);
  await past.goBeside(1);
  assert.equal(past.at, first);
});

test("a moment inside of a mark is no longer gone to once another is chosen; if it is unknown, the end of the mark is", async () => {
  const world = new World();
  const { past } = world;
  past.go(NOW);
  await world.answer(NOW, [1]);
  const first = past.span.from + 1;
  world.marked[0].resolve({ counts: [[0, 3, first, first + 9]] });
  await settled();
  past.go(first);
  past.goBeside(1);
  past.go(first + 3);
  world.marked[1].resolve({ counts: [[0, 1, first + 2, first + 2]] });
  await settled();
  assert.equal(past.at, first + 3);
  past.goBeside(1);
  world.marked[2].reject(new Error("away"));
  await settled();
  assert.equal(past.at, first + 9);
});

test("the span of an address counts from the first moment on", async () => {
  const world = new World();
  world.past.go(NOW);
  world.past.look("week");
  assert.equal(world.marked.length, 0, "not before it is known since when the past is");
  await world.answer(NOW, [1]);
  assert.deepEqual(world.marked.map(({ span }) => span.name), ["week"]);
});

test("more rows come by the position after those on screen, each once, and are tried again after a failure", async () => {
  const world = new World();
  const { past, clock } = world;
  past.go(NOW);
  await world.answer(NOW, [1, 2], { total: 4, next: [20, 2] });
  past.more();
  past.more();
  assert.equal(world.asked.length, 2);
  world.asked[1].reject(new Error("away"));
  await settled();
  past.more();
  assert.equal(world.asked.length, 2, "not at once");
  await clock.turn(3000);
  past.more();
  assert.deepEqual([world.asked[2].at, world.asked[2].after], [NOW, [20, 2]]);
  await world.answer(NOW, [2, 3, 4]);
  assert.deepEqual(past.shown.ids, [1, 2, 3, 4]);
  past.more();
  assert.equal(world.asked.length, 3, "the end is reached");
});

test("a first moment that is too early still tells what is known", async () => {
  const world = new World();
  world.past.go(NOW - 100 * DAY);
  const error = Object.assign(new Error("refused"), { status: 422 });
  world.asked[0].reject(error);
  await settled();
  assert.equal(world.asked[1].limit, 1);
  await world.answer(NOW, [1]);
  assert.deepEqual([world.past.problem, world.past.since, world.past.shown], [error, NOW - 40 * DAY, null]);
  assert.ok(world.past.span);
});

test("a clock that is ahead of the server's is no future: the moment is made earlier until it has come", async () => {
  const world = new World();
  const { past } = world;
  const refused = Object.assign(new Error("refused"), { status: 422, body: { errors: [{ code: "in_the_future" }] } });
  past.go(NOW);
  for (const at of [0, 1]) {
    world.asked[at].reject(refused);
    await settled();
  }
  assert.deepEqual(world.moments, [NOW, NOW - 1000, NOW - 3000]);
  await world.answer(NOW - 3000, [1]);
  assert.deepEqual([past.at, past.problem, past.shown.ids], [NOW - 3000, null, [1]]);
  past.go(NOW + 1000); // that is the future here, too
  world.asked[3].reject(refused);
  await settled();
  assert.deepEqual([past.problem, past.at, world.asked.length], [refused, NOW + 1000, 4]);
});
