import assert from "node:assert/strict";
import { test } from "node:test";

import { deskReceivers, receivers } from "../../../static/js/core/receivers.js";

const MEMBERS = [
  { id: 1, name: "Mai" }, { id: 2, name: "Đức" }, { id: 3, name: "An" }, { id: 4, name: "Ken" },
];
const DOTS = { 1: "online", 2: "away", 3: "offline", 4: "lately" };

const names = (query, assigneeId = null, adminId = 1) => receivers(MEMBERS, query, {
  adminId, assigneeId, dot: (id) => DOTS[id],
}).map(({ name }) => name);

test("oneself comes first, then who is here, then the others, by name", () => {
  assert.deepEqual(names(""), ["Mai", "Đức", "An", "Ken"]);
  assert.deepEqual(names("", null, 4), ["Ken", "Đức", "Mai", "An"]);
});

test("who has the thread is not offered", () => {
  assert.deepEqual(names("", 2), ["Mai", "An", "Ken"]);
});

test("names are found without case and diacritics", () => {
  assert.deepEqual(names("duc"), ["Đức"]);
  assert.deepEqual(names("n"), ["An", "Ken"]);
  assert.deepEqual(names("x"), []);
});

test("desks are offered where there are several, but not the one where the thread is", () => {
  const found = (...given) => deskReceivers(...given).map(({ desk }) => desk);
  assert.deepEqual(found(["main"], "", null), []);
  assert.deepEqual(found(["main", "sales"], "", null), ["main", "sales"]);
  assert.deepEqual(found(["main", "sales", "billing"], "", "sales").sort(), ["billing", "main"]);
  assert.deepEqual(found(["main", "sales"], "SAL", "main"), ["sales"]);
});

test("who does not see the desks of the threads is not offered", () => {
  const desks = { 1: ["main", "sales"], 2: null, 3: ["main"], 4: [] };
  const found = (...at) => receivers(MEMBERS.map((one) => ({ ...one, desks: desks[one.id] })), "", {
    adminId: 1, assigneeId: null, desks: at, dot: (id) => DOTS[id],
  }).map(({ name }) => name);
  assert.deepEqual(found("main"), ["Mai", "Đức", "An"]);
  assert.deepEqual(found("main", "sales"), ["Mai", "Đức"]);
  assert.deepEqual(found("billing"), ["Đức"]);
});
