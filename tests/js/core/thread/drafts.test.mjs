import assert from "node:assert/strict";
import { test } from "node:test";

import { randomId as newId } from "../../../../static/js/browser.js";
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

// A page of the admin; threads are open in it as soon as something is asked of them.
function desk(kept, more = {}) {
  const drafts = new Drafts({ storage: kept, adminId: 7, newId, ...more });
  for (let id = 1; id <= 250; id += 1) drafts.open(id);
  return drafts;
}

test("a draft is there after a reload, for its thread and admin alone", () => {
  const kept = storage();
  desk(kept).put(1, { body: "Xin chào", private: true });
  const again = desk(kept);
  assert.deepEqual(again.get(1), { body: "Xin chào", private: true });
  assert.deepEqual(again.get(2), { body: "", private: false });
  assert.equal(new Drafts({ storage: kept, adminId: 8, newId }).get(1).body, "");
});

test("an emptied draft leaves nothing behind", () => {
  const kept = storage();
  const drafts = desk(kept);
  drafts.put(1, { body: "a" });
  drafts.drop(1);
  assert.deepEqual(Object.keys(kept), []);
  assert.equal(drafts.get(1).body, "");
});

test("the suggestion in a draft stays with its text and goes with it", () => {
  const kept = storage();
  const drafts = desk(kept);
  drafts.put(1, { body: "It comes" });
  drafts.put(1, { suggestion: 7 });
  drafts.put(1, { body: "It comes tomorrow", seen: 3 });
  assert.equal(desk(kept).suggestionOf(1), 7);
  assert.equal(desk(kept).get(1).body, "It comes tomorrow");
  drafts.put(1, { body: "" });
  drafts.put(1, { body: "Something else" });
  assert.equal(drafts.suggestionOf(1), undefined);
  drafts.put(2, { body: "Hello", suggestion: 8 });
  drafts.drop(2);
  assert.equal(drafts.suggestionOf(2), undefined);
});

test("a sent note leaves the reply beside it a reply, with its suggestion; a sent reply takes its own along", () => {
  const kept = storage();
  const drafts = desk(kept);
  drafts.put(1, { body: "It comes" });
  drafts.put(1, { suggestion: 7, token: "of-reply", seen: 3 });
  drafts.put(1, { body: "Ask the depot", private: true, aside: "It comes", noteToken: "of-note" });
  assert.deepEqual([drafts.tokenOf(1, false), drafts.tokenOf(1, true)], ["of-reply", "of-note"]);
  drafts.drop(1);
  assert.deepEqual([drafts.tokenOf(1, false), drafts.tokenOf(1, true), drafts.seenOf(1)], ["of-reply", null, 3]);
  const again = desk(kept);
  assert.deepEqual([again.get(1), again.asideOf(1)], [{ body: "", private: true }, "It comes"]);
  assert.deepEqual(again.list.map((draft) => [draft.body, draft.private]), [["It comes", false]]);
  again.put(1, { body: "It comes", private: false, aside: "For us" });
  assert.equal(again.suggestionOf(1), 7);
  again.drop(1);
  assert.deepEqual(again.list.map((draft) => [draft.body, draft.private]), [["For us", true]]);
  assert.deepEqual([again.suggestionOf(1), again.tokenOf(1, false), again.seenOf(1)], [undefined, null, null]);
});

test("old drafts and those over the limit go, the latest stay", () => {
  const kept = storage();
  let now = 0;
  const drafts = desk(kept, { now: () => now });
  for (let id = 1; id <= 250; id += 1) {
    now = id;
    drafts.put(id, { body: "a" });
  }
  const later = desk(kept, { now: () => now });
  assert.equal(Object.keys(kept).length, 200);
  assert.equal(later.get(250).body, "a");
  assert.equal(later.get(1).body, "");
  assert.equal(desk(kept, { now: () => 1e12 }).get(250).body, "");
});

test("where storage is full or forbidden a draft lives as long as the page", () => {
  const broken = { getItem() { throw new Error(); }, setItem() { throw new Error(); } };
  const drafts = desk(broken);
  assert.equal(drafts.put(1, { body: "a" }), false);
  assert.equal(drafts.get(1).body, "a");
});

