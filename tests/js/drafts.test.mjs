import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../../static/js/core/drafts.js";

// Like localStorage: keys are its own properties.
function storage() {
  const kept = {};
  const hidden = (value) => ({ value, enumerable: false });
  return Object.defineProperties(kept, {
    getItem: hidden((key) => kept[key] ?? null),
    setItem: hidden((key, value) => { kept[key] = value; }),
    removeItem: hidden((key) => { delete kept[key]; }),
  });
}

test("a draft is there after a reload, for its thread and admin alone", () => {
  const shelf = storage();
  new Drafts({ storage: shelf, adminId: 7 }).put(1, { body: "Xin chào", private: true });
  const again = new Drafts({ storage: shelf, adminId: 7 });
  assert.deepEqual(again.get(1), { body: "Xin chào", private: true });
  assert.deepEqual(again.get(2), { body: "", private: false });
  assert.equal(new Drafts({ storage: shelf, adminId: 8 }).get(1).body, "");
});

test("an emptied draft leaves nothing behind", () => {
  const shelf = storage();
  const drafts = new Drafts({ storage: shelf, adminId: 7 });
  drafts.put(1, { body: "a" });
  drafts.drop(1);
  assert.deepEqual(Object.keys(shelf), []);
  assert.equal(drafts.get(1).body, "");
});

test("old drafts and those over the limit go, the latest stay", () => {
  const shelf = storage();
  let now = 0;
  const drafts = new Drafts({ storage: shelf, adminId: 7, now: () => now });
  for (let id = 1; id <= 250; id += 1) {
    now = id;
    drafts.put(id, { body: "a" });
  }
  const later = new Drafts({ storage: shelf, adminId: 7, now: () => now });
  assert.equal(Object.keys(shelf).length, 200);
  assert.equal(later.get(250).body, "a");
  assert.equal(later.get(1).body, "");
  assert.equal(new Drafts({ storage: shelf, adminId: 7, now: () => 1e12 }).get(250).body, "");
});

test("where storage is full or forbidden a draft lives as long as the page", () => {
  const broken = { getItem() { throw new Error(); }, setItem() { throw new Error(); } };
  const drafts = new Drafts({ storage: broken, adminId: 7 });
  assert.equal(drafts.put(1, { body: "a" }), false);
  assert.equal(drafts.get(1).body, "a");
});
