import assert from "node:assert/strict";
import { test } from "node:test";

import {
  compared, editedRule, moved, nameFor, ruleOf, rulesOf, zoneWith,
} from "../../../../static/js/core/query/sort-rules.js";
import { Sorts, sortsOf as sortsOfView } from "../../../../static/js/core/query/sorts.js";
import { chooseZone } from "../../../../static/js/core/time.js";
import { Clock } from "../../support.mjs";

test("days in rules are those of the sort, and the first one of whoever writes it", () => {
  const [days, none] = [[{ when: "is:open closed:2026-11-20" }], [{ when: "is:open" }]];
  chooseZone("Pacific/Kiritimati");
  try {
    assert.equal(zoneWith({ rules: days, timezone: "Asia/Tokyo" }, days), "Asia/Tokyo");
    assert.equal(zoneWith({ rules: days, timezone: "Asia/Tokyo" }, none), "Asia/Tokyo");
    assert.equal(zoneWith({ rules: none, timezone: "UTC" }, days), "Pacific/Kiritimati");
    assert.equal(zoneWith({ rules: none, timezone: "UTC" }, none), undefined);
    assert.equal(zoneWith({}, days), "Pacific/Kiritimati");
  } finally {
    chooseZone(null);
  }
});

const sort = (name, title = name, changed_at = 1) => ({
  name, title, changed_at, rules: [{ when: "", by: "recent_at", order: "newest" }],
});

function sortsOf(answers) {
  const timers = new Clock();
  const titles = new Map();
  const changes = [];
  const sorts = new Sorts({
    builtIn: ["arrival", "priority"], timers,
    ask: async () => answers.shift()(),
    named: (name, title) => titles.set(name, title),
    changed: (found) => changes.push(...found.map(({ was, now }) => [was?.title, now?.title])),
  });
  return { sorts, timers, titles, changes };
}

test("saved sorts stand behind the built-in ones, and each change of one is told once", async () => {
  const answers = [["vip", "VIP"], ["vip", "VIPs"], ["vip", "VIPs"]].map(([name, title]) => () => ({
    sorts: [sort("arrival"), sort(name, title), sort("b")],
  }));
  const { sorts, titles, changes } = sortsOf([...answers, () => ({ sorts: [sort("vip", "VIPs", 2)] })]);
  for (let left = 4; left > 0; left -= 1) await sorts.load();
  assert.deepEqual(sorts.names, ["arrival", "priority", "vip"]);
  assert.equal(titles.get("vip"), "VIPs");
  assert.deepEqual(changes, [
    [undefined, "VIP"], [undefined, "b"], ["VIP", "VIPs"], ["VIPs", "VIPs"], ["b", undefined],
  ]);
});

test("without an answer they stay, and are asked for again", async () => {
  const { sorts, timers } = sortsOf([
    () => ({ sorts: [sort("vip")] }), () => { throw new Error("away"); }, () => ({ sorts: [] }),
  ]);
  await sorts.load();
  await sorts.load();
  assert.deepEqual(sorts.names.at(-1), "vip");
  await timers.turn(60_000);
  assert.deepEqual(sorts.names, ["arrival", "priority"]);
});

test("rules are moved, and sent as they are written", () => {
  const rules = ["a", "b", "c"].map((when) => editedRule({ when, split: when === "b" ? "member" : null }));
  assert.deepEqual(moved(rules, 0, 2).map(({ when }) => when), ["b", "c", "a"]);
  assert.deepEqual(moved(rules, 2, -5).map(({ when }) => when), ["c", "a", "b"]);
  assert.deepEqual(rulesOf(rules.slice(0, 2)), [
    { when: "a", by: "recent_at", order: "newest" },
    { when: "b", by: "recent_at", order: "newest", split: "member" },
  ]);
});

test("a new sort gets a name of its title that no other one has", () => {
  assert.equal(nameFor("VIPs first!", []), "vips_first");
  assert.equal(nameFor("Đợi lâu nhất", ["doi_lau_nhat"]), "doi_lau_nhat_2");
  assert.equal(nameFor("待ち時間", ["sort"]), "sort_2");
  assert.equal(nameFor("1st", []), "sort_1st");
  assert.match(nameFor("x".repeat(90), []), /^x{1,32}$/);
});

test("a refusal belongs to a rule, or to the sort", () => {
  const at = (pointer) => ruleOf({ errors: [{ pointer }] });
  assert.deepEqual(at("/rules/2/when"), { rule: 2, member: "when" });
  assert.deepEqual(at("/rules/0"), { rule: 0, member: "" });
  assert.equal(at("/title"), null);
  assert.equal(ruleOf(null), null);
});

test("before and after stand side by side, with who has moved", () => {
  assert.deepEqual(compared([1, 2, 3], [3, 2, 9]), [
    { was: 1, id: 3, up: 2 }, { was: 2, id: 2, up: 0 }, { was: 3, id: 9, up: null },
  ]);
});

test("the sort by the end of snoozes is for views in which something may be snoozed", () => {
  const names = ["arrival", "soonest", "vip"];
  assert.deepEqual(sortsOfView("snoozed", names), names);
  assert.deepEqual(sortsOfView("v17", names), names);
  assert.deepEqual(sortsOfView("arrival", names), ["arrival", "vip"]);
});
