import assert from "node:assert/strict";
import { test } from "node:test";

import { deskOf, mayEdit, ownersOf, SavedViews } from "../../../../static/js/core/list/saved-views.js";
import { Totals } from "../../../../static/js/core/totals.js";
import { Clock, settled } from "../../support.mjs";

const view = (id, more = {}) => ({
  id, name: `View ${id}`, query: "is:open", sort: "arrival", owner: "me", ...more,
});

function desk(views) {
  const clock = new Clock();
  const server = { views, asked: 0, fails: null, orders: [], held: null };
  const heard = { changes: [], names: new Map(), refused: [] };
  const saved = new SavedViews({
    builtIn: ["arrival", "history"],
    ask: async () => {
      server.asked += 1;
      const { views: now, fails } = server;
      if (server.held) await server.held;
      if (fails) throw fails;
      return { views: now };
    },
    send: async (ids) => {
      if (server.fails) throw server.fails;
      server.orders.push(ids);
      server.views = ids.map((id) => server.views.find((each) => each.id === id));
    },
    named: (id, name) => heard.names.set(id, name),
    changed: (changes) => heard.changes.push(changes),
    refused: (error) => heard.refused.push(error),
    timers: clock,
    random: () => 0,
  });
  saved.take(views);
  heard.changes.length = 0;
  return { clock, server, saved, heard };
}

const ids = (saved) => saved.list.map(({ id }) => id);

const builtIn = (id) => view(id, { owner: "built-in" });

test("the server's own views are no saved ones, and each saved one is given its name", () => {
  const { saved, heard } = desk([builtIn("history"), view("v1"), builtIn("arrival"), view("v2")]);
  assert.deepEqual(ids(saved), ["v1", "v2"]);
  saved.take([view("v2")]);
  assert.equal(heard.names.get("v2"), "View v2");
});

test("what was added, edited and deleted is told; a deleted view is remembered", async () => {
  const { server, saved, heard } = desk([view("v1"), view("v2")]);
  server.views = [view("v1", { query: "is:closed" }), view("v3")];
  await saved.load();
  assert.deepEqual(heard.changes, [[
    { was: view("v1"), now: view("v1", { query: "is:closed" }) },
    { was: undefined, now: view("v3") },
    { was: view("v2"), now: undefined },
  ]]);
  assert.equal(saved.of("v2"), undefined);
  assert.equal(saved.last("v2").name, "View v2");
});

test("another total or another reading of the same views is no change", async () => {
  const { server, saved, heard } = desk([view("v1", { total: 3 })]);
  server.views = [view("v1", { total: 4 })];
  await saved.load();
  assert.deepEqual(heard.changes, [[]]);
  assert.equal(saved.of("v1").total, 4);
});

test("changes that come while the views are read are one more reading", async () => {
  const { server, saved } = desk([view("v1")]);
  let letGo;
  server.held = new Promise((resolve) => { letGo = resolve; });
  const first = saved.load();
  server.views = [view("v1", { name: "New" })];
  saved.load();
  saved.load();
  letGo();
  await first;
  assert.equal(server.asked, 2);
  assert.equal(saved.of("v1").name, "New");
});

test("a reading that failed is repeated; one that was refused is not", async () => {
  const { clock, server, saved } = desk([view("v1")]);
  server.fails = Object.assign(new Error("away"), { status: 503 });
  await saved.load();
  server.fails = null;
  server.views = [];
  await clock.turn(60_000);
  assert.deepEqual(ids(saved), []);
  server.fails = Object.assign(new Error("no"), { status: 403 });
  await saved.load();
  const { asked } = server;
  await clock.turn(600_000);
  assert.equal(server.asked, asked);
});

test("what is moved stays moved, is sent once, and survives a reading before that", async () => {
  const { clock, server, saved } = desk([view("v1"), view("v2"), view("v3")]);
  assert.equal(saved.move("v3", 0), true);
  assert.equal(saved.move("v3", 1), true);
  assert.equal(saved.move("v3", 1), false, "it is there already");
  assert.equal(saved.move("v9", 0), false, "there is none");
  server.views = [...server.views, view("v4")];
  await saved.load();
  assert.deepEqual(ids(saved), ["v1", "v3", "v2", "v4"], "a new one comes last");
  await clock.turn(1000);
  assert.deepEqual(server.orders, [["v1", "v3", "v2", "v4"]]);
  saved.move("v1", 99);
  assert.deepEqual(ids(saved).at(-1), "v1");
});

