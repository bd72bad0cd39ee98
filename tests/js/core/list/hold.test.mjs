import assert from "node:assert/strict";
import { test } from "node:test";

import { Hold, TYPING_PACE_MS } from "../../../../static/js/core/list/hold.js";

test("a pointer that moves over the list holds it for five seconds", () => {
  const hold = new Hold();
  hold.pointerMoved(1000);
  assert.equal(hold.state(5999), "held");
  assert.equal(hold.wait(5999), 1);
  assert.equal(hold.state(6000), "live");
  assert.equal(hold.wait(6000), null);
});

test("leaving lets go after 300 ms, and never later than resting would", () => {
  const hold = new Hold();
  hold.pointerMoved(1000);
  hold.pointerLeft(2000);
  assert.equal(hold.state(2299), "held");
  assert.equal(hold.state(2300), "live");
  hold.pointerMoved(3000);
  hold.pointerLeft(7900);
  assert.equal(hold.state(8000), "live");
});

test("a menu that the bar of selected rows replaces no longer holds", () => {
  const hold = new Hold();
  hold.menu(true);
  hold.pick(true);
  assert.equal(hold.state(0), "held");
  hold.pick(false);
  assert.equal(hold.state(0), "live");
});

test("a pressed pointer and an open menu hold without end", () => {
  const hold = new Hold();
  hold.pointerDown();
  assert.equal(hold.state(1e9), "held");
  assert.equal(hold.wait(1e9), null);
  hold.pointerUp();
  assert.equal(hold.state(1e9), "live");
  hold.menu(true);
  assert.equal(hold.state(1e9), "held");
  hold.menu(false);
  assert.equal(hold.state(1e9), "live");
});

test("a list key holds for three seconds, scrolling until 150 ms after its last event", () => {
  const hold = new Hold();
  hold.keyed(0);
  assert.equal(hold.state(2999), "held");
  assert.equal(hold.state(3000), "live");
  hold.scrolled(5000);
  hold.scrolled(5100);
  assert.equal(hold.state(5249), "held");
  assert.equal(hold.state(5250), "live");
});

test("paused stays until it is pressed again or everything is let go", () => {
  const hold = new Hold();
  hold.pause(true);
  assert.equal(hold.state(1e9), "paused");
  hold.pause(false);
  assert.equal(hold.state(1e9), "live");
  hold.pause(true);
  hold.pointerMoved(10);
  hold.keyed(10);
  hold.release();
  assert.equal(hold.state(11), "live");
});

test("a pointer that rests on a row that would move holds until it does not", () => {
  const hold = new Hold();
  hold.rest(true);
  assert.deepEqual([hold.state(1e9), hold.wait(1e9)], ["held", null]);
  hold.rest(false);
  assert.equal(hold.state(1e9), "live");
});

test("typing does not hold, it slows", () => {
  const hold = new Hold();
  hold.typed(1000);
  assert.equal(hold.state(1001), "live");
  assert.equal(hold.pace(1001), TYPING_PACE_MS);
  assert.equal(hold.pace(9000), 0);
});

test("picked rows hold until they are let go; a press on what is new does not change that", () => {
  const hold = new Hold();
  hold.pick(true);
  hold.release();
  assert.equal(hold.state(1e9), "held");
  assert.equal(hold.wait(1e9), null);
  hold.pick(false);
  assert.equal(hold.state(1e9), "live");
});
