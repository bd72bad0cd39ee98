import assert from "node:assert/strict";
import { test } from "node:test";

import {
  daysIn, divisionsOf, fitting, fromAddress, isAtMoment, isOfNow, isTimed, lacking, listOf, METRIC_GROUPS, notAddingUp, requestsOf, rowsIn, rowsOf, rowsRequest, spansOf, stepOf,
  stepsOf, timeOf, toAddress,
} from "../../../../static/js/core/reports/state.js";
import { seeded } from "../../support.mjs";

const ZONE = "Asia/Ho_Chi_Minh";
const METRICS = Object.values(METRIC_GROUPS).flatMap((group) => Object.keys(group));
const of = (changes = {}) => fitting({ ...fromAddress("", ZONE), ...changes });
const at = (text) => Date.parse(text);

test("every state comes back from its address, and the threads of a number with it", () => {
  const { one, below } = seeded(3);
  for (let turn = 0; turn < 500; turn += 1) {
    const metric = one(METRICS);
    const state = fitting({
      metric, by: one(["", ...divisionsOf(metric)]), span: one(spansOf(metric)), view: one(["", "arrival", "v17", "query"]), from: "2026-11-02", to: "2026-11-08",
      step: one(["", "hour", "day", "week"]), timezone: one(["UTC", ZONE, "America/New_York"]),
      query: one(["", "tag:vip desk:main", "lang:vi & \"quý\" +1"]), hours: one(["clock", "opening"]), shown: one(["p50", "p90", "p99"]),
    });
    const rows = one([null, rowsOf({ from: 5, to: 6 + below(9) }), rowsOf({ from: 0, to: 9 }, { part: one(["", "vip", "12"]) }),
      rowsOf({ from: 1, to: 2 }, { least: 60_000, below: one([null, 120_000]) })]);
    const address = toAddress(state, rows);
    assert.deepEqual(fromAddress(address, "UTC"), state, address);
    assert.deepEqual(rowsIn(address), rows, address);
  }
});

test("what an address does not know has its default", () => {
  const state = fromAddress("?metric=nothing&by=hour&span=1y&step=minute&timezone=Mars/Base&hours=night&shown=p42&from=today", ZONE);
  assert.deepEqual(state, { ...fromAddress("", ZONE), by: "hour" });
  assert.equal(rowsIn("?rows=9-5"), null);
  assert.equal(rowsIn("?rows=a-b"), null);
  assert.equal(rowsIn("?rows=5-5"), null);
  assert.equal(fromAddress("?metric=online&by=tag", ZONE).by, "");
  assert.equal(fromAddress("?query=%20tag:vip%20", ZONE).query, "tag:vip");
  for (const view of ["../v1", "v0", "V17"]) assert.equal(fromAddress(`?metric=length&view=${view}`, ZONE).view, "not_respond", view);
});

test("what does not go with a metric or a time is left out", () => {
  assert.equal(of({ metric: "online", by: "tag" }).by, "");
  assert.equal(of({ metric: "online", query: "tag:vip" }).query, "");
  assert.equal(of({ metric: "new", span: "90d", step: "hour" }).step, "");
  assert.equal(of({ metric: "new", span: "today", step: "week" }).step, "");
  assert.equal(of({ span: "7d", from: "2026-11-02", to: "2026-11-03" }).from, "");
});

test("a time begins with a day of its zone, and ends now or with a day", () => {
  const now = at("2026-11-25T20:30:00Z"); // the 26th in Ho Chi Minh City
  assert.deepEqual(timeOf(of({ span: "today" }), now), { from: at("2026-11-26T00:00:00+07:00"), to: now });
  assert.deepEqual(timeOf(of({ span: "7d" }), now), { from: at("2026-11-20T00:00:00+07:00"), to: now });
  const own = { span: "own", from: "2026-03-29", to: "2026-03-29", timezone: "Europe/Berlin" };
  assert.deepEqual(timeOf(of(own), now), { from: at("2026-03-29T00:00:00+01:00"), to: at("2026-03-30T00:00:00+02:00") });
  assert.equal(timeOf(of({ ...own, to: "2026-03-28" }), now), null);
  assert.equal(timeOf(of({ ...own, to: "" }), now), null);
});

test("steps suit the time, and never are more than the server gives", () => {
  assert.equal(stepOf(of({ span: "today" })), "hour");
  assert.equal(stepOf(of({ span: "90d" })), "day");
  assert.equal(stepOf(of({ span: "own", from: "2025-01-01", to: "2026-11-30" })), "week");
  assert.equal(stepOf(of({ span: "own", from: "2026-11-02", to: "2026-11-03" })), "hour");
  assert.deepEqual(stepsOf(of({ span: "today" })), ["hour"]);
  assert.deepEqual(stepsOf(of({ span: "7d" })), ["hour", "day"]);
  assert.deepEqual(stepsOf(of({ span: "90d" })), ["day", "week"]);
  assert.ok(!stepsOf(of({ span: "own", from: "2022-01-01", to: "2026-11-30" })).includes("day"));
});

