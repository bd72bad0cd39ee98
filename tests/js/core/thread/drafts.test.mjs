import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../../../../static/js/core/thread/drafts.js";

// Like localStorage: keys are its own properties.
function storage() {
  const kept = {};
  const hidden = (value) => ({ value, enumerable: false });
  return Object.defineProperties(kept, {
    getItem: hidden((key) => kept[key] ?? null),
    setItem: hidden((key, value) => { kept[key] = value; }),
    removeItem: hidden((key) => { delete kept[key]; }),
    keys: hidden(() => Object.keys(kept)),
  });
}

test("a draft is there after a reload, for its thread and admin alone", () => {
  const kept = storage();
  new Drafts({ storage: kept, adminId: 7 }).put(1, { body: "Xin chào", private: true });
  const again = new Drafts({ storage: kept, adminId: 7 });
  assert.deepEqual(again.get(1), { body: "Xin chào", private: true });
  assert.deepEqual(again.get(2), { body: "", private: false });
  assert.equal(new Drafts({ storage: kept, adminId: 8 }).get(1).body, "");
});

test("an emptied draft leaves nothing behind", () => {
  const kept = storage();
  const drafts = new Drafts({ storage: kept, adminId: 7 });
  drafts.put(1, { body: "a" });
  drafts.drop(1);
  assert.deepEqual(Object.keys(kept), []);
  assert.equal(drafts.get(1).body, "");
});

test("old drafts and those over the limit go, the latest stay", () => {
  const kept = storage();
  let now = 0;
  const drafts = new Drafts({ storage: kept, adminId: 7, now: () => now });
  for (let id = 1; id <= 250; id += 1) {
    now = id;
    drafts.put(id, { body: "a" });
  }
  const later = new Drafts({ storage: kept, adminId: 7, now: () => now });
  assert.equal(Object.keys(kept).length, 200);
  assert.equal(later.get(250).body, "a");
  assert.equal(later.get(1).body, "");
  assert.equal(new Drafts({ storage: kept, adminId: 7, now: () => 1e12 }).get(250).body, "");
});

test("where storage is full or forbidden a draft lives as long as the page", () => {
  const broken = { getItem() { throw new Error(); }, setItem() { throw new Error(); } };
  const drafts = new Drafts({ storage: broken, adminId: 7 });
  assert.equal(drafts.put(1, { body: "a" }), false);
  assert.equal(drafts.get(1).body, "a");
});

test("a reply and a note stand beside each other, and each is a draft", () => {
  const kept = storage();
  const drafts = new Drafts({ storage: kept, adminId: 7, now: () => 5 });
  drafts.put(1, { body: "For the customer", private: false, aside: "For the team", seen: 10 });
  const again = new Drafts({ storage: kept, adminId: 7, now: () => 5 });
  assert.equal(again.asideOf(1), "For the team");
  assert.equal(again.seenOf(1), 10);
  again.drop(1);
  assert.deepEqual([again.get(1).body, again.seenOf(1), again.has(1)], ["", null, true]);
  assert.deepEqual(again.list.map(({ threadId, body, private: note }) => [threadId, body, note]),
    [[1, "For the team", true]]);
  again.put(1, { body: "", aside: "" });
  assert.deepEqual([again.has(1), again.list], [false, []]);
});

test("the latest draft stands first, and saving it again does not make it later", () => {
  let now = 1;
  const drafts = new Drafts({ storage: storage(), adminId: 7, now: () => now });
  drafts.put(1, { body: "a" });
  now = 2;
  drafts.put(2, { body: "b" });
  now = 3;
  drafts.put(1, { body: "a" });
  assert.deepEqual(drafts.list.map(({ threadId }) => threadId), [2, 1]);
});

test("what another window sent or wrote is known here, and is told", () => {
  const kept = storage();
  let told = 0;
  const here = new Drafts({ storage: kept, adminId: 7, changed: () => { told += 1; } });
  const there = new Drafts({ storage: kept, adminId: 7 });
  there.put(1, { body: "a" });
  assert.equal(here.taken("lineup:draft:7:1"), 1);
  assert.equal(here.get(1).body, "a");
  there.drop(1);
  here.taken("lineup:draft:7:1");
  assert.deepEqual([here.has(1), told], [false, 2]);
  assert.equal(here.taken("lineup:draft:8:1"), null, "another admin's");
});

test("a draft that could not be kept is known as such until it can", () => {
  const full = { ...storage(), keys: () => [], setItem() { throw new Error(); }, removeItem() {} };
  const drafts = new Drafts({ storage: full, adminId: 7 });
  drafts.put(1, { body: "a" });
  assert.equal(drafts.unsaved, true);
  drafts.drop(1);
  assert.equal(drafts.unsaved, false);
});

test("uploaded files are part of a draft, also without a text", () => {
  const kept = storage();
  const files = [{ id: "x", name: "a.pdf", type: "application/pdf", size: 3, private: true, at: 1 }];
  const drafts = new Drafts({ storage: kept, adminId: 7 });
  drafts.put(1, { files });
  drafts.put(1, { body: "" });
  const again = new Drafts({ storage: kept, adminId: 7 });
  assert.deepEqual(again.filesOf(1), files);
  assert.ok(again.has(1));
  assert.deepEqual(again.list.map(({ body, private: isPrivate }) => [body, isPrivate]), [["a.pdf", true]]);
  again.put(1, { files: [] });
  assert.deepEqual(Object.keys(kept), []);
});
