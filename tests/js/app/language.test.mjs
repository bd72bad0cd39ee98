import assert from "node:assert/strict";
import { test } from "node:test";

import { Language } from "../../../static/js/ui/elements/language.js";
import { settled } from "../support.mjs";

test("a part that is added while another language loads changes neither", async (context) => {
  const waiting = [];
  context.mock.method(globalThis, "fetch", (url) => new Promise((resolve) => {
    waiting.push(() => resolve({ ok: true, json: async () => ({ [url.slice(3)]: url }) }));
  }));
  globalThis.document = /** @type {any} */ ({ documentElement: {} });
  const language = new Language(
    { en: ["en/page"], ja: ["ja/page"] }, { profile: { en: ["en/profile"], ja: ["ja/profile"] } });
  const all = Promise.all([language.choose("ja"), language.add("profile")]);
  await settled();
  while (waiting.length) {
    waiting.pop()();
    await settled();
  }
  await all;
  assert.equal(language.locale, "ja");
  assert.deepEqual(["page", "profile"].map((key) => language.t(key)), ["ja/page", "ja/profile"]);
});