test("steps and parts are asked for together where the server gives both, else apart", () => {
  const time = { from: 0, to: 3_600_000 };
  for (const metric of METRICS) {
    for (const by of divisionsOf(metric)) {
      const { steps, parts } = requestsOf(of({ metric, by }), time);
      const isTogether = by !== "hour" && !["first_reply", "next_reply", "close_time", "queue_time", "handled"].includes(metric);
      assert.equal(parts === null, isTogether, `${metric} ${by}`);
      assert.ok(isTogether ? steps.by === by && steps.step : parts.by === by && !parts.step && !steps.by, `${metric} ${by}`);
    }
  }
  const { steps } = requestsOf(of({ query: "tag:vip", hours: "opening" }), time);
  assert.deepEqual(steps, {
    metric: "first_reply", timezone: ZONE, from: "1970-01-01T00:00:00.000Z", to: "1970-01-01T01:00:00.000Z", query: "tag:vip",
    hours: "opening", step: "day",
  });
});

test("the threads of a number are those of its time, its part and its bounds", () => {
  const state = of({ metric: "first_reply", by: "tag" });
  const rows = rowsOf({ from: 0, to: 3_600_000 }, { part: "", least: 60_000 });
  const asked = rowsRequest(state, rows);
  assert.equal(asked.by, "tag");
  assert.equal(asked.part, "");
  assert.equal(asked.least, "60000");
  assert.ok(!("below" in asked) && !("step" in asked));
  assert.ok(!("by" in rowsRequest(state, rowsOf({ from: 0, to: 1 }))));
});

test("parts that do not add up say why", () => {
  assert.equal(notAddingUp(of({ metric: "new", by: "tag" })), "tag");
  assert.equal(notAddingUp(of({ metric: "new", by: "view" })), "view");
  assert.equal(notAddingUp(of({ metric: "new", by: "desk" })), "");
  assert.equal(notAddingUp(of({ metric: "first_reply", by: "desk" })), "durations");
  assert.equal(notAddingUp(of({ metric: "handled", by: "admin" })), "threads");
  assert.equal(notAddingUp(of({ metric: "first_reply", by: "hour" })), "");
});

test("a list of those who waited has the same threads, or is not offered", () => {
  const queryOf = (changes, part) => listOf(of({ metric: "waiting", ...changes }), part)?.query;
  assert.deepEqual(listOf(of({ metric: "waiting" }), null), { view: "query", query: "is:waiting", sort: "longest_wait" });
  assert.equal(queryOf({ by: "hour" }, "30"), "is:waiting");
  assert.equal(queryOf({ by: "tag", query: "a or b" }, "vip"), "is:waiting tag:vip (a or b)");
  assert.equal(queryOf({ by: "tag" }, "two words"), undefined);
  assert.equal(queryOf({ by: "admin" }, "3"), undefined);
  assert.deepEqual(listOf(of({ metric: "length", view: "v17" }), null), { view: "v17", sort: "arrival" });
  assert.deepEqual(listOf(of({ metric: "length", query: "is:open" }), null), { view: "query", query: "is:open", sort: "arrival" });
});

test("the length of a list is that of a view or of a query, over a month at most", () => {
  const state = of({ metric: "length", by: "tag", span: "90d" });
  assert.deepEqual([state.view, state.query, state.by, state.span], ["not_respond", "", "", "30d"]);
  assert.equal(of({ metric: "length", view: "v17", query: "is:open" }).query, "");
  assert.equal(of({ metric: "new", view: "v17" }).view, "");
  const now = at("2026-11-25T10:00:00Z");
  const own = of({ metric: "length", span: "own", from: "2026-11-24", to: "2026-11-30" });
  assert.equal(timeOf(own, now).to, now);
  assert.equal(timeOf({ ...own, from: "2026-11-29" }, now).to, at("2026-12-01T00:00:00+07:00"));
  assert.deepEqual(divisionsOf("length"), []);
  assert.ok(!divisionsOf("handled").includes("hour"));
});

test("a list of a query stays one without a query, and asks for it", () => {
  const now = at("2026-11-25T10:00:00Z");
  const state = of({ metric: "length", query: "is:open" });
  assert.deepEqual([state.view, lacking(state, now)], ["query", ""]);
  const emptied = fitting({ ...state, query: "" });
  assert.deepEqual([emptied.view, lacking(emptied, now)], ["query", "query"]);
  assert.deepEqual(fitting({ ...emptied, metric: "new" }), of({ metric: "new" }));
  assert.equal(fitting({ ...state, metric: "new" }).query, "is:open");
  const { view, query } = requestsOf(state, { from: 0, to: 1 }).steps;
  assert.deepEqual([view, query], [undefined, "is:open"]);
});

test("own dates begin with the days of the span before", () => {
  const now = at("2026-11-25T20:30:00Z"); // the 26th in Ho Chi Minh City
  assert.deepEqual(daysIn(of({ span: "7d" }), now), { from: "2026-11-20", to: "2026-11-26" });
  assert.deepEqual(daysIn(of({ span: "own", from: "2026-11-02", to: "2026-11-03" }), now), { from: "2026-11-02", to: "2026-11-03" });
  assert.equal(lacking(of({ span: "own" }), now), "dates");
});

test("metrics have a time, or are counted at a moment; some parts are those of now", () => {
  assert.deepEqual(METRICS.filter(isAtMoment), ["waiting", "length"]);
  assert.deepEqual(METRICS.filter(isTimed), ["first_reply", "next_reply", "close_time", "online", "away", "accepting", "at_capacity", "queue_time"]);
  assert.deepEqual(divisionsOf("new").filter((by) => isOfNow({ ...of(), by })), ["desk", "tag", "tier", "language", "view"]);
});
