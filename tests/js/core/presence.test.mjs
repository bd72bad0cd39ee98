import assert from "node:assert/strict";
import { test } from "node:test";

import { dotOf, Presence, seenAge } from "../../../static/js/core/presence.js";
import { Clock } from "../support.mjs";

const MINUTE = 60_000;
const state = (given = {}) => ({
  status: "offline", last_seen: null, devices: [], text: "", activity: "", at: 0, v: 1, ...given,
});

function desk() {
  const clock = new Clock();
  const calls = [];
  const answers = {};
  const presence = new Presence({
    adminId: 7,
    watchMax: 500,
    changed: () => {},
    now: clock.now,
    timers: clock,
    call: async (name, data) => {
      calls.push([name, data]);
      if (answers.fail) throw new Error("away");
      return { presence: Object.fromEntries(data.add.map((id) => [id, state(answers[id])])) };
    },
  });
  return { clock, calls, answers, presence };
}

test("a dot ages by time alone, and only that of who is gone (R38)", () => {
  const gone = state({ last_seen: 0 });
  assert.equal(dotOf(gone, 5 * MINUTE - 1), "lately");
  assert.equal(dotOf(gone, 5 * MINUTE), "offline");
  assert.equal(dotOf(state(), 0), "offline");
  assert.equal(dotOf(undefined, 0), "offline");
  for (const status of ["online", "away", "busy", "dnd"]) {
    assert.equal(dotOf(state({ status, last_seen: 0 }), 100 * MINUTE), status);
  }
});

test("last seen is said in the largest unit, and never lies in the future (R58, B23, T32)", () => {
  const said = (passed, given) => seenAge(state({ last_seen: 1e12, ...given }), 1e12 + passed);
  assert.deepEqual(said(-5), { unit: "now", count: 0 });
  assert.deepEqual(said(59_999), { unit: "now", count: 0 });
  assert.deepEqual(said(MINUTE), { unit: "minutes", count: 1 });
  assert.deepEqual(said(59 * MINUTE), { unit: "minutes", count: 59 });
  assert.deepEqual(said(60 * MINUTE), { unit: "hours", count: 1 });
  assert.deepEqual(said(50 * 60 * MINUTE), { unit: "days", count: 2 });
  assert.deepEqual(said(0, { status: "busy" }), { unit: "active", count: 0 });
  assert.deepEqual(seenAge(state(), 5), { unit: "unknown", count: 0 });
  assert.deepEqual(seenAge(undefined, 5), { unit: "pending", count: 0 }, "not said before it is known");
});

test("those wanted for any reason are watched, those wanted for none no more", async () => {
  const { clock, calls, presence, answers } = desk();
  answers["shop/a"] = { status: "online" };
  presence.want("customer", "rows", ["shop/a", "shop/b", "shop/a"]);
  await clock.turn(1000);
  assert.deepEqual(calls, []);
  presence.connected();
  await clock.turn(100);
  assert.deepEqual(calls.splice(0), [
    ["presence:watch", { kind: "customer", add: ["shop/a", "shop/b"], del: [] }],
    ["presence:watch", { kind: "admin", add: ["7"], del: [] }],
  ]);
  assert.equal(presence.dot("customer", "shop/a"), "online");
  presence.want("customer", "rows", ["shop/b"]);
  presence.want("admin", "team", [3]);
  await clock.turn(100);
  assert.deepEqual(calls.splice(0), [
    ["presence:watch", { kind: "customer", add: [], del: ["shop/a"] }],
    ["presence:watch", { kind: "admin", add: ["3"], del: [] }],
  ]);
  assert.equal(presence.of("customer", "shop/a"), undefined);
  presence.disconnected();
  presence.connected();
  await clock.turn(100);
  assert.equal(calls.length, 2);
});

test("an update counts only if it is newer and about somebody watched", async () => {
  const { clock, presence, answers } = desk();
  answers["shop/a"] = { status: "online", v: 5 };
  presence.want("customer", "rows", ["shop/a"]);
  presence.connected();
  await clock.turn(100);
  const update = (id, given) => presence.update({ kind: "customer", presence: { [id]: state(given) } });
  update("shop/a", { status: "dnd", v: 5 });
  update("shop/x", { status: "dnd", v: 9 });
  assert.equal(presence.dot("customer", "shop/a"), "online");
  assert.equal(presence.of("customer", "shop/x"), undefined);
  update("shop/a", { status: "away", v: 6 });
  assert.equal(presence.dot("customer", "shop/a"), "away");
});

test("without a connection the dots stay as they were, and a failed call is made again", async () => {
  const { clock, calls, presence, answers } = desk();
  answers["shop/a"] = { status: "online" };
  presence.want("customer", "rows", ["shop/a"]);
  presence.connected();
  await clock.turn(100);
  presence.disconnected();
  assert.equal(presence.dot("customer", "shop/a"), "online");
  answers.fail = true;
  presence.connected();
  await clock.turn(100);
  answers.fail = false;
  presence.want("customer", "rows", ["shop/a", "shop/b"]);
  await clock.turn(100);
  assert.deepEqual(calls.at(-2)[1].add, ["shop/a", "shop/b"]);
});

