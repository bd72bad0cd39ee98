import assert from "node:assert/strict";
import { test } from "node:test";

import { dealt, outcome } from "../../../static/js/ui/dialogs/hand-over-all.js";

const threads = (...desks) => desks.map((desk, at) => ({ id: at + 1, desk }));
const all = { id: 1, desks: null };
const sales = { id: 2, desks: ["sales"] };
const main = { id: 3, desks: ["main"] };
const hands = (given, receivers) => {
  const found = dealt(given, receivers);
  return { ...Object.fromEntries(found.hands.map(([{ id }, ids]) => [id, ids])), left: found.left };
};

test("threads are dealt in turn, each to one who sees its desk", () => {
  assert.deepEqual(hands(threads("main", "main", "main"), [all]), { 1: [1, 2, 3], left: [] });
  assert.deepEqual(hands(threads("main", "sales", "main", "main"), [all, sales, main]),
    { 1: [1, 4], 2: [2], 3: [3], left: [] });
  assert.deepEqual(hands(threads("sales", "main", "sales"), [all, main]), { 1: [1, 3], 3: [2], left: [] });
});

test("a thread that none of them sees is left, and who gets none is not named", () => {
  assert.deepEqual(hands(threads("main", "sales"), [sales]), { 2: [2], left: [1] });
  assert.deepEqual(hands(threads("main"), [sales, main]), { 3: [1], left: [] });
  assert.deepEqual(hands([], [all]), { left: [] });
  assert.deepEqual(hands(threads("main"), []), { left: [1] });
});

test("what came of it is counted by its reason", () => {
  const results = [
    { status: "done", act: 7 }, { status: "done", act: null },
    { status: "rejected", problem: { code: "done_meanwhile" } },
    { status: "rejected", problem: { code: "already_claimed" } },
  ];
  assert.deepEqual(outcome(results), { done: 2, meanwhile: 1, refused: 1, acts: [7] });
});
