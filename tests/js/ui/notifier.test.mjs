// The rules in docs/requirements/notices.md under "In the page", without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Notifier, saying } from "../../../static/js/ui/shell/notifier.js";
import { settled, pageOf } from "../support.mjs";

const MINUTE_MS = 60_000;

// A window with its notifier, and what it does: toasts, sounds, notifications, requests.
function scene(t, {
  leads = true, looked = true, elsewhere = false, open = null, permission = "granted", memory = undefined,
} = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const made = {
    toasts: [], announced: [], chimes: 0, shown: [], asked: [], missed: [], quiet: false,
    time: 10 * MINUTE_MS, looked, painted: 0, thread: { id: open }, unread: [],
    prefs: {
      notify: { views: [], sound: true, desktop: true },
      kept: { notify_own: true, notify_text: true },
    },
  };
  made.heard = {};
  globalThis.addEventListener = (name, run) => { (made.heard[name] ??= []).push(run); };
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  globalThis.Notification = class {
    static permission = permission;
    static async requestPermission() {
      made.asked.push(["permission"]);
      return "granted";
    }

    constructor(title, { body, tag }) { made.shown.push([title, body, tag]); }
    close() {}
  };
  const tabs = {
    leads, get anyLookedAt() { return made.looked || elsewhere; }, isLookedAt: () => made.looked, tell() {},
    isThreadLookedAt: (id) => made.looked && id === made.thread.id,
  };
  made.notifier = new Notifier(pageOf({
    prefs: made.prefs, tabs, memory, now: () => made.time,
    language: { t: (key, { name, count } = {}) => [key, name ?? count].filter(Boolean).join(" ") },
    toasts: { show: (text, actions = []) => made.toasts.push([text, actions[0]?.run, actions[1]]) },
    thread: made.thread, painter: { ask() { made.painted += 1; } }, adminId: 7,
    lists: { list: { view: "arrival", sort: "arrival", filter: "all" }, sync: {} },
    announce: (text) => made.announced.push(text),
    alerts: {
      get quiet() { return made.quiet; }, chime: () => { made.chimes += 1; },
      mayNotify: async () => (await globalThis.Notification.requestPermission()) === "granted",
    },
    open: (id) => made.asked.push(["open", id]),
    navigation: {
      goView: (view) => made.asked.push(["view", view]), goList: () => made.asked.push(["own"]),
    },
    totals: { of: (view) => (view === "mentions" ? made.mentions : 1) }, icon: { dataset: {} },
    call: async (name, body) => {
      if (name === "list:open") return { ids: made.unread, rows: [] };
      if (name === "list:close") return {};
      made.asked.push([name, body.since]);
      return { notices: made.missed };
    },
  }));
  made.comes = () => {
    made.looked = true;
    made.heard.focus.forEach((run) => run());
  };
  made.pass = async (ms) => {
    made.time += ms;
    t.mock.timers.tick(ms);
    await settled();
  };
  return made;
}

const notice = (id, more = {}) => ({
  kind: "message", id, thread_id: id, at: id, customer: { id: `shop/c-${id}`, name: `C${id}` },
  by: null, text: "hello", ...more,
});

test("a window that is looked at shows a toast, which opens the thread", async (t) => {
  const made = scene(t);
  made.notifier.notice(notice(1));
  await made.pass(1000);
  assert.deepEqual(made.toasts.map(([text]) => text), ["notice.message C1"]);
  assert.deepEqual(made.announced, ["notice.message C1"]);
  made.toasts[0][1]();
  assert.deepEqual(made.asked, [["open", 1]]);
  assert.deepEqual(made.shown, [], "no notification of the system");
});

test("of more than three threads at once one toast says how many there are", async (t) => {
  const made = scene(t);
  for (const id of [1, 2, 3]) made.notifier.notice(notice(id));
  await made.pass(1000);
  assert.equal(made.toasts.length, 3);
  for (const id of [4, 5, 6, 7]) made.notifier.notice(notice(id, { kind: "mention" }));
  await made.pass(1000);
  assert.deepEqual(made.toasts.slice(3).map(([text]) => text), ["notice.many 4"]);
  assert.equal(made.announced.at(-1), "notice.many 4");
  made.toasts[3][1]();
  assert.deepEqual(made.asked, [["view", "mentions"]]);
});

test("where no window is looked at one of them shows the notification of the system", async (t) => {
  for (const [of, count] of [[{ looked: false }, 1], [{ looked: false, leads: false }, 0],
    [{ looked: false, elsewhere: true }, 0]]) {
    const made = scene(t, of);
    made.notifier.notice(notice(1));
    await made.pass(1000);
    assert.equal(made.shown.length, count);
    assert.equal(made.toasts.length, 0, "nobody would see it");
    t.mock.timers.reset();
  }
});

test("what came while nobody looked is told on return, once, in the window that is looked at", async (t) => {
  const made = scene(t, { looked: false, leads: false });
  made.notifier.notice(notice(1, { kind: "assigned", by: { id: 2, name: "Ken" } }));
  made.notifier.notice(notice(2));
  await made.pass(10 * MINUTE_MS);
  made.thread.id = 2; // it stands on the screen to which the admin comes back
  made.comes();
  await made.pass(1000);
  assert.deepEqual(made.toasts.map(([text]) => text), ["notice.assigned C1"]);
  made.comes();
  await made.pass(1000);
  assert.equal(made.toasts.length, 1);
  made.looked = false;
  made.notifier.notice(notice(3));
  made.notifier.toldElsewhere();
  made.comes();
  await made.pass(1000);
  assert.equal(made.toasts.length, 1, "another window has told it");
});

