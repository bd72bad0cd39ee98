import assert from "node:assert/strict";
import { test } from "node:test";

import {
  fill, insert, suggest, typedShortcut,
} from "../../../../static/js/ui/thread/completion.js";

test("a slash asks at the start and after a space, not inside a word or an address", () => {
  assert.equal(typedShortcut("/"), "");
  assert.equal(typedShortcut("Hello /Re"), "re");
  assert.equal(typedShortcut("a\n/x-1"), "x-1");
  assert.equal(typedShortcut("お待ちください　／ｒｅｆ－１"), "ref-1");
  assert.equal(typedShortcut("/re–f"), "re-f");
  for (const text of ["1/2", "https://a", "/two words", ""]) assert.equal(typedShortcut(text), null, text);
});

test("shortcuts that begin so come before texts that hold it", () => {
  const canned = [
    { shortcut: "bye", body: "refund is on its way" }, { shortcut: "refund", body: "Money back" },
  ];
  const names = (asked) => suggest(canned, asked).map(({ shortcut }) => shortcut);
  assert.deepEqual(names("ref"), ["refund", "bye"]);
  assert.deepEqual(names(""), ["bye", "refund"]);
  assert.deepEqual(names("zzz"), []);
  const words = suggest([{ shortcut: "a", body: "We’re ｻﾎﾟｰﾄ – Đặng" }], "dang");
  assert.equal(words.length, 1);
});

test("names are filled in once; unknown ones stay as they are written", () => {
  const facts = { "customer.name": "{{admin.name}}", "admin.name": "Mai" };
  assert.equal(fill("{{ customer.name }}, {{admin.name}}, {{order.id}}", facts),
    "{{admin.name}}, Mai, {{order.id}}");
});

test("a name that nobody gave is left out with what sets it off", () => {
  const nobody = { "customer.name": "", "admin.name": "Mai" };
  for (const [body, text] of [
    ["You are welcome, {{customer.name}}!", "You are welcome!"],
    ["Hello {{customer.name}}, this is {{admin.name}}.", "Hello, this is Mai."],
    ["Hi, {{customer.name}}, one moment", "Hi, one moment"],
    ["Thanks {{customer.name}} for waiting", "Thanks for waiting"],
    ["{{customer.name}}, your order is here", "Your order is here"],
    ["Hello\n{{ customer.name }}: done", "Hello\nDone"],
    ["{{customer.name}}{{admin.name}} here", "Mai here"],
    ["{{admin.name}}, {{customer.name}}!", "Mai!"],
    ["{{customer.name}}, {{order.id}} is here", "{{order.id}} is here"],
    ["こんにちは、{{customer.name}} 様。{{admin.name}} です。", "こんにちは。Mai です。"],
    ["Chào {{customer.name}}, đợi em chút ạ", "Chào, đợi em chút ạ"],
  ]) assert.equal(fill(body, nobody), text);
});

test("the shortcut before the caret gives way to the text, the rest stays", () => {
  assert.deepEqual(insert("Hi ／ｒｅ there", 6, "sorry"), { text: "Hi sorry there", caret: 8 });
  assert.deepEqual(insert("Hi /re there", 6, "sorry"), { text: "Hi sorry there", caret: 8 });
});
