import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  callsNobody, colleagues, insertName, meant, mentionParts, typedName,
} from "../../../static/js/core/mentions.js";

test("a name is typed behind an at sign that belongs to no address", () => {
  for (const [before, asked] of [
    ["@", ""], ["hello @An", "An"], ["@Ana Lê", "Ana Lê"], ["(@an", "an"], ["お願い@山", "山"],
    ["@Ken and @An", "An"], ["お願い＠山", "山"], ["hi ﹫an", "an"],
  ]) assert.equal(typedName(before), asked, before);
  for (const before of [
    "", "Ana", "mai@ken", "a.@ken", "@@ken", "@ Ken", "@Ana\nLê", `@${"x".repeat(61)}`,
  ]) assert.equal(typedName(before), null, before);
});

const MEMBERS = [
  { id: 1, name: "Mai", desks: null }, { id: 2, name: "Ken", desks: ["sales"] },
  { id: 3, name: "Ana Lê", desks: ["main", "sales"] }, { id: 4, name: "Anh", desks: null },
];
const OF = { adminId: 1, desk: "main", dot: (id) => (id === 4 ? "online" : "offline") };

test("colleagues who see the thread are offered, who is here first, and oneself is not", () => {
  assert.deepEqual(colleagues(MEMBERS, "", OF).map(({ id }) => id), [4, 3]);
  assert.deepEqual(colleagues(MEMBERS, "le", OF).map(({ id }) => id), [3]);
  assert.deepEqual(colleagues(MEMBERS, "ana l", OF).map(({ id }) => id), [3]);
  assert.deepEqual(colleagues(MEMBERS, "ken", OF), []);
  assert.deepEqual(colleagues(MEMBERS, "Anh look", OF), []);
  assert.deepEqual(colleagues(MEMBERS, "k", { ...OF, desk: "sales" }).map(({ id }) => id), [2]);
});

test("the whole name takes the place of what was typed, and a blank follows", () => {
  assert.deepEqual(insertName("hi @an", 6, "Ana Lê"), { text: "hi @Ana Lê ", caret: 11 });
  assert.deepEqual(insertName("@an, look", 3, "Anh"), { text: "@Anh , look", caret: 5 });
  assert.deepEqual(insertName("＠an look", 3, "Anh"), { text: "@Anh look", caret: 5 });
  assert.deepEqual(insertName("@an look", 3, "Anh"), { text: "@Anh look", caret: 5 });
});

test("who was chosen and is still named is meant", () => {
  const chosen = new Map([[3, "Ana Lê"], [4, "Anh"]]);
  assert.deepEqual(meant("@Anh: look", chosen), [4]);
  assert.deepEqual(meant("nobody", chosen), []);
  assert.deepEqual(meant("＠ana  Le\u0302", chosen), [3]);
});

// The same notes as tests/dashboard/ingest/mentions/test_names.py has.
const given = JSON.parse(readFileSync(
  new URL("../../dashboard/ingest/mentions/names.json", import.meta.url), "utf8",
));

test("the page knows whom a note calls as the server does", () => {
  for (const [body, called] of given.notes) {
    const told = callsNobody(body, given.team);
    assert.deepEqual(callsNobody(body, called), told, `${body}: these alone are called`);
    for (const name of called) {
      const others = called.filter((one) => one !== name);
      assert.notDeepEqual(callsNobody(body, others), told, `${body}: ${name} is called`);
    }
  }
});

test("a word behind an at sign that calls nobody is told, once", () => {
  for (const [body, words] of [
    ["@Pat O'Brien, look", []], ["@Pat OBrien", ["@Pat"]], ["@Kenny and @Kenny, @Ken", ["@Kenny"]],
    ["@nobody.", ["@nobody"]], ["＠佐藤さん", ["＠佐藤さん"]], ["@Nguyên’s", ["@Nguyên’s"]],
    ["shop@Ken, a.b@ken.example", []], ["@ Ken, 5 @ 3 €, @@Ken, Ken @", []], ["", []],
  ]) assert.deepEqual(callsNobody(body, given.team), words, body);
  assert.deepEqual(callsNobody("@Ken", []), ["@Ken"]);
  const many = Array.from({ length: 101 }, (_, at) => `@nobody${at}`);
  assert.deepEqual(callsNobody(many.join(" "), []), many.slice(0, 100), "the first 100 count");
});

const parts = (text, mentions) => mentionParts(text, mentions)
  .map((part) => (part.id === null ? part.text : [part.text, part.ids]));

test("a note is cut at the names that it mentions, the longest first", () => {
  const both = [{ id: 4, name: "Ana" }, { id: 3, name: "Ana Lê" }];
  assert.deepEqual(parts("@Ana Lê and @Ana!", both), [["@Ana Lê", [3]], " and ", ["@Ana", [4]], "!"]);
  assert.deepEqual(parts("no name", both), ["no name"]);
  assert.deepEqual(parts("", both), []);
  const alike = [{ id: 4, name: "Ana" }, { id: 5, name: "Ana" }];
  assert.deepEqual(parts("@Ana", alike), [["@Ana", [4, 5]]]);
});
