import assert from "node:assert/strict";
import { test } from "node:test";

import { onListKey, Popover } from "../../../static/js/ui/elements/popover.js";

// A popover element as far as Popover asks for it.
function element() {
  const made = {
    isOpen: false,
    listeners: [],
    addEventListener: (_, listener) => made.listeners.push(listener),
    matches: () => made.isOpen,
    toggle(newState, timeStamp) {
      for (const listener of made.listeners) listener({ newState, timeStamp });
      made.isOpen = newState === "open";
    },
    hidePopover: () => made.toggle("closed", 0),
  };
  return made;
}

test("the press that closes a popover does not open it again, and a later one does", () => {
  const popover = element();
  let closed = 0;
  const guard = new Popover({ element: popover, openers: [], closed: () => { closed += 1; } });
  popover.toggle("open", 1_000);
  popover.toggle("closed", 2_000);
  assert.equal(closed, 1);
  assert.equal(guard.mayOpen({ timeStamp: 2_100 }), false, "the same press, as a click");
  assert.equal(guard.mayOpen({ timeStamp: 2_400 }), true);
  assert.equal(guard.mayOpen(null), true, "a key");
});

test("what is open is closed instead of opened", () => {
  const popover = element();
  const guard = new Popover({ element: popover, openers: [] });
  popover.toggle("open", 1_000);
  assert.equal(guard.mayOpen(null), false);
  assert.equal(guard.shown, false);
});

test("in a field with a list arrows walk, Enter chooses, and letters do nothing else", () => {
  const press = (key, more = {}) => {
    const done = [];
    onListKey({
      key, target: { matches: () => false }, ...more,
      stopPropagation: () => done.push("kept"), preventDefault: () => done.push("taken"),
    }, { walk: (step) => done.push(step), choose: () => done.push("chosen") });
    return done;
  };
  assert.deepEqual(press("ArrowDown"), ["kept", 1, "taken"]);
  assert.deepEqual(press("ArrowUp"), ["kept", -1, "taken"]);
  assert.deepEqual(press("Enter"), ["kept", "chosen", "taken"]);
  assert.deepEqual(press("Enter", { target: { matches: () => true } }), ["kept"], "a button's own");
  assert.deepEqual(press("e"), ["kept"]);
  for (const key of ["Tab", "Escape"]) assert.deepEqual(press(key), []);
  assert.deepEqual(press("Enter", { isComposing: true }), []);
});
