import assert from "node:assert/strict";
import { test } from "node:test";

import { chooseZone } from "../../../static/js/core/time.js";
import { fromAddress, toAddress, toRequest } from "../../../static/js/settings/audit-entries.js";

const NONE = { action: "", actor: "", target: "", from: "", to: "" };

test("filters stand in the address, and come back from it", () => {
  const filters = {
    action: "webhook.created", actor: "mai+1@example.com", target: "Khách & quý", from: "2026-11-01", to: "",
  };
  const address = toAddress(filters);
  assert.equal(address,
    "?action=webhook.created&actor=mai%2B1%40example.com&target=Kh%C3%A1ch+%26+qu%C3%BD&from=2026-11-01");
  assert.deepEqual(fromAddress(address), filters);
  assert.equal(toAddress(NONE), "");
  assert.deepEqual(fromAddress(""), NONE);
});

test("what is no day, and what is no filter, is left out of an address", () => {
  const search = "?from=yesterday&to=2026-11-1&limit=9&actor=%20mai%20";
  assert.deepEqual(fromAddress(search), { ...NONE, actor: "mai" });
});

test("days are whole ones of one's own zone, both included", () => {
  chooseZone("America/New_York");
  try {
    const { from, to } = toRequest({ ...NONE, from: "2026-11-01", to: "2026-11-30" });
    assert.equal(from, Date.parse("2026-11-01T00:00:00-04:00"));
    assert.equal(to, Date.parse("2026-12-01T00:00:00-05:00"));
  } finally {
    chooseZone(null);
  }
  assert.deepEqual(toRequest(NONE), {});
  assert.deepEqual(toRequest({ ...NONE, action: "key", actor: "a", target: "b" }),
    { action: "key", actor: "a", target: "b" });
});
