import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { translator } from "../../../static/js/core/i18n.js";
import { linesOf } from "../../../static/js/settings/audit-entries.js";

const url = new URL("../../../static/i18n/settings/audit/en.json", import.meta.url);
const t = translator("en", JSON.parse(readFileSync(url, "utf8")));
const time = new Intl.DateTimeFormat("en", { timeStyle: "medium", timeZone: "UTC" });
const linesSaid = (data) => linesOf(data, t, time).map(({ name, text }) => `${name}: ${text}`);

test("a change says in words what was before and what is now", () => {
  assert.deepEqual(linesSaid({
    role: { from: "admin", to: "supervisor" }, desks: { from: [], to: ["main", "billing"] },
    first_reply: { from: 30, to: null },
  }), [
    "Role: from admin to supervisor", "Desks: from none to main, billing",
    "First reply (minutes): from 30 to none",
  ]);
});

test("values are shown as what they are", () => {
  assert.deepEqual(linesSaid({ handoff_only: true, rate_per_second: 1200, query: "", events: null }), [
    "Waits only after a hand-off: yes", "Events a second: 1,200", "Conditions: none", "Events: none",
  ]);
  assert.deepEqual(linesSaid({ since: 0, reason: "wrong_password" })[1], "Why: the password was wrong");
  assert.match(linesSaid({ since: 0 })[0], /^Since: 12:00:00/);
  assert.deepEqual(linesSaid({
    rules: [{ when: "", by: "recent_at" }, { when: "is:open", by: "due_at" }],
    week: { mon: [["09:00", "12:00"], ["13:00", "17:00"]], tue: [] }, timezone: "UTC",
  }), [
    "Rules: when: –, by: recent_at; when: is:open, by: due_at",
    "Week: mon: 09:00, 12:00; 13:00, 17:00, tue: –", "Time zone: UTC",
  ]);
});

test("what has no text, and a name that somebody gave, is shown as it is", () => {
  assert.deepEqual(linesSaid({ other: "x", title: "password", reason: "new_reason" }),
    ["other: x", "Title: password", "Why: new_reason"]);
  assert.deepEqual(linesSaid({ events: "all", owner: "desk:sales" }), ["Events: all", "For: desk:sales"]);
});

test("an object with other members is no change", () => {
  assert.deepEqual(linesSaid({ filters: { from: 5, to: 6, action: "key" } }),
    ["Filters: from: 5, to: 6, action: key"]);
});
