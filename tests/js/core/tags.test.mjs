import assert from "node:assert/strict";
import { test } from "node:test";

import "../support.mjs";
import { offered, ordered, shareOf, switched, tagOf } from "../../../static/js/ui/dialogs/tags.js";

const NONE = { add: [], remove: [] };

test("what is typed becomes a tag where it can be one", () => {
  assert.equal(tagOf("  Late Delivery ", 32), "late-delivery");
  assert.equal(tagOf("đổi_trả", 32), "đổi-trả");
  assert.equal(tagOf("vip2", 32), "vip2");
  assert.equal(tagOf("ＶＩＰ　２", 32), "vip-2");
  assert.equal(tagOf("ｶﾞｷﾞ\u2010e\u0301", 32), "ガギ-é");
  assert.equal(tagOf("комп\u02bcютер", 32), "комп\u02bcютер");
  for (const text of ["", "  ", "None", "ｎｏｎｅ", "a/b", "#vip", "x".repeat(33)]) assert.equal(tagOf(text, 32), "");
});

test("a tag is on all of some threads, on some, or on none", () => {
  const threads = [["a", "b"], ["a"]];
  assert.deepEqual(["a", "b", "c"].map((tag) => shareOf(threads, tag)), ["all", "some", "none"]);
  assert.equal(shareOf([], "a"), "none");
});

test("tags of the threads come before others, each by name and once", () => {
  assert.deepEqual(ordered([["b", "a"], ["b"]], ["c", "a", "c", "aa"]), ["a", "b", "aa", "c"]);
});

test("what is typed is found among the tags, and offered as a new one where it is none of them", () => {
  const tags = ["late-delivery", "refund"];
  assert.deepEqual(offered(tags, "", 32).map(({ tag }) => tag), tags);
  assert.deepEqual(offered(tags, "REFUND", 32), [{ tag: "refund", isNew: false }]);
  assert.deepEqual(offered(tags, "ref", 32), [
    { tag: "refund", isNew: false }, { tag: "ref", isNew: true },
  ]);
  assert.deepEqual(offered(tags, "#!", 32), []);
});

test("a tag is switched on for all threads, then off; where some have it, off for all of them", () => {
  for (const share of /** @type {TagShare[]} */ (["all", "some", "none"])) {
    const once = switched(NONE, "a", share);
    assert.deepEqual(once, share === "all" ? { add: [], remove: ["a"] } : { add: ["a"], remove: [] });
    const twice = switched(once, "a", share);
    assert.deepEqual(twice, share === "some" ? { add: [], remove: ["a"] } : NONE);
  }
  assert.deepEqual(switched({ add: [], remove: ["a"] }, "a", "some"), { add: ["a"], remove: [] });
});
