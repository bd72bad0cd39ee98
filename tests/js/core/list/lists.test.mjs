import assert from "node:assert/strict";
import { test } from "node:test";

import { Lists } from "../../../../static/js/core/list/lists.js";
import { Rows } from "../../../../static/js/core/list/rows.js";
import { Clock, LIMITS, ListServer, settled } from "../../support.mjs";

const place = (view) => ({ view, sort: "arrival", filter: "all" });

function desk(random = () => 0.5) {
  const clock = new Clock();
  const servers = { arrival: new ListServer([[1, 1], [2, 2]]), history: new ListServer([[3, 3]]) };
  const calls = [];
  const wanted = [];
  const rows = new Rows();
  const lists = new Lists({
    limits: LIMITS,
    call: async (name, given) => {
      calls.push([name, given]);
      if (name === "list:open") {
        const answer = servers[given.view].open(given.limit);
        return { ...answer, rows: answer.ids.map((id) => ({ id, rev: 1 })) };
      }
      return name === "list:sync" ? servers[given.view].sync(given) : {};
    },
    rows,
    fetcher: { want: (ids) => wanted.push(ids), forgetMissing() {} },
    mayMove: () => true,
    changed() {},
    now: clock.now,
    timers: clock,
    random,
  });
  return { clock, servers, calls, wanted, rows, lists };
}

test("another list is closed and kept; when it is shown again it is caught up", async () => {
  const { servers, lists, calls } = desk();
  lists.connected();
  lists.show(place("arrival"));
  await settled();
  const first = lists.current;
  lists.show(place("history"));
  await settled();
  servers.arrival.put(9, 0);
  lists.show(place("arrival"));
  assert.equal(lists.current, first);
  assert.equal(first.listing.painted.length, 2, "shown as it stood, at once");
  await settled();
  first.listing.commit();
  assert.equal(first.listing.painted.idAt(0), 9);
  assert.deepEqual(calls.map(([name]) => name), [
    "list:open", "list:close", "list:open", "list:close", "list:sync",
  ]);
});

test("frames of a list that is not shown are let pass", async () => {
  const { servers, lists } = desk();
  lists.connected();
  lists.show(place("arrival"));
  await settled();
  servers.arrival.put(9, 0);
  lists.frame({ ...place("history"), ...servers.arrival.frame(1) });
  assert.equal(lists.current.sync.order.version, 1);
  lists.frame({ ...place("arrival"), ...servers.arrival.frame(1) });
  assert.equal(lists.current.sync.order.version, 2);
});

test("the server hears which rows are on screen: once, and again after a reconnect", async () => {
  const { clock, lists, calls } = desk();
  const watches = () => calls.filter(([name]) => name === "threads:watch").map(([, given]) => given);
  lists.connected();
  lists.show(place("arrival"));
  await settled();
  lists.look([1, 5]);
  lists.look([1, 6]);
  await clock.turn(100);
  assert.deepEqual(watches(), [{ add: [6], del: [2] }], "list:open put 1 and 2 there");
  lists.disconnected();
  lists.connected();
  await clock.turn(100);
  assert.deepEqual(watches()[1], { add: [1, 6], del: [] });
});

test("while somebody scrolls the server hears once a second", async () => {
  const { clock, lists, calls } = desk();
  const watches = () => calls.filter(([name]) => name === "threads:watch");
  lists.connected();
  lists.show(place("arrival"));
  await settled();
  for (let id = 10; id < 30; id += 1) {
    lists.look([1, 2, id]);
    await clock.turn(100);
  }
  assert.equal(watches().length, 2, "in two seconds");
  await clock.turn(1000);
  assert.deepEqual(watches().at(-1)[1].add, [29], "the last one, too");
});

test("those whose list is moved by a frame do not call at once, but who scrolls does", async () => {
  const called = { 0: 40, 0.9: 40 };
  for (const random of [0, 0.9]) {
    const { clock, servers, lists, calls } = desk(() => random);
    const watched = () => calls.filter(([name]) => name === "threads:watch").map(([, given]) => given.add);
    lists.connected();
    lists.show(place("arrival"));
    await settled();
    lists.look([1, 2]);
    await clock.turn(3000);
    const moved = (id) => {
      servers.arrival.put(id, 0);
      lists.frame({ ...place("arrival"), ...servers.arrival.frame(servers.arrival.version - 1) });
      lists.look([1, 2, id]);
    };
    moved(8);
    await clock.turn(40);
    moved(9);
    while (!watched().length) {
      await clock.turn(10);
      called[random] += 10;
    }
    assert.deepEqual(watched(), [[9]]);
    await clock.turn(1000);
    moved(7);
    lists.look([1, 2, 6]);
    await clock.turn(100);
    assert.deepEqual(watched().at(-1), [6], "by the one who looks");
  }
  assert.deepEqual(called, { 0: 80, 0.9: 1880 });
});

test("rows that are on screen and missing or overtaken are fetched", async () => {
  const { lists, rows, wanted } = desk();
  lists.connected();
  lists.show(place("arrival"));
  await settled();
  rows.mark(1);
  lists.look([1, 2, 7]);
  assert.deepEqual(wanted.at(-1), [1, 7]);
});

test("a view that was edited is read anew, where it is shown and where it was kept", async () => {
  const { servers, lists, calls } = desk();
  servers.v1 = new ListServer([[1, 1]]);
  lists.connected();
  lists.show(place("v1"));
  await settled();
  servers.v1.scores.set(5, 0);
  lists.renew("v1");
  await settled();
  assert.deepEqual([...lists.sync.order.ids()], [5, 1]);
  assert.deepEqual(calls.map(([name]) => name), ["list:open", "list:open"]);
  lists.show(place("history"));
  lists.renew("v1");
  lists.renew("v2");
  await settled();
  lists.show(place("v1"));
  assert.equal(lists.listing.ready, false, "nothing of what it held is shown");
});

test("a deleted view that is shown is refused; another one is let pass", async () => {
  const { servers, lists } = desk();
  servers.v1 = new ListServer([[1, 1]]);
  lists.connected();
  lists.show(place("v1"));
  await settled();
  lists.gone({ ...place("v2"), problem: {} });
  assert.equal(lists.sync.state, "live");
  assert.equal(lists.isWithoutRows, false);
  lists.gone({ ...place("v1"), problem: { code: "not_found" } });
  assert.equal(lists.sync.state, "refused");
  assert.equal(lists.isWithoutRows, true, "its rows are not shown as if it were still there");
});
