import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { matching } from "../../../static/js/core/find.js";
import { Keymap } from "../../../static/js/core/keymap.js";
import { Sorts, sortsOf } from "../../../static/js/core/query/sorts.js";
import { format, parse } from "../../../static/js/core/route.js";
import { commands, sortChoice } from "../../../static/js/ui/dialogs/palette.js";
import { header } from "../../../static/js/ui/list/header.js";
import { RowLook } from "../../../static/js/ui/list/row-look.js";
import { CHOICES, pageOf } from "../support.mjs";

// A sort that no script names, as a new declaration in scoring/sorts.py would bring it.
const choices = { ...CHOICES, sorts: [...CHOICES.sorts, "vip"] };
const keymap = new Keymap(choices);
const t = Object.assign((key) => `<${key}>`, { number: String });
const nothing = new Proxy({}, { get: () => () => nothing });

function sortsWith(names) {
  const made = new Sorts({ builtIn: CHOICES.sorts, ask: async () => {}, named() {}, changed() {}, choose() {} });
  made.take(names.map((name) => ({ name, title: name })));
  return made;
}

function parts(navigation) {
  const list = { view: "arrival", sort: "vip" };
  const listing = { ready: false, news: new Set() };
  return {
    lists: { list, listing, sync: { state: "live", syncedAt: null } },
    totals: { of: () => undefined },
    picks: { size: 0 },
    hold: { state: () => "live" },
    thread: { row: undefined },
    threadPane: {},
    connection: { connected: true },
    liveness: { silentSince: null }, connectionState: { online: true, lateSince: null },
    admin: { role: "admin" },
    language: { t, words: {} },
    now: () => 0,
    sorts: sortsWith([]), openSettings: nothing,
    savedViews: { list: [] }, settingsPages: [], viewDrag: {}, viewEditor: nothing,
    movement: nothing, settings: nothing, density: nothing, finder: nothing, search: nothing,
    navigation, choices, keymap,
  };
}

// All that a template says, in order; `found` collects its functions.
function textOf(value, found = []) {
  if (typeof value === "function") found.push(value);
  if (Array.isArray(value)) return value.map((each) => textOf(each, found)).join("");
  if (!value?.strings) return typeof value === "string" ? value : "";
  return value.strings.map((text, index) => text + textOf(value.values[index], found)).join("");
}

test("a sort that the server adds is in the menu of the list and in the palette", () => {
  const chosen = [];
  const all = parts({ goSort: (sort) => chosen.push(sort) });
  assert.match(textOf(header(pageOf(all))), /<sort\.vip><\/span>/);
  assert.match(textOf(header(pageOf(all))), /<sort\.vip><\/span>\s*<kbd>s v</);
  const command = commands(pageOf(all)).find(({ text }) => text === "<sort>: <sort.vip>");
  assert.equal(command.keys, "s v");
  command.run();
  assert.deepEqual(chosen, ["vip"]);
});

test("it has a key of its own, which the help shows", () => {
  const nowhere = { field: false, control: false };
  assert.equal(keymap.press({ key: "s" }, nowhere, 0), null);
  assert.equal(keymap.press({ key: "v" }, nowhere, 1), "sort:vip");
  assert.deepEqual(keymap.helpOf("list").find(([, verb]) => verb === "sort:vip"), [["s v"], "sort:vip"]);
});

test("each command of the palette has an icon that the page draws", () => {
  const drawn = readFileSync(new URL("../../../templates/icons.svg", import.meta.url), "utf8");
  const all = parts(nothing);
  const row = { open: true, assignee: null };
  const found = { shown: true, step() {} };
  const composer = { canSend: true, sendText: () => "send" };
  Object.assign(all, {
    admin: { id: 1, role: "supervisor" }, thread: { row }, threadPane: { part: { found, composer } },
    savedViews: { list: [{ id: "v1", name: "Mine", owner: "me" }, { id: "v2", name: "All", owner: "all" }] },
  });
  all.lists.list.query = "is:open";
  all.settingsPages = ["profile", "views", "desks", "audit"];
  const made = commands(pageOf(all));
  for (const name of ["profile", "desks", "audit"]) {
    assert.ok(made.some(({ text }) => text === `<settings.${name}>`), `the page ${name}`);
  }
  assert.ok(made.length > 50);
  for (const { text, icon } of made) {
    const [name] = icon?.values ?? [];
    assert.ok(name && drawn.includes(`id="icon-${name}"`), `${text}: ${name}`);
  }
  const groups = made.map(({ group }) => group);
  assert.deepEqual(
    groups.filter((group, at) => group !== groups[at - 1]),
    ["<help.thread>", "<help.go>", "<help.list>", "<help.page>", "<settings>"], "each group stands together",
  );
});

test("it stands in the address", () => {
  const place = { view: "arrival", sort: "vip", thread: null };
  assert.deepEqual(parse(format(place), choices), { ...place, query: null, filter: null, at: null, span: null });
  assert.equal(parse("#/arrival/vip", CHOICES).sort, null);
});

test("rows show a wait of less than a minute in the sorts that go by the wait", () => {
  const look = (sort) => new RowLook(pageOf({
    lists: { list: { view: "arrival", sort } }, language: { t }, sortsByWait: ["vip"],
  })).at(0);
  assert.equal(look("vip").byWait, true);
  assert.equal(look("arrival").byWait, false);
});

test("many saved sorts are found by name among all, where the current one is marked", () => {
  const names = Array.from({ length: 100 }, (_, at) => `vip${at}`);
  const chosen = [];
  const all = parts({ goSort: (sort) => chosen.push(sort) });
  all.choices = { ...CHOICES, sorts: [...CHOICES.sorts, ...names] };
  all.sorts = sortsWith(names);
  all.lists.list.sort = "vip7";
  const shown = textOf(header(pageOf(all)));
  assert.match(shown, /<sort\.vip7>/);
  assert.doesNotMatch(shown, /<sort\.vip8>/);
  assert.match(shown, /<sorts\.choose>/);
  const entries = sortChoice(pageOf(all)).entries();
  assert.equal(entries.length, sortsOf("arrival", CHOICES.sorts).length + 100);
  assert.deepEqual(entries.filter(({ isCurrent }) => isCurrent).map(({ text }) => text), ["<sort.vip7>"]);
  matching(entries, "vip99")[0].run();
  assert.deepEqual(chosen, ["vip99"]);
});
