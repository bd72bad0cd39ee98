import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { translator } from "../../../static/js/core/i18n.js";
import { refusal, refusalOf } from "../../../static/js/ui/elements/language.js";

const texts = readFileSync(new URL("../../../static/i18n/vi.json", import.meta.url), "utf8");
const t = translator("vi", JSON.parse(texts));

test("a refusal is told by its code, in the admin's language", () => {
  assert.equal(refusal({ code: "not_found", detail: "There is no such thread." }, t),
    "Mục này không còn nữa.");
  assert.equal(refusal({ code: "already_claimed", assignee: { name: "Ken" } }, t),
    t("error.already_claimed", { name: "Ken" }));
});

test("the field that is wrong is named, with what it may hold where that is known", () => {
  const wrong = (code, pointer) => refusal({ code, detail: "“/x” is English.", errors: [{ pointer }] }, t);
  assert.equal(wrong("too_long", "/body"), "Nội dung: Nội dung quá dài.");
  assert.equal(wrong("unknown_value", "/url"), `Địa chỉ: ${t("error.unknown_value.url")}`);
  assert.equal(wrong("unknown_value", "/events/3"), t("error.unknown_value"));
  assert.equal(wrong("unknown_value", "/no_such_field"), t("error.unknown_value"));
});

test("what has no text keeps the server's words in English alone", () => {
  const english = translator("en", {});
  assert.equal(refusal({ code: "brand_new", detail: "The moon is full." }, english), "The moon is full.");
  assert.equal(refusal({ code: "brand_new", detail: "The moon is full." }, t), t("error.other"));
  assert.equal(refusalOf({ status: 502, body: null, detail: "" }, t), t("error.other"));
  assert.equal(refusalOf({ status: 0, body: null, detail: "" }, t), t("error.network"));
  assert.equal(refusal(null, t), t("error.network"));
});
