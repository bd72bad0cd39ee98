import assert from "node:assert/strict";
import { test } from "node:test";

import { Painter } from "../../../static/js/ui/elements/painter.js";

// A page whose clock, frames and timers are moved by hand.
function page() {
  const made = {
    ms: 0, frames: [], timers: [],
    performance: { now: () => made.ms },
    requestAnimationFrame: (run) => made.frames.push(run),
    setTimeout: (run, ms = 0) => made.timers.push([made.ms + ms, run]),
    // The next frame, at most 16 ms later; false if none was asked for.
    next() {
      const at = made.ms + 16;
      const frames = made.frames.splice(0);
      frames.forEach((run) => run());
      for (;;) {
        const due = made.timers.filter(([when]) => when <= made.ms);
        made.timers = made.timers.filter(([when]) => when > made.ms);
        if (!due.length) break;
        due.forEach(([, run]) => run());
      }
      made.ms = Math.max(made.ms, at);
      return frames.length > 0;
    },
  };
  return made;
}

test("what is asked for is painted once in the next frame", () => {
  const made = page();
  const painter = new Painter(made);
  const painted = [];
  painter.add("list", () => painted.push("list"));
  painter.add("nav", () => painted.push("nav"));
  painter.ask("list");
  painter.ask("list", "nav", "nobody");
  assert.ok(made.next() && !made.next());
  assert.deepEqual(painted, ["list", "nav"]);
  painter.ask("nav");
  assert.ok(made.next(), "quick frames follow each other");
});

test("in a flood half of the time is left to others, and the last state is painted", () => {
  const made = page();
  const painter = new Painter(made);
  let [painting, shown, came] = [0, 0, 0];
  painter.add("messages", () => {
    made.ms += 40;
    painting += 40;
    shown = came;
  });
  while (came < 1000) {
    came += 1;
    painter.ask("messages");
    made.next();
  }
  assert.ok(painting <= made.ms / 2, `${painting} of ${made.ms} ms`);
  for (let frame = 0; shown < came && frame < 20; frame += 1) made.next();
  assert.equal(shown, 1000);
});

test("nothing waits longer than a quarter of a second", () => {
  const made = page();
  const painter = new Painter(made);
  painter.add("messages", () => { made.ms += 5000; });
  painter.ask("messages");
  made.next();
  const before = made.ms;
  painter.ask("messages");
  while (!made.next());
  assert.ok(made.ms - before - 5000 <= 250 + 32);
});

test("a part that fails leaves the others painted, and its error is not swallowed", () => {
  const made = page();
  const painter = new Painter(made);
  const painted = [];
  painter.add("customer", () => { throw new Error("no row"); });
  painter.add("thread", () => painted.push("thread"));
  painter.ask("customer", "thread");
  assert.throws(() => made.next(), /no row/);
  assert.deepEqual(painted, ["thread"]);
});
