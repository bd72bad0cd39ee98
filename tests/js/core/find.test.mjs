import assert from "node:assert/strict";
import { test } from "node:test";

import { markedParts, matching } from "../../../static/js/core/find.js";

const texts = (entries) => entries.map(({ text }) => text);
const entries = ["Sort: Priority", "Priority: High", "Đóng cuộc trò chuyện", "検索"].map((text) => ({ text }));

test("every word must be there; what begins with the first one comes first", () => {
  assert.deepEqual(texts(matching(entries, "prio")), ["Priority: High", "Sort: Priority"]);
  assert.deepEqual(texts(matching(entries, "high PRIO")), ["Priority: High"]);
  assert.deepEqual(texts(matching(entries, "nothing")), []);
  assert.equal(matching(entries, " ").length, entries.length);
});

test("marks and case do not matter", () => {
  assert.deepEqual(texts(matching(entries, "dong tro")), ["Đóng cuộc trò chuyện"]);
  assert.deepEqual(texts(matching(entries, "検")), ["検索"]);
});

test("widths, apostrophes and hyphens do not matter", () => {
  const named = ["Pat O’Brien", "E\u2011mail – urgent", "ｶﾞｷﾞ", "Straße"].map((text) => ({ text }));
  for (const [query, found] of [
    ["o'brien", "Pat O’Brien"], ["Ｏ＇ＢＲＩＥＮ", "Pat O’Brien"], ["e-mail", "E\u2011mail – urgent"],
    ["ガ", "ｶﾞｷﾞ"], ["strasse", "Straße"],
  ]) assert.deepEqual(texts(matching(named, query)), [found], query);
  assert.deepEqual(texts(matching([{ text: "O'Brien" }], "o’b")), ["O'Brien"]);
});

test("an excerpt is cut at its marks, by code points", () => {
  assert.deepEqual(markedParts("👍 order 7", 0, [[2, 7]]), [
    { text: "👍 ", marked: false }, { text: "order", marked: true }, { text: " 7", marked: false },
  ]);
  assert.deepEqual(markedParts("plain", 0, []), [{ text: "plain", marked: false }]);
});
