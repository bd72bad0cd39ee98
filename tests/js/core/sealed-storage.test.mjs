import assert from "node:assert/strict";
import { test } from "node:test";

import { randomId as newId } from "../../../static/js/browser.js";
import { SealedStorage } from "../../../static/js/core/sealed-storage.js";
import { Drafts } from "../../../static/js/core/thread/drafts.js";

// A key of 32 equal bytes, behind as many of a mask.
const keyOf = (byte, mask) => Buffer.concat([Buffer.alloc(32, mask), Buffer.alloc(32, byte ^ mask)])
  .toString("base64");
const KEY = keyOf(1, 0);
const OTHER_KEY = keyOf(2, 0);

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

const open = (kept, { key = KEY, prefix = "lineup:draft:7" } = {}) => new SealedStorage({
  storage: kept, prefix, key,
}).open();

test("what is kept shows nothing of the text, and is there after a reload (H26)", async () => {
  const kept = storage();
  (await open(kept)).setItem("lineup:draft:7:1", "Xin chào, Mai");
  assert.deepEqual(Object.keys(kept), ["lineup:draft:7:1"]);
  assert.ok(!/Xin|Mai/.test(kept["lineup:draft:7:1"] + atob(kept["lineup:draft:7:1"].slice(2))));
  const again = await open(kept);
  assert.equal(again.getItem("lineup:draft:7:1"), "Xin chào, Mai");
  assert.deepEqual(again.keys(), ["lineup:draft:7:1"]);
});

test("a key is the same behind any mask", async () => {
  const kept = storage();
  (await open(kept)).setItem("lineup:draft:7:1", "kept");
  assert.equal((await open(kept, { key: keyOf(1, 77) })).getItem("lineup:draft:7:1"), "kept");
});

test("another admin's key opens nothing, and leaves it to its owner (H26)", async () => {
  const kept = storage();
  (await open(kept)).setItem("lineup:draft:7:1", "secret");
  const other = await open(kept, { key: OTHER_KEY });
  assert.equal(other.getItem("lineup:draft:7:1"), null);
  assert.deepEqual((await open(kept, { prefix: "lineup:draft:71" })).keys(), []);
  assert.equal((await open(kept)).getItem("lineup:draft:7:1"), "secret");
});

test("no text is so short that another key opens it (H26)", async () => {
  const kept = storage();
  const sealed = await open(kept);
  for (let number = 0; number < 300; number += 1) sealed.setItem(`lineup:draft:7:${number}`, "");
  assert.deepEqual((await open(kept, { key: OTHER_KEY })).keys(), []);
  assert.equal((await open(kept)).keys().length, 300);
});

test("where nothing can be encrypted nothing is kept (H26)", async () => {
  const kept = storage();
  const crypto = /** @type {any} */ ({});
  const parts = { storage: kept, prefix: "lineup:draft:7", key: KEY, crypto };
  const sealed = await new SealedStorage(parts).open();
  assert.throws(() => sealed.setItem("lineup:draft:7:1", "secret"));
  assert.equal(sealed.getItem("lineup:draft:7:1"), "secret");
  assert.deepEqual(Object.keys(kept), []);
});

// The blocks of the key stream that sealed a text: [nonce, first, end].
function blocksOf(kept) {
  const bytes = Buffer.from(kept.slice(2), "base64");
  const first = bytes.readBigUInt64BE(8);
  return [bytes.toString("hex", 0, 8), first, first + BigInt(Math.ceil((bytes.length - 16) / 16))];
}

test("many texts are sealed at once, each with bytes of its own, and can be read (E18)", async () => {
  const kept = storage();
  const sealed = await open(kept);
  const texts = Array.from({ length: 60 }, (_, number) => `${number} ${"ữ".repeat(number)}`);
  texts.forEach((text, number) => sealed.setItem(`lineup:draft:7:${number}`, text));
  assert.equal(Object.keys(kept).length, 60, "nothing waits that a page which is closed would lose");
  const again = await open(kept);
  texts.forEach((text, number) => assert.equal(again.getItem(`lineup:draft:7:${number}`), text));
  const used = Object.values(kept).map(blocksOf);
  for (const [at, [nonce, first, end]] of used.entries()) {
    const others = used.filter(([other], place) => place !== at && other === nonce);
    assert.ok(others.every(([, from, until]) => until <= first || from >= end), `${at}`);
  }
});

test("what another window changed without an event is found by asking (E18)", async () => {
  const kept = storage();
  const [one, other] = [await open(kept), await open(kept)];
  one.setItem("lineup:draft:7:1", "a");
  one.setItem("lineup:draft:7:2", "b");
  assert.equal(other.isCurrent("lineup:draft:7:1"), false);
  assert.deepEqual((await other.refresh()).sort(), ["lineup:draft:7:1", "lineup:draft:7:2"]);
  assert.deepEqual([other.getItem("lineup:draft:7:1"), other.isCurrent("lineup:draft:7:1")], ["a", true]);
  one.removeItem("lineup:draft:7:1");
  one.setItem("lineup:draft:7:2", "c");
  assert.equal((await other.refresh()).length, 2);
  assert.deepEqual([other.getItem("lineup:draft:7:1"), other.getItem("lineup:draft:7:2")], [null, "c"]);
  assert.deepEqual(await other.refresh(), []);
});

test("a text that is longer than the prepared bytes is sealed, too", async () => {
  const kept = storage();
  const sealed = await open(kept);
  const text = "ữ".repeat(100_000);
  sealed.setItem("lineup:draft:7:1", text);
  for (let tries = 0; tries < 100 && !kept["lineup:draft:7:1"]; tries += 1) {
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  assert.equal((await open(kept)).getItem("lineup:draft:7:1"), text);
});

test("what an earlier release kept in the clear is read and sealed", async () => {
  const kept = storage();
  kept["lineup:draft:7:1"] = '{"body":"old"}';
  const sealed = await open(kept);
  assert.equal(sealed.getItem("lineup:draft:7:1"), '{"body":"old"}');
  await new Promise((resolve) => { setTimeout(resolve, 20); });
  assert.ok(!kept["lineup:draft:7:1"].includes("old"));
});

test("what another window writes or removes is known here", async () => {
  const kept = storage();
  const [one, other] = [await open(kept), await open(kept)];
  one.setItem("lineup:draft:7:1", "a");
  await other.take("lineup:draft:7:1", kept["lineup:draft:7:1"]);
  assert.equal(other.getItem("lineup:draft:7:1"), "a");
  await other.take("lineup:draft:7:1", null);
  assert.equal(other.getItem("lineup:draft:7:1"), null);
  await other.take("lineup:draft:71:1", kept["lineup:draft:7:1"]);
  assert.deepEqual(other.keys(), [], "of another admin");
});

test("where storage is forbidden texts live as long as the page", async () => {
  const broken = { getItem() { throw new Error(); }, setItem() { throw new Error(); } };
  const drafts = new Drafts({ storage: await open(broken), adminId: 7, newId });
  assert.equal(drafts.put(1, { body: "a" }), false);
  assert.equal(drafts.get(1).body, "a");
});

test("drafts are kept in it like in any storage", async () => {
  const kept = storage();
  new Drafts({ storage: await open(kept), adminId: 7, newId }).put(1, { body: "Xin chào", private: true });
  const again = new Drafts({ storage: await open(kept), adminId: 7, newId });
  again.open(1);
  assert.deepEqual(again.get(1), { body: "Xin chào", private: true });
});
