import assert from "node:assert/strict";
import { test } from "node:test";

import { Lazy, LazyPane } from "../../../static/js/ui/elements/lazy.js";

test("a part is loaded once, when it is first asked for", async () => {
  let loads = 0;
  const lazy = new Lazy({ load: async () => ({ number: loads += 1 }), failed: assert.fail });
  assert.equal(lazy.part, null);
  assert.equal(loads, 0);
  const [one, other] = await Promise.all([lazy.get(), lazy.get()]);
  assert.equal(one, other);
  assert.equal(await lazy.get(), lazy.part);
  assert.equal(loads, 1);
});

test("a part that could not be loaded is told of, and tried anew when it is asked for again", async () => {
  const told = [];
  const answers = [() => Promise.reject(new TypeError("offline")), async () => "part"];
  const lazy = new Lazy({ load: () => answers.shift()(), failed: () => told.push("failed") });
  assert.equal(await lazy.get(), null);
  assert.deepEqual(told, ["failed"]);
  assert.equal(await lazy.get(), "part");
  assert.deepEqual(told, ["failed"]);
});

test("a part that is loaded before it is asked for fails without a word", async () => {
  const lazy = new Lazy({ load: () => Promise.reject(new TypeError("offline")), failed: () => assert.fail() });
  assert.equal(await lazy.preload(), null);
});

test("a key pressed again while its pane loads opens the pane once", async () => {
  let finishLoading;
  const loaded = new Promise((resolve) => { finishLoading = resolve; });
  const ran = [];
  const pane = new LazyPane({ load: () => loaded, failed: assert.fail });
  const presses = [pane.toggle(), pane.toggle()];
  finishLoading({ toggle: () => ran.push("toggle") });
  await Promise.all(presses);
  assert.deepEqual(ran, ["toggle"]);
  await pane.toggle();
  assert.deepEqual(ran, ["toggle", "toggle"]);
});
