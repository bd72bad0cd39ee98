import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { translator } from "../../static/js/core/i18n.js";
import { refusal, refusalOf } from "../../static/js/ui/refusal.js";

const texts = readFileSync(new URL("../../static/i18n/vi.json", import.meta.url), "utf8");
const t = translator("vi", JSON.parse(texts));

test("a refusal is told by its code, in the admin's language", () => {
  assert.equal(refusal({ code: "not_found", detail: "There is no such thread." }, t),
    "Mục này không còn nữa.");
  assert.equal(refusal({ code: "already_claimed", assignee: { name: "Ken" } }, t),
    t("error.already_claimed", { name: "Ken" }));
  assert.match(refusal({ code: "unknown_value", detail: "“/url” must be an address." }, t),
    /“\/url” must be an address\.$/);
});

test("what has no text keeps the server's words, and where there are none it is said so", () => {
  assert.equal(refusal({ code: "brand_new", detail: "The moon is full." }, t), "The moon is full.");
  assert.equal(refusalOf({ status: 502, body: null, detail: "" }, t), t("error.other"));
  assert.equal(refusalOf({ status: 0, body: null, detail: "" }, t), t("error.network"));
  assert.equal(refusal(null, t), t("error.network"));
});
