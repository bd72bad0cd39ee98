import assert from "node:assert/strict";
import { test } from "node:test";

import { empty } from "../../../static/js/ui/list/empty.js";
import { about } from "../../../static/js/ui/list/header.js";
import { savedViews as navViews } from "../../../static/js/ui/shell/nav.js";
import { Navigation } from "../../../static/js/ui/shell/navigation.js";
import { CHOICES, pageOf } from "../support.mjs";

const t = Object.assign(
  (key, values = {}) => [key, ...Object.values(values)].join(" "), { number: String, named: (_, name) => name },
);
const VIEW = { id: "v1", name: "VIPs", query: "member:0,1", sort: "priority", owner: "me", total: 4 };

// The text of a template, and its functions in their order.
function read(value, found = { text: "", acts: [] }) {
  if (typeof value === "function") found.acts.push(value);
  else if (Array.isArray(value)) for (const each of value) read(each, found);
  else if (value?.strings) {
    value.strings.forEach((text, index) => {
      found.text += text;
      read(value.values[index], found);
    });
  } else if (value?.values) value.values[0].forEach((each) => read(value.values[2](each), found)); // `repeat`
  else if (["string", "number"].includes(typeof value)) found.text += value;
  return found;
}

function parts({ list = {}, sync = {}, views = [], last, role = "admin", ready = false } = {}) {
  const done = [];
  const note = (name) => (...given) => done.push([name, ...given]);
  return {
    done,
    lists: {
      list: { view: "v1", sort: "priority", ...list },
      listing: { ready, painted: { total: 0 } },
      sync: { state: "live", problem: null, building: null, ...sync },
    },
    savedViews: { list: views, of: (id) => views.find((view) => view.id === id), last: () => last },
    totals: { of: (id) => (id === "v1" ? 12 : undefined) },
    viewDrag: { id: null }, openSettings: note("manage"),
    navigation: { goView: note("goView"), openQuery: note("openQuery") },
    search: { open: note("search") }, viewEditor: { open: note("edit") },
    admin: { role }, language: { t },
  };
}

test("a deleted view says so, and offers its threads and a way back", () => {
  const all = parts({ sync: { state: "refused", problem: { problem: { code: "not_found" } } }, last: VIEW });
  const { text, acts } = read(empty(pageOf(all)));
  assert.match(text, /view\.gone VIPs/);
  acts.forEach((act) => act());
  assert.deepEqual(all.done, [["openQuery", "member:0,1"], ["goView", "not_respond"]]);
  const unknown = parts({ sync: { state: "refused", problem: { problem: { code: "not_found" } } } });
  assert.match(read(empty(pageOf(unknown))).text, /view\.none/);
});

test("an empty list says so in one sentence, with one act where there is one", () => {
  for (const [list, views, title, done] of [
    [{ view: "mine" }, [], "empty.mine", [["goView", "unassigned"]]],
    [{ view: "not_respond" }, [], "empty.not_respond", []],
    [{ view: "query", query: "tag:x" }, [], "empty.query", [["search", "tag:x"]]],
    [{ view: "v1" }, [VIEW], "empty.saved", [["edit", { id: "v1" }]]],
  ]) {
    const all = parts({ list, views, ready: true });
    const { text, acts } = read(empty(pageOf(all)));
    assert.match(text, new RegExp(`<p class="empty-title">${title}</p>`));
    assert.equal(text.match(/<p[ >]/g).length, 1 + done.length, "no more sentences");
    acts.forEach((act) => act());
    assert.deepEqual(all.done, done);
  }
});

test("a query with a mistake says which, and is edited where it was written", () => {
  const problem = { code: "invalid_query", detail: "no" };
  const all = parts({
    list: { view: "query", query: "is:" }, sync: { state: "refused", problem: { problem } },
  });
  const { text, acts } = read(empty(pageOf(all)));
  assert.match(text, /query\.refused/);
  acts[0]();
  assert.deepEqual(all.done, [["search", "is:"]]);
  const saved = parts({ sync: { state: "refused", problem: { problem } }, views: [VIEW] });
  read(empty(pageOf(saved))).acts[0]();
  assert.deepEqual(saved.done, [["edit", { id: "v1" }]]);
});