test("a reply and a note stand beside each other, and each is a draft", () => {
  const kept = storage();
  const drafts = desk(kept, { now: () => 5 });
  drafts.put(1, { body: "For the customer", private: false, aside: "For the team", seen: 10 });
  const again = desk(kept, { now: () => 5 });
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
  const drafts = desk(storage(), { now: () => now });
  drafts.put(1, { body: "a" });
  now = 2;
  drafts.put(2, { body: "b" });
  now = 3;
  drafts.put(1, { body: "a" });
  assert.deepEqual(drafts.list.map(({ threadId }) => threadId), [2, 1]);
});

test("what another window wrote or sent is known here, and is told", () => {
  const kept = storage();
  let told = 0;
  const here = desk(kept, { changed: () => { told += 1; } });
  const there = desk(kept);
  there.put(1, { body: "a" });
  const [key] = Object.keys(kept);
  here.taken(key);
  assert.deepEqual([here.has(1), here.get(1).body, here.otherOf(1).body], [true, "", "a"]);
  there.drop(1);
  here.taken(key);
  assert.deepEqual([here.has(1), told], [false, 2]);
  here.taken("lineup:draft:8:1:x");
  assert.equal(told, 2, "another admin's");
});

test("a draft of an earlier release, one for each thread, goes on", () => {
  const kept = storage();
  kept["lineup:draft:7:1"] = JSON.stringify({ body: "old", private: false, aside: "", seen: 4, files: [], at: 1 });
  const drafts = desk(kept, { now: () => 2 });
  assert.deepEqual([drafts.get(1).body, drafts.seenOf(1)], ["old", 4]);
  drafts.drop(1);
  assert.deepEqual(Object.keys(kept), []);
});

test("a draft that could not be kept is known as such until it can", () => {
  const full = { ...storage(), keys: () => [], setItem() { throw new Error(); }, removeItem() {} };
  const drafts = desk(full);
  drafts.put(1, { body: "a" });
  assert.equal(drafts.unsaved, true);
  drafts.drop(1);
  assert.equal(drafts.unsaved, false);
});

test("uploaded files are part of a draft, also without a text", () => {
  const kept = storage();
  const files = [{ id: "x", name: "a.pdf", type: "application/pdf", size: 3, private: true, at: 1 }];
  const drafts = desk(kept);
  drafts.put(1, { files });
  drafts.put(1, { body: "" });
  const again = desk(kept);
  assert.deepEqual(again.filesOf(1), files);
  assert.ok(again.has(1));
  assert.deepEqual(again.list.map(({ body, private: isPrivate }) => [body, isPrivate]), [["a.pdf", true]]);
  again.put(1, { files: [] });
  assert.deepEqual(Object.keys(kept), []);
});

// Windows of one browser that hear each other at once.
function windows(kept, count) {
  const all = Array.from({ length: count }, (_, at) => {
    const channel = { onmessage: null, postMessage: (data) => told.push({ data, channel }) };
    return { channel, drafts: new Drafts({ storage: kept, adminId: 7, newId, channel, clock: () => at }) };
  });
  const told = [];
  const hear = () => {
    for (const { data, channel } of told.splice(0)) {
      for (const other of all) if (other.channel !== channel) other.channel.onmessage({ data });
    }
    if (told.length) hear();
  };
  return [all.map(({ drafts }) => drafts), hear];
}

test("a draft is shown in all windows until something is typed in one, and is that window's then (E19)", () => {
  const kept = storage();
  desk(kept).put(1, { body: "a" });
  const [all, hear] = windows(kept, 3);
  const shown = () => all.map((drafts) => drafts.get(1).body);
  for (const drafts of all) drafts.open(1);
  hear();
  assert.deepEqual(shown(), ["a", "a", "a"]);
  all[1].claim(1);
  all[0].claim(1);
  hear();
  assert.deepEqual(shown(), ["a", "", ""], "the one that was first");
  assert.equal(all[1].otherOf(1).body, "a");
  all[1].open(1);
  assert.equal(all[1].get(1).body, "", "it is written in elsewhere");
  all[0].leave(1);
  hear();
  all[2].open(1);
  all[2].claim(1);
  hear();
  all[1].open(1);
  assert.deepEqual(shown(), ["", "", "a"]);
  all[2].page(false);
  hear();
  all[1].open(1);
  assert.equal(all[1].get(1).body, "a", "its page was closed");
});
