import assert from "node:assert/strict";
import { test } from "node:test";

import { Scroller } from "../../../static/js/ui/list/input.js";

const element = () => ({
  style: {}, setAttribute() {}, addEventListener() {}, replaceChildren() {}, scrollTop: 0,
});

// A list of 640 px, and how often its height was asked for.
function list() {
  const made = { asked: 0, px: 640, resized: 0 };
  globalThis.document = { createElement: element };
  globalThis.ResizeObserver = class {
    constructor(observed) { made.observed = observed; }
    observe() {}
  };
  const root = Object.defineProperty(element(), "clientHeight", {
    get() {
      made.asked += 1;
      return made.px;
    },
  });
  made.scroller = new Scroller({
    root, scrolled() {}, resized: () => { made.resized += 1; },
  });
  return made;
}

test("painting does not ask for the height, which would lay out the page", () => {
  const made = list();
  const { scroller, asked } = made;
  for (const rows of [100, 101]) {
    scroller.resize(rows * 64);
    scroller.to(10 * 64);
    assert.equal(scroller.height, 640);
  }
  assert.equal(made.asked, asked);
});

test("another height is known as soon as the list has it", () => {
  const made = list();
  made.px = 320;
  made.observed();
  assert.equal(made.scroller.height, 320);
  assert.equal(made.resized, 1);
});

test("a list that is hidden keeps the height at which it will be shown", () => {
  const made = list();
  made.px = 0;
  made.observed();
  assert.equal(made.scroller.height, 640);
});