test("a list that is being built says how far it is; an empty view has words of its own", () => {
  assert.match(read(empty(pageOf(parts({ sync: { state: "building", building: 0.4 } })))).text, /building.*0\.4/s);
  assert.match(read(empty(pageOf(parts({ ready: true })))).text, /empty\.saved/);
  assert.match(read(empty(pageOf(parts({ ready: true, list: { view: "query", query: "is:open" } })))).text, /empty\.query/);
  assert.match(read(empty(pageOf(parts({ ready: true, list: { view: "mine" } })))).text, /empty\.mine/);
});

test("below the header stands what a view or a query asks for, and how it is saved", () => {
  const all = parts({ list: { view: "query", query: "is:open" } });
  const { text, acts } = read(about(pageOf(all)));
  assert.match(text, /is:open/);
  acts.forEach((act) => act());
  assert.deepEqual(all.done, [["search", "is:open"], ["edit", { query: "is:open", sort: "priority" }]]);
  const shared = { ...VIEW, owner: "all" };
  assert.match(read(about(pageOf(parts({ views: [VIEW] })))).text, /view\.edit/);
  assert.doesNotMatch(read(about(pageOf(parts({ views: [shared] })))).text, /view\.edit/);
  assert.match(read(about(pageOf(parts({ views: [shared], role: "supervisor" })))).text, /view\.edit/);
  assert.match(read(about(pageOf(parts({ views: [{ ...VIEW, query: "" }] })))).text, /query\.all/);
  assert.equal(about(pageOf(parts({ list: { view: "arrival" } }))), "");
});

test("the left column has each saved view with its count, the live one before the first one read", () => {
  const { text } = read(navViews(pageOf(parts({ views: [VIEW, { ...VIEW, id: "v2", name: "B", total: 7 }] }))));
  assert.match(text, /VIPs, 12/);
  assert.match(text, /B, 7/);
  assert.match(read(navViews(pageOf(parts()))).text, /views\.manage/);
});

function navigation(list = { view: "arrival", sort: "arrival" }, settings = { part: null }) {
  const kept = [];
  const told = [];
  const looked = []; // the places for which the open thread was looked for
  const prefs = {
    kept: {}, place: "not_respond", sortOf: () => "longest_wait",
    keep: (at) => kept.push(at), keepSaved: (at, ownSort) => kept.push({ ...at, ownSort }),
  };
  const lists = { current: {}, list, listing: {}, show(other) { lists.list = other; } };
  const nothing = new Proxy(() => {}, { get: () => nothing, apply: () => undefined });
  const past = { shown: [], open() { past.shown.push(made.at); }, close() { past.shown.push(null); } };
  const made = new Navigation(pageOf({
    lists, settings, thread: { id: null, close() {} }, prefs, toasts: { show: (text) => told.push(text) },
    picks: nothing, hold: nothing, layout: {}, search: { shown: false }, painter: nothing,
    language: { t }, announce() {}, alerts: { write() {} }, finder: { showInList() {}, leave: () => looked.push(lists.list.view) }, choices: CHOICES,
    neighbours: nothing, history: past, savedViews: { list: [VIEW], of: (id) => (id === "v1" ? VIEW : undefined), last: () => VIEW },
  }));
  return { made, lists, kept, prefs, told, looked, past };
}