test("built-in views stay at their places where saved ones are moved", async () => {
  const { clock, server, saved } = desk([
    builtIn("history"), view("v1"), builtIn("arrival"), view("v2"), view("v3"),
  ]);
  saved.move("v3", 0);
  await clock.turn(1000);
  saved.put(view("v4"));
  saved.move("v4", 0);
  saved.drop("v1");
  await clock.turn(1000);
  assert.deepEqual(server.orders, [
    ["history", "v3", "arrival", "v1", "v2"], ["history", "v4", "arrival", "v3", "v2", "v1"],
  ]);
});

test("what is moved before the first reading keeps the places of all other views, too", async () => {
  const { clock, server, saved } = desk([view("v1"), view("v2")]); // as they come with the page
  server.views = [builtIn("history"), view("v1"), view("v2"), builtIn("arrival"), view("v3")];
  saved.move("v2", 0);
  await clock.turn(1000);
  assert.deepEqual(server.orders, [["history", "v2", "v1", "arrival", "v3"]]);
});

test("an order that was refused is told, and the server's is shown again", async () => {
  const { clock, server, saved, heard } = desk([view("v1"), view("v2")]);
  saved.move("v2", 0);
  server.fails = Object.assign(new Error("no"), { status: 422 });
  await clock.turn(500);
  assert.equal(heard.refused.length, 1);
  server.fails = null;
  await saved.load();
  await settled();
  assert.deepEqual(ids(saved), ["v1", "v2"]);
});

test("what was saved or deleted here is there at once, as one's own change", () => {
  const { saved, heard } = desk([view("v1", { total: 5 })]);
  saved.put(view("v1", { name: "Renamed" }));
  saved.put(view("v2"));
  saved.drop("v1");
  saved.drop("v1");
  assert.deepEqual(ids(saved), ["v2"]);
  assert.deepEqual(heard.changes.flat().map(({ was, now, own }) => [was?.name, now?.name, own]), [
    ["View v1", "Renamed", true], [undefined, "View v2", true], ["Renamed", undefined, true],
  ]);
});

test("what is read while a view is saved here may be older, and is read again", async () => {
  const { server, saved } = desk([view("v1")]);
  let letGo;
  server.held = new Promise((resolve) => { letGo = resolve; });
  const reading = saved.load();
  saved.put(view("v2"));
  server.views = [view("v1"), view("v2")];
  letGo();
  await reading;
  assert.deepEqual(ids(saved), ["v1", "v2"]);
  assert.equal(server.asked, 2);
});

test("one's own views are edited by oneself, those of everybody by supervisors", () => {
  assert.equal(mayEdit(view("v1", { owner: "desk:main" }), { role: "admin" }), false);
  assert.equal(mayEdit(view("v1"), { role: "admin" }), true);
  assert.equal(mayEdit(view("v1", { owner: "all" }), { role: "admin" }), false);
  assert.equal(mayEdit(view("v1", { owner: "all" }), { role: "supervisor" }), true);
});

test("totals of saved views are merged", () => {
  const totals = new Totals();
  totals.take({ filter: "all", arrival: 7, not_respond: 3, history: 0 });
  totals.takeOthers({ v1: 4, v2: 2 });
  totals.takeOthers({ v1: 5, v2: null });
  assert.equal(totals.of("v1"), 5);
  assert.equal(totals.of("v2"), undefined, "it is being built");
  assert.equal(totals.of("arrival"), 7);
});

test("a supervisor gives a view to a desk where there are several, or where it has one already", () => {
  assert.deepEqual(ownersOf(["main", "vip"], "me"), ["me", "desk:main", "desk:vip", "all"]);
  assert.deepEqual(ownersOf(["main", "vip"], "desk:vip"), ["me", "desk:main", "desk:vip", "all"]);
  assert.deepEqual(ownersOf(["main"], "all"), ["me", "all"]);
  assert.deepEqual(ownersOf([], "desk:vip"), ["me", "desk:vip", "all"], "the desks are not loaded");
  assert.deepEqual(["me", "desk:vip", "all"].map(deskOf), ["", "vip", ""]);
});
