import assert from "node:assert/strict";
import { test } from "node:test";

import { Archive } from "../../../../static/js/core/list/archive.js";
import { Listing } from "../../../../static/js/core/list/listing.js";
import { Order } from "../../../../static/js/core/list/order.js";
import { Rows } from "../../../../static/js/core/list/rows.js";
import { Clock, ListServer, seeded, settled } from "../../support.mjs";

const DAYS = 90;
const byPlace = ([idA, a], [idB, b]) => a - b || idA - idB;

// A live list and the archive after it, on the server and in the page.
class World {
  clock = new Clock();
  old = new Map(); // id → score, of archived threads
  asked = []; // calls under way
  calls = [];
  mayMove = true;
  fails = false;

  constructor(live, old = []) {
    this.server = new ListServer(live);
    for (const [id, score] of old) this.old.set(id, score);
    this.listing = new Listing({
      list: { view: "history" }, rows: new Rows(), mayMove: () => this.mayMove,
      archive: new Archive({
        load: (asked) => this.#load(asked), isLive: (id) => this.view.isLive(id), take: () => {},
        isHeld: () => this.listing.painted.held, changed: () => {}, now: this.clock.now, timers: this.clock,
      }),
    });
    this.open();
  }

  get archive() { return this.listing.archive; }
  get view() { return this.listing.painted; }
  get painted() {
    return this.view.entries({ first: 0, end: this.view.length }).map(({ id }) => id);
  }
  get expected() {
    return [...this.server.ids, ...[...this.old].sort(byPlace).map(([id]) => id)];
  }

  open() {
    const answer = this.server.open(1000);
    this.order = new Order(answer);
    this.listing.reset(this.order, answer);
  }

  push() {
    const frame = this.server.frame(this.order.version);
    this.listing.before(frame);
    this.order.apply(frame);
    this.listing.applied(frame, this.order.changes);
    if (this.mayMove) this.listing.commit();
  }

  toArchive(id) {
    this.old.set(id, this.server.scores.get(id));
    this.server.put(id, null);
  }

  back(id) {
    this.server.put(id, this.old.get(id));
    this.old.delete(id);
  }

  // Answers with the present state of SQL, when the test lets the answer through.
  #load({ after, limit = 50, ids }) {
    this.calls.push({ after, ids });
    if (this.fails) return Promise.reject(new Error("away"));
    const sorted = [...this.old].sort(byPlace);
    const rest = sorted.filter(([id, score]) => (ids ? ids.includes(id)
      : !after || byPlace([id, score], [after[1], after[0]]) > 0));
    const part = ids ? rest : rest.slice(0, limit);
    const [lastId, lastScore] = part.at(-1) ?? [];
    const answer = {
      ids: part.map(([id]) => id), scores: part.map(([, score]) => score), rows: [], days: DAYS,
      next: ids || part.length === rest.length ? null : [lastScore, lastId],
    };
    return new Promise((resolve) => { this.asked.push(() => resolve(answer)); });
  }

  async letThrough(count = Infinity) {
    for (let done = 0; done < count && this.asked.length; done += 1) {
      this.asked.shift()();
      await settled();
    }
  }
}

const numbered = (from, count) => Array.from({ length: count }, (_, at) => [from + at, 10 * (from + at)]);

test("archived threads follow the live ones in parts, behind a line", async () => {
  const world = new World(numbered(1, 3), numbered(100, 120));
  assert.deepEqual([world.view.length, world.view.total, world.view.seam], [3, 3, -1]);
  world.listing.needs([], 3);
  world.listing.needs([], 3);
  assert.equal(world.calls.length, 1, "one at a time");
  await world.letThrough();
  assert.deepEqual([world.view.seam, world.view.length, world.view.total], [3, 54, 55]);
  assert.deepEqual([world.view.idAt(3), world.view.idAt(4)], [undefined, 100]);
  assert.deepEqual([world.view.indexOf(100), world.view.indexOf(2), world.view.indexOf(219)], [4, 1, -1]);
  assert.deepEqual([world.view.liveTotal, world.archive.days], [3, DAYS]);
  assert.deepEqual(world.view.placeOf(4), { at: 3, of: -1 });
  world.listing.needs([], 20);
  assert.equal(world.calls.length, 1, "enough is left below");
  for (const end of [40, 90, 140]) {
    world.listing.needs([], end);
    await world.letThrough();
  }
  assert.equal(world.archive.whole, true);
  assert.deepEqual(world.painted, world.expected);
  assert.deepEqual(world.view.placeOf(123), { at: 122, of: 123 });
});

