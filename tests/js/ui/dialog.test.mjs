import assert from "node:assert/strict";
import { test } from "node:test";

import { Dialog } from "../../../static/js/ui/elements/dialog.js";

// As much of an element as a dialog asks for.
class Element {
  open = true;
  popover = null;
  listeners = {};
  addEventListener(name, run) { this.listeners[name] = run; }
  querySelector() { return this.popover; }
  close() {
    this.open = false;
    this.listeners.close();
  }

  fire(name, event = {}) {
    const fired = { target: this, defaultPrevented: false, preventDefault() { this.defaultPrevented = true; }, ...event };
    this.listeners[name](fired);
    return fired;
  }
}

function dialogOf(mayClose) {
  const element = new Element();
  const dialog = new Dialog({ element: /** @type {any} */ (element), text: () => /** @type {any} */ (String) });
  dialog.paint = () => {};
  dialog.open("Title", () => "", () => {}, mayClose);
  return { element, dialog };
}

test("what is not saved is asked about on each way of closing", () => {
  let asked = 0;
  const { element, dialog } = dialogOf(() => {
    asked += 1;
    return false;
  });
  assert.ok(element.fire("keydown", { key: "Escape" }).defaultPrevented);
  assert.ok(element.fire("cancel").defaultPrevented);
  element.fire("click");
  dialog.leave();
  assert.deepEqual([asked, element.open], [4, true]);
  dialog.close();
  assert.equal(element.open, false, "who has asked may close it");
});

test("Esc that something in the dialog has taken does not close it, nor one that belongs to an open list", () => {
  const { element } = dialogOf(() => true);
  element.fire("keydown", { key: "Escape", defaultPrevented: true });
  element.popover = {};
  element.fire("keydown", { key: "Escape" });
  assert.ok(element.open);
  element.popover = null;
  element.fire("keydown", { key: "Escape" });
  assert.ok(!element.open);
});

test("where nothing is to be asked the browser closes it", () => {
  const { element } = dialogOf(null);
  assert.ok(!element.fire("keydown", { key: "Escape" }).defaultPrevented);
  assert.ok(!element.fire("cancel").defaultPrevented);
  element.fire("click");
  assert.ok(!element.open);
});
