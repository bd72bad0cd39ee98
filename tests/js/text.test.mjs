import assert from "node:assert/strict";
import { test } from "node:test";

import { hue, initial } from "../../static/js/core/faces.js";
import { split } from "../../static/js/core/links.js";

const links = (text) => split(text).filter(({ href }) => href).map(({ href }) => href);
const joined = (text) => split(text).map((part) => part.text).join("");

test("addresses of http and https become links, nothing else does", () => {
  assert.deepEqual(links("see https://example.com/a?b=1. And http://x.org!"), [
    "https://example.com/a?b=1", "http://x.org",
  ]);
  for (const text of [
    "javascript:alert(1)", "data:text/html,x", "xhttps://", "https://", "ftp://example.com", "",
  ]) assert.deepEqual(links(text), [], text);
});

test("the text is the same in the end, whatever it holds", () => {
  for (const text of [
    "こんにちは。https://example.com/追跡、どうぞ", "<b>https://a.example/<script></b>", "a\n\nb", "👍 https://a.example 👍",
  ]) assert.equal(joined(text), text);
  assert.deepEqual(links("こちら：https://example.com/a。"), ["https://example.com/a"]);
});

test("a face has the first letter without its marks", () => {
  assert.equal(initial("linh"), "L");
  assert.equal(initial("山田 太郎"), "山");
  assert.equal(initial("Z̸̢̛͔a̷l"), "Z");
  assert.equal(initial("  “Mai”"), "M");
  assert.equal(initial("\u202Egnp"), "G");
  assert.equal(initial("👩‍👩‍👧‍👦"), "👩");
  assert.equal(initial("…"), "?");
  assert.equal(initial(""), "?");
});

test("a hue is the same for the same id and spread over ids", () => {
  assert.equal(hue("shop/c-1"), hue("shop/c-1"));
  const hues = new Set(Array.from({ length: 100 }, (_, index) => hue(`shop/c-${index}`)));
  assert.ok(hues.size > 60);
});