test("the keyboard steps over the line in both directions", async () => {
  const world = new World(numbered(1, 2), numbered(100, 2));
  world.listing.needs([], 2);
  await world.letThrough();
  assert.deepEqual([world.view.rowAt(2, 1), world.view.rowAt(2, -1)], [3, 1]);
  assert.deepEqual([world.view.rowAt(-4, -1), world.view.rowAt(99, 1)], [0, 4]);
  assert.deepEqual([world.view.nextTo(2), world.view.nextTo(101)], [100, 100]);
  const bare = new World([], numbered(100, 2));
  bare.listing.needs([], 0);
  await bare.letThrough();
  assert.deepEqual([bare.view.rowAt(0, -1), bare.view.firstId, bare.view.seam], [1, 100, 0]);
});

test("a thread that is archived while its part is under way is in exactly one of the two", async () => {
  const world = new World(numbered(1, 5), numbered(100, 5));
  world.listing.needs([], 5);
  world.toArchive(3); // after the answer was written
  world.push();
  assert.deepEqual(world.painted, [1, 2, 4, 5]);
  await world.letThrough();
  assert.deepEqual(world.painted, world.expected);
  world.toArchive(4);
  world.archive.check([4]);
  await world.letThrough();
  assert.equal(world.painted.filter((id) => id === 4).length, 1, "it is still on the live list");
  world.push();
  await world.letThrough();
  assert.deepEqual(world.painted, world.expected);
  world.back(4);
  world.push();
  assert.deepEqual(world.painted, world.expected);
});

test("while the list is held nothing moves but what is appended", async () => {
  const world = new World(numbered(1, 5), numbered(100, 60));
  world.listing.needs([], 5);
  await world.letThrough();
  world.mayMove = false;
  const before = world.painted;
  world.toArchive(1);
  world.push();
  world.back(100);
  world.push();
  await world.letThrough();
  assert.deepEqual(world.painted, before);
  world.listing.needs([], 55);
  await world.letThrough();
  assert.equal(world.archive.whole, true);
  world.listing.commit();
  assert.deepEqual(world.painted, world.expected);
});

test("what is on screen is asked for again, and goes where it was opened", async () => {
  const world = new World(numbered(1, 1), numbered(100, 3));
  world.listing.needs([], 1);
  await world.letThrough();
  const ids = [1, 100, 101];
  assert.equal(world.archive.wait([1]), null);
  assert.equal(world.archive.wait(ids), 20_000);
  world.listing.needs(ids, 4);
  assert.equal(world.calls.length, 1);
  world.old.delete(101); // opened again: it is on another list
  await world.clock.turn(20_000);
  world.listing.needs(ids, 4);
  assert.deepEqual(world.calls.at(-1).ids, [100, 101]);
  await world.letThrough();
  assert.deepEqual(world.painted, [1, 100, 102]);
});

test("a list that was opened anew reads its archive again, as far as it was read", async () => {
  const world = new World(numbered(1, 3), numbered(100, 130));
  for (const end of [3, 50]) {
    world.listing.needs([], end);
    await world.letThrough();
  }
  world.toArchive(2);
  world.old.delete(105);
  world.server.restart();
  world.open();
  await world.letThrough();
  assert.deepEqual(world.painted, world.expected.slice(0, world.painted.length));
  assert.equal(world.painted.length >= 100, true);
});

test("what fails is tried again", async () => {
  const world = new World(numbered(1, 3), numbered(100, 3));
  world.fails = true;
  world.listing.needs([], 3);
  await settled();
  world.listing.needs([], 3);
  assert.equal(world.calls.length, 1, "not at once");
  await world.clock.turn(3000);
  world.fails = false;
  world.listing.needs([], 3);
  await world.letThrough();
  world.fails = true;
  world.toArchive(1);
  world.push();
  await settled();
  assert.deepEqual(world.painted, [2, 3, 100, 101, 102]);
  world.fails = false;
  await world.clock.turn(3000);
  world.listing.needs([], 6);
  await world.letThrough();
  assert.deepEqual(world.painted, world.expected);
});

test("whatever moves between them, in the end each thread is in one of the two, in order", async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const { below, one, random } = seeded(seed);
    const world = new World(numbered(1, 30), numbered(200, 150).map(([id]) => [id, below(900)]));
    world.listing.needs([], 30);
    for (let step = 0; step < 60; step += 1) {
      const live = world.server.ids;
      const old = [...world.old.keys()];
      const what = random();
      if (what < 0.3 && live.length) world.toArchive(one(live));
      else if (what < 0.45 && old.length) world.back(one(old));
      else if (what < 0.5) world.server.put(1000 + step, below(900));
      else if (what < 0.6) world.mayMove = !world.mayMove;
      else if (what < 0.75) await world.letThrough(1);
      else if (what < 0.9) world.push();
      else world.listing.needs(world.painted.slice(-5), world.view.total);
      assert.equal(new Set(world.painted).size, world.painted.length, `${seed}: none is there twice`);
    }
    world.mayMove = true;
    world.push();
    for (let round = 0; round < 8; round += 1) {
      await world.letThrough();
      world.listing.needs([], world.view.total);
      await settled();
    }
    await world.letThrough();
    world.listing.commit();
    assert.deepEqual(world.painted, world.expected, `seed ${seed}`);
  }
});
