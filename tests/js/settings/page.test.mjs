import assert from "node:assert/strict";
import { test } from "node:test";

import { pageOf, settled } from "../support.mjs";

globalThis.addEventListener ??= () => {};
const { SettingsPage } = await import("../../../static/js/settings/elements.js");

const made = () => {
  const said = [];
  const area = { say: (text) => said.push(text), paint() {} };
  const page = pageOf({ area, language: { t: Object.assign((key) => key, { named: (kind, key) => `${kind}.${key}` }) } });
  return { page: new SettingsPage(/** @type {any} */ ({ ...page, area })), said };
};

test("what a page repeats ends with it, also if it was left before it began", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { page } = made();
  let looks = 0;
  page.every(1000, async () => {
    looks += 1;
    throw new Error("the server is away");
  });
  t.mock.timers.tick(2000);
  assert.equal(looks, 2);
  page.end();
  page.every(1000, () => { looks += 1; });
  t.mock.timers.tick(5000);
  assert.equal(looks, 2);
});

test("a form is sent once, whatever is pressed meanwhile, and again after a refusal", async () => {
  const { page, said } = made();
  let sent = 0;
  let answer = (_) => {};
  const send = () => page.send(() => new Promise((_, refuse) => {
    sent += 1;
    answer = refuse;
  }));
  const first = send();
  send();
  assert.equal(sent, 1);
  answer({ status: 409, code: "name_taken", body: {} });
  await first;
  assert.equal(said.length, 1);
  send();
  await settled();
  assert.equal(sent, 2);
});