test("mentions, and what colleagues gave, are marked until they were read or opened", async (t) => {
  const made = scene(t, { leads: false });
  const { notifier } = made;
  const by = { id: 2, name: "Ken" };
  notifier.notice(notice(1, { kind: "assigned", by }));
  notifier.notice(notice(2, { kind: "assigned" }));
  notifier.notice(notice(3, { kind: "mention", by }));
  assert.deepEqual([1, 2, 3].map((id) => notifier.markOf(id)), ["given", "", "mention"]);
  assert.equal(notifier.given, 1);
  made.thread.id = 1;
  notifier.look();
  assert.equal(notifier.markOf(1), "");
  made.unread = [3, 9];
  made.mentions = 2;
  await notifier.counted();
  assert.deepEqual([3, 9].map((id) => notifier.markOf(id)), ["mention", "mention"]);
  made.mentions = 0;
  await notifier.counted();
  assert.deepEqual([3, 9].map((id) => notifier.markOf(id)), ["", ""]);
});

test("what colleagues gave is marked after a reload, too, until it is opened", (t) => {
  const kept = new Map();
  const memory = { read: (name) => kept.get(name) ?? null, write: (name, value) => kept.set(name, value) };
  const before = scene(t, { memory });
  for (const id of [1, 2]) before.notifier.notice(notice(id, { kind: "assigned", by: { id: 2, name: "Ken" } }));
  before.thread.id = 2;
  before.notifier.look();
  t.mock.timers.reset();
  const after = scene(t, { memory });
  assert.deepEqual([1, 2].map((id) => after.notifier.markOf(id)), ["given", ""]);
  assert.equal(after.painted, 1);
});

test("notifications are offered at the first notice from a colleague, once, and asked for by the press", async (t) => {
  const made = scene(t, { permission: "default" });
  made.prefs.notify.desktop = false;
  made.prefs.change = (changes) => Object.assign(made.prefs, changes);
  made.notifier.notice(notice(1));
  await made.pass(1000);
  assert.equal(made.toasts[0][2], undefined, "a customer's message is no such notice");
  for (const id of [2, 3]) {
    made.notifier.notice(notice(id, { kind: "mention", by: { id: 2, name: "Ken" } }));
    await made.pass(1000);
  }
  assert.deepEqual(made.toasts.map(([, , offer]) => offer?.text), [undefined, "notice.offer", undefined]);
  assert.deepEqual(made.asked, []);
  made.toasts[1][2].run();
  await settled();
  assert.deepEqual(made.asked, [["permission"]]);
  assert.equal(made.prefs.notify.desktop, true);
  assert.equal(made.toasts.at(-1)[0], "notice.allowed");
});

test("a notification replaces the one before, and is not shown to who wants none", async (t) => {
  const made = scene(t, { looked: false });
  made.notifier.notice(notice(1));
  await made.pass(100);
  made.notifier.notice(notice(2));
  await made.pass(100);
  assert.deepEqual(made.shown, [
    ["C1", "hello", "lineup"], ["notify.many 2", "C2: hello\nC1: hello", "lineup"],
  ]);
  made.prefs.notify.desktop = false;
  made.notifier.notice(notice(3));
  await made.pass(MINUTE_MS);
  assert.equal(made.shown.length, 2);
});

test("there is one sound for all that comes at about the same time, from one window", async (t) => {
  const made = scene(t, { looked: false });
  for (const id of [1, 2, 3]) made.notifier.notice(notice(id));
  await made.pass(1000);
  assert.equal(made.chimes, 1);
  t.mock.timers.reset();
  const other = scene(t, { leads: false });
  other.notifier.notice(notice(1));
  await other.pass(1000);
  assert.equal(other.chimes, 0);
});

test("nothing is told of a thread that is open, in dnd, and where that is off", async (t) => {
  const made = scene(t, { open: 1 });
  made.notifier.notice(notice(1));
  made.quiet = true;
  made.notifier.notice(notice(2));
  made.quiet = false;
  made.prefs.kept.notify_own = false;
  made.notifier.notice(notice(3));
  await made.pass(1000);
  assert.deepEqual([made.toasts, made.chimes], [[], 0]);
  made.notifier.notice(notice(4, { kind: "assigned" }));
  await made.pass(1000);
  assert.deepEqual([made.toasts.length, made.chimes], [1, 1], "of what is no message it is told");
});

test("after a lost connection it asks from a minute before on, for what is new", async (t) => {
  const made = scene(t);
  await made.notifier.connected();
  assert.deepEqual(made.asked, [], "nothing was missed yet");
  made.notifier.notice(notice(1));
  await made.pass(1000);
  const lost = made.time;
  made.notifier.disconnected();
  await made.pass(5000);
  made.notifier.disconnected();
  made.missed = [notice(1), notice(2)];
  await made.notifier.connected();
  assert.deepEqual(made.asked, [["notices:since", lost - MINUTE_MS]]);
  await made.pass(1000);
  assert.deepEqual(made.toasts.map(([text]) => text), ["notice.message C1", "notice.message C2"]);
  await made.notifier.connected();
  assert.equal(made.asked.length, 1, "it is asked once");
});

test("several entries say that customers wrote only where they did", () => {
  const t = /** @type {any} */ ((key, { count }) => `${key} ${count}`);
  const entry = (name, wrote) => ({ name, text: "hello", wrote });
  assert.equal(saying([entry("A", true), entry("B", true)], t).title, "notify.many 2");
  assert.equal(saying([entry("A", true), entry("B", false)], t).title, "notify.many.news 2");
});
