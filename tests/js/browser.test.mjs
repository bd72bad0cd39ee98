import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import {
  askToNotify, channel, copied, keepsTexts, lead, notification, notificationPermission, onResize, randomId,
  storage, zones,
} from "../../static/js/browser.js";
import { SealedStorage } from "../../static/js/core/sealed-storage.js";
import { Drafts } from "../../static/js/core/thread/drafts.js";
import { deviceId } from "../../static/js/net/heartbeat.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const before = new Map();

// Gives the page this global instead of its own, until the test ends.
function set(name, value) {
  if (!before.has(name)) before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
  const given = typeof value === "function" && !value.prototype ? { get: value } : { value };
  Object.defineProperty(globalThis, name, { configurable: true, ...given });
}

afterEach(() => {
  for (const [name, descriptor] of before) {
    delete globalThis[name];
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  }
  before.clear();
});

const refuses = () => { throw new DOMException("no", "SecurityError"); };

test("ids are random UUIDs on plain http and without any crypto", () => {
  for (const crypto of [globalThis.crypto, { getRandomValues: (bytes) => bytes.fill(255) }, undefined]) {
    set("crypto", crypto);
    assert.match(randomId(), UUID);
  }
  assert.notEqual(randomId(), randomId());
});

test("storage that is forbidden, absent or full keeps nothing, and says so", async () => {
  const full = { getItem: () => null, removeItem: () => {}, setItem: refuses };
  for (const kept of [refuses, null, full]) {
    set("localStorage", kept);
    assert.equal(storage().getItem("a"), null);
    assert.throws(() => storage().setItem("a", "b"));
    assert.equal(keepsTexts(), false);
    assert.equal(deviceId(storage()), null);
  }
});

test("where nothing can be encrypted a draft is found until the page is closed, and counts as unsaved", async () => {
  const kept = {};
  const plain = { getItem: (key) => kept[key] ?? null, setItem: (key, text) => { kept[key] = text; }, removeItem: () => {} };
  const key = Buffer.alloc(64).toString("base64");
  const broken = { subtle: { importKey: async () => refuses() } };
  for (const crypto of [{}, { subtle: undefined }, broken]) {
    const sealed = await new SealedStorage({ storage: plain, prefix: "lineup:draft:7", key, crypto }).open();
    const drafts = new Drafts({ storage: sealed, adminId: 7, newId: randomId });
    assert.equal(drafts.put(1, { body: "Xin" }), false);
    assert.equal(drafts.get(1).body, "Xin");
    assert.equal(drafts.unsaved, true, "closing the page asks");
    assert.deepEqual(kept, {}, "what cannot be encrypted is not written");
  }
});

test("a page that gets no lock leads, and one that gets it later leads from then on", async () => {
  const led = [];
  const rejecting = { request: async () => refuses() };
  const throwing = { request: refuses };
  for (const navigator of [{}, { locks: rejecting }, { locks: throwing }, undefined]) {
    set("navigator", { value: navigator }.value);
    await lead("name", () => led.push("led"));
  }
  assert.equal(led.length, 4);
  let give;
  set("navigator", { locks: {
    request: async (name, how, run) => (run ? run(null) : new Promise((resolve) => { give = () => resolve(how({})); })),
  } });
  await lead("name", () => led.push("late"));
  assert.ok(!led.includes("late"));
  give();
  await new Promise((resolve) => { setImmediate(resolve); });
  assert.ok(led.includes("late"));
});

test("notifications and channels that are absent or refused are none", async () => {
  class Illegal {
    static get permission() { return "granted"; }
    constructor() { refuses(); }
    static requestPermission() { return refuses(); }
  }
  for (const [given, permission] of [[undefined, "denied"], [Illegal, "granted"]]) {
    set("Notification", given);
    assert.equal(notificationPermission(), permission);
    assert.equal(await askToNotify(), false);
    assert.equal(notification("title", {}), null);
  }
  for (const given of [undefined, Illegal]) {
    set("BroadcastChannel", given);
    assert.equal(channel("name"), null);
  }
});

test("what cannot be copied stays selected", async () => {
  const selected = [];
  set("getSelection", function select() { return { selectAllChildren: (element) => selected.push(element) }; });
  for (const [clipboard, command, result] of [
    [{ writeText: async () => {} }, refuses, true], [undefined, () => true, true],
    [{ writeText: async () => refuses() }, () => false, false], [undefined, refuses, false],
  ]) {
    set("navigator", { clipboard });
    set("document", { execCommand: command });
    assert.equal(await copied("text", "element"), result);
  }
  assert.equal(selected.length, 3);
});

test("sizes are looked at with the window's where they cannot be observed", () => {
  const heard = [];
  set("ResizeObserver", undefined);
  set("addEventListener", function listen(name, run) { heard.push([name, run]); });
  const look = () => {};
  onResize({}, look);
  assert.deepEqual(heard, [["resize", look]]);
});

test("a time zone is a name that a server knows, or one of its offset, or none", () => {
  const answers = (timeZone, minutes) => {
    class AnyDate extends Date { getTimezoneOffset() { return -minutes; } }
    set("Date", AnyDate);
    set("Intl", { ...Intl, DateTimeFormat: function format() { return { resolvedOptions: () => ({ timeZone }) }; } });
    return zones();
  };
  assert.deepEqual(answers("Asia/Tokyo", 540), ["Asia/Tokyo", "Etc/GMT-9"]);
  assert.deepEqual(answers("Etc/Unknown", 0), [null, null]);
  assert.deepEqual(answers("Etc/Unknown", -300), [null, "Etc/GMT+5"]);
  assert.deepEqual(answers("+05:30", 330), [null, null]);
  assert.deepEqual(answers(undefined, 420), [null, "Etc/GMT-7"]);
  assert.deepEqual(answers("UTC", 0), ["UTC", null]);
});