test("a saved view opens in its own sort; queries keep theirs, and are not remembered", () => {
  globalThis.location = { pathname: "/", hash: "" };
  const moves = [];
  globalThis.history = {
    pushState: (_, __, hash) => moves.push(["push", hash]),
    replaceState: (_, __, hash) => moves.push(["replace", hash]),
  };
  const { made, lists, kept, looked } = navigation();
  assert.equal(made.goSaved(2), false);
  made.goSaved(1);
  assert.equal(lists.list.sort, "priority");
  made.openQuery("  is:open ", { replace: true });
  assert.deepEqual(lists.list, { view: "query", query: "is:open", sort: "arrival" });
  made.goSort("longest_wait");
  made.openQuery("is:open lang:vi", { replace: true });
  assert.equal(lists.list.sort, "longest_wait");
  assert.equal(made.openQuery(" "), false);
  assert.equal(made.openQuery("is:open lang:vi"), false, "it is shown already");
  made.goView("history");
  assert.deepEqual(kept, [
    { view: "v1", sort: "priority", ownSort: "priority" },
    { view: "history", sort: "longest_wait" },
  ]);
  assert.deepEqual(moves.map(([how]) => how), ["push", "push", "push", "replace", "push"]);
  assert.deepEqual(looked, ["v1", "history"], "conditions that are typed close no conversation");
});

test("settings that cover the desk are left for a list that one chooses, and stay while a list changes by itself", () => {
  globalThis.location = { pathname: "/settings/views", hash: "" };
  const moves = [];
  globalThis.history = { pushState: (_, __, address) => moves.push(address), replaceState: () => assert.fail() };
  const left = [];
  const part = { shown: true, close(then) { left.push(then); } };
  const { made, lists } = navigation(undefined, { part });
  made.follow("longest_wait");
  made.instead("not_respond");
  assert.deepEqual([lists.list.view, left.length, moves], ["not_respond", 0, []]);
  made.goView("history");
  assert.deepEqual([lists.list.view, left.length], ["not_respond", 1], "one may have to be asked first");
  part.shown = false;
  left[0]();
  assert.deepEqual([lists.list.view, moves], ["history", ["/#/history/longest_wait"]]);
});

test("the page begins with the saved view that was open last, or says that it was deleted", () => {
  const { made, lists, prefs, told } = navigation();
  prefs.kept.saved = { view: "v1" };
  made.goTo("", { deep: true });
  assert.deepEqual(lists.list, { view: "v1", sort: "priority" }, "in its own sort");
  prefs.kept.saved = { view: "v1", sort: "arrival" };
  made.goTo("", { deep: true });
  assert.deepEqual(lists.list, { view: "v1", sort: "arrival" });
  prefs.kept.saved = { view: "v2" };
  made.goTo("#/history/arrival", { deep: true });
  assert.deepEqual(told, [], "the address says where to go");
  made.goTo("", { deep: true });
  assert.equal(lists.list.view, "not_respond");
  assert.match(told.join(), /view\.lost/);
});

test("a moment of a list has its own entry in the history; the next moment replaces it, another list leaves it", () => {
  globalThis.location = { pathname: "/", hash: "" };
  const moves = [];
  const go = (kind) => (_, __, address) => {
    moves.push([kind, address]);
    location.hash = address.slice(1);
  };
  globalThis.history = { pushState: go("push"), replaceState: go("replace") };
  const { made, past } = navigation();
  const [one, two] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  const address = (day) => `/#/arrival/arrival?at=2026-01-0${day}T00%3A00%3A00.000Z`;
  made.goPast(one);
  made.goPast(two, true);
  made.span = "week";
  made.goPast(two, true);
  made.goTo(address(1).slice(1), { deep: false });
  made.goView("arrival"); // the same list, live
  made.goPast(one);
  made.follow("priority"); // the list changes below, by itself
  made.goView("mine");
  assert.deepEqual(past.shown, [one, two, two, one, null, one, null]);
  const live = ["/#/arrival/longest_wait", "/#/mine/longest_wait"];
  assert.deepEqual(moves.map(([kind]) => kind), ["push", "replace", "replace", "push", "push", "replace", "push"]);
  const [first, second, third, fourth] = moves.map(([, to]) => to);
  assert.deepEqual([first, second, third], [address(1), address(2), `${address(2)}&span=week`]);
  assert.deepEqual([fourth, moves.at(-1)[1]], live);
  made.goTo(`${address(1).slice(1)}&span=day`, { deep: false });
  assert.equal(made.span, "day");
});