test("do not disturb holds here wherever one set it, and as long as it is so", async () => {
  const { clock, presence, answers } = desk();
  const set = (status, v) => presence.update({ kind: "admin", presence: { 7: state({ status, v }) } });
  assert.equal(presence.doNotDisturb, false);
  answers[7] = { status: "dnd", v: 3 };
  presence.connected();
  await clock.turn(100);
  assert.equal(presence.doNotDisturb, true);
  presence.disconnected();
  assert.equal(presence.doNotDisturb, true);
  presence.want("admin", "team", [7, 8]);
  presence.want("admin", "team", []);
  await clock.turn(100);
  set("busy", 4);
  assert.equal(presence.doNotDisturb, false);
  set("dnd", 5);
  assert.equal(presence.doNotDisturb, true);
});

test("of a thread one sees the others, and what is off screen is forgotten", () => {
  const { presence } = desk();
  const viewers = [{ id: 7, name: "I" }, { id: 8, name: "Mai" }];
  presence.viewers({ thread_id: 1, version: 1, viewers });
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  assert.deepEqual(presence.others(1), [{ id: 8, name: "Mai" }]);
  assert.equal(presence.isTyping(1), true);
  presence.onScreen([2]);
  assert.deepEqual([presence.others(1), presence.isTyping(1)], [[], false]);
});

const mai = (mode) => ({ id: 3, name: "Mai", mode, since: 0 });

test("typing that the server does not repeat ends by itself, of customers and colleagues (H12)", async () => {
  const { clock, presence } = desk();
  presence.connected();
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  presence.viewers({ thread_id: 1, viewers: [mai("typing")] });
  await clock.turn(6000);
  assert.ok(presence.isTyping(1));
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  await clock.turn(7000);
  assert.ok(presence.isTyping(1));
  assert.deepEqual(presence.others(1).map(({ mode }) => mode), ["editing"]);
  await clock.turn(1000);
  assert.ok(!presence.isTyping(1));
});

test("what time alone changes is painted when it changes (H12, case B10)", async () => {
  const clock = new Clock();
  const intervals = [];
  let painted = 0;
  const presence = new Presence({
    adminId: 7, watchMax: 500, changed: () => { painted += 1; }, now: clock.now,
    timers: { ...clock, setInterval: (run, ms) => intervals.push([run, ms]) },
    call: async () => ({ presence: {} }),
  });
  const paintings = async (ms) => {
    painted = 0;
    await clock.turn(ms);
    return painted;
  };
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  assert.deepEqual([await paintings(7500), await paintings(1)], [0, 1]);
  presence.viewers({ thread_id: 1, viewers: [mai("typing")] });
  assert.deepEqual([await paintings(7500), await paintings(1)], [0, 1]);
  presence.viewers({ thread_id: 1, viewers: [mai("viewing")] });
  assert.equal(await paintings(10_000), 0);
  const [[age, ms]] = intervals;
  age();
  assert.deepEqual([painted, ms], [1, 10_000]);
});

test("of a thread that went to a desk that is not seen nobody is there any more", () => {
  const { presence } = desk();
  presence.connected();
  for (const id of [1, 2]) presence.viewers({ thread_id: id, viewers: [mai("typing")] });
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  presence.gone(1);
  assert.deepEqual([presence.others(1), presence.isTyping(1)], [[], false]);
  assert.equal(presence.others(2).length, 1);
});

test("after a reconnection only who is named again is still there (H12)", async () => {
  const { clock, presence } = desk();
  presence.connected();
  presence.typing({ thread_id: 1, customers: ["shop/a"] });
  for (const id of [1, 2]) presence.viewers({ thread_id: id, viewers: [mai("viewing")] });
  presence.disconnected();
  await clock.turn(1000);
  presence.connected();
  assert.ok(!presence.isTyping(1));
  presence.viewers({ thread_id: 2, viewers: [mai("viewing")] });
  await clock.turn(3000);
  assert.equal(presence.others(1).length, 0);
  assert.equal(presence.others(2).length, 1);
});

test("without a connection who was in a thread is forgotten after a minute (H12)", async () => {
  const { clock, presence } = desk();
  presence.connected();
  presence.viewers({ thread_id: 1, viewers: [mai("viewing")] });
  presence.disconnected();
  await clock.turn(59_000);
  assert.equal(presence.others(1).length, 1);
  await clock.turn(1001);
  assert.equal(presence.others(1).length, 0);
});

test("customers share what colleagues leave of the people that may be watched", async () => {
  const { clock, calls, presence } = desk();
  presence.want("customer", "rows", Array.from({ length: 500 }, (_, id) => `shop/${id}`));
  presence.connected();
  await clock.turn(100);
  assert.equal(calls.splice(0).reduce((sum, [, { add }]) => sum + add.length, 0), 500);
  presence.want("admin", "team", [1, 2, 3]);
  await clock.turn(100);
  assert.deepEqual(calls.map(([, { kind, add, del }]) => [kind, add.length, del.length]),
    [["customer", 0, 3], ["admin", 3, 0]]);
});

test("a watch that failed is made again by itself", async () => {
  const { clock, calls, presence, answers } = desk();
  presence.connected();
  answers.fail = true;
  await clock.turn(100);
  answers.fail = false;
  calls.length = 0;
  await clock.turn(6000);
  assert.deepEqual(calls.map(([, { add }]) => add), [["7"]]);
});
