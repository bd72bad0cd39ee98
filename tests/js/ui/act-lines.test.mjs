import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LOCALES, translator } from "../../../static/js/core/i18n.js";
import { timeWords } from "../../../static/js/core/time.js";
import { actLine } from "../../../static/js/ui/thread/act-line.js";
import { ColleagueActions } from "../../../static/js/ui/thread/actions.js";
import { pageOf } from "../support.mjs";

const now = Date.UTC(2026, 10, 24, 12);
const morning = Date.UTC(2026, 10, 25, 9);
const ana = { id: 3, name: "Ana" };
const texts = (locale) => JSON.parse(
  readFileSync(new URL(`../../../static/i18n/${locale}.json`, import.meta.url), "utf8"),
);
const given = (locale = "en", region = "en-GB") => ({
  t: translator(locale, texts(locale)), words: timeWords(region), adminId: 7, now,
});
// The text of the line, without its time.
const said = (act, locale) => actLine({ id: 1, at: now, by: null, ...act }, given(locale)).values[2];

test("the conversation says until when, why it woke, and what was due", () => {
  const snoozed = { type: "thread.snoozed", by: ana, until: morning };
  assert.equal(said({ ...snoozed, wake: "reply" }), "Ana snoozed the thread until Wed 09:00");
  assert.equal(said({ ...snoozed, by: { id: 7, name: "Me" }, wake: "never" }),
    "You snoozed the thread until Wed 09:00 · also if the customer writes");
  const woken = (reason, by = null) => said({ type: "thread.woken", reason, by });
  assert.deepEqual([woken("time"), woken("reply"), woken("admin", ana)],
    ["Woken: the time had come", "Woken by the customer’s message", "Ana woke the thread"]);
  const due = { type: "thread.due", due_at: morning, policy: "VIP {name}", target: "first_reply" };
  assert.equal(said(due), "Late: the first answer was due at Wed 09:00 (VIP {name})");
  assert.equal(said({ type: "thread.due", due_at: morning }), "Late: an answer was due at Wed 09:00");
  assert.equal(said({ type: "thread.snoozed", by: ana }), "Ana undid the last change");
  for (const locale of LOCALES) assert.match(said({ ...snoozed, wake: "reply" }, locale), /Ana/);
});

test("the conversation says which tags the thread got and lost", () => {
  const tagged = (more, by = ana) => said({ type: "thread.tags_changed", by, ...more });
  assert.equal(tagged({ added: ["refund", "vip"] }), "Ana added tags: refund, vip");
  assert.equal(tagged({ removed: ["vip"] }, null), "The chatbot removed tags: vip");
  assert.equal(tagged({ added: ["a"], removed: ["b"] }), "Ana added tags: a; removed: b");
  assert.equal(tagged({}), "Ana undid the last change");
  for (const locale of LOCALES) {
    assert.match(said({ type: "thread.tags_changed", by: ana, added: ["đổi-trả"] }, locale), /Ana.*đổi-trả/);
  }
});

test("a colleague's snooze is told, what time did is not", () => {
  const told = [];
  const { t, words } = given();
  const actions = new ColleagueActions(pageOf({
    alerts: { quiet: false }, toasts: { show: (text) => told.push(text) }, language: { t, words },
    adminId: 7, now: () => now,
  }));
  actions.show({ type: "thread.snoozed", by: ana, until: morning });
  actions.show({ type: "thread.woken", by: null, reason: "time" });
  actions.show({ type: "thread.due", by: null, due_at: now });
  actions.show({ type: "thread.snoozed", by: ana });
  actions.show({ type: "thread.closed", by: null });
  actions.show({ type: "thread.tags_changed", by: ana, added: ["vip"] });
  actions.show({ type: "thread.tags_changed", by: ana });
  assert.deepEqual(told, [
    "Ana snoozed this thread until Wed 09:00.", "The chatbot closed this thread.", "Ana tagged this thread: vip",
  ]);
});

test("each act has a line that says who did what, in each language", () => {
  const mai = { id: 7, name: "Mai" };
  const ken = { id: 4, name: "Ken" };
  const ACTS = [
    [{ type: "thread.assigned", assignee: ana }, "Ana took the thread"],
    [{ type: "thread.assigned", assignee: ken }, "Ana gave the thread to Ken"],
    [{ type: "thread.assigned", assignee: mai }, "Ana gave the thread to you"],
    [{ type: "thread.released", assignee: null }, "Ana gave the thread back"],
    [{ type: "thread.closed" }, "Ana closed the thread"],
    [{ type: "thread.reopened" }, "Ana reopened the thread"],
    [{ type: "thread.priority_changed", priority: "high" }, "Ana set the priority to High"],
    [{ type: "thread.desk_changed", desk: "sales" }, "Ana moved the thread to the desk sales"],
    [{ type: "thread.tags_changed", added: ["vip"] }, "Ana added tags: vip"],
    [{ type: "thread.snoozed", until: morning, wake: "reply" }, "Ana snoozed the thread until Wed 09:00"],
    [{ type: "thread.woken", reason: "admin" }, "Ana woke the thread"],
  ];
  for (const [act, text] of ACTS) assert.equal(said({ ...act, by: ana }), text);
  assert.equal(said({ type: "thread.reopened", cause: "message" }), "Reopened by the customer’s message");
  assert.equal(said({ type: "thread.reopened", cause: "handoff" }), "Reopened: the chatbot handed the thread over");
  for (const locale of LOCALES) {
    for (const [act] of ACTS) {
      const line = said({ ...act, by: ana }, locale);
      assert.match(line, /Ana/, `${locale}: ${act.type}`);
      assert.doesNotMatch(line, /did\.|[{}]/, `${locale}: ${act.type}`);
    }
  }
});

test("what went back to a queue names the admin who had it, and the reason, in each language (Q76)", () => {
  const sue = { id: 2, name: "Sue" };
  const back = (returned, by = null) => ({
    type: "thread.released", queue: { id: 1, name: "VIPs" }, returned, by, assignee: null, previous: ana,
  });
  const ACTS = [back("not_taken"), back("offline"), back("released", ana), back("released", sue)];
  for (const locale of LOCALES) {
    for (const act of ACTS) {
      const line = said({ ...act, note: "Speaks {Dutch}" }, locale);
      for (const part of ["Ana", "VIPs", "Speaks {Dutch}"]) assert.ok(line.includes(part), `${locale}: ${line}`);
    }
    assert.match(said(ACTS[3], locale), /Sue/);
  }
  assert.equal(said({ type: "thread.released", by: ana, previous: ana, note: "Home time" }),
    "Ana gave the thread back · “Home time”");
});
