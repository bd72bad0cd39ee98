import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LOCALES, translator } from "../../../../static/js/core/i18n.js";
import { cell, csvOf, fileName, rowsOfReport } from "../../../../static/js/core/reports/csv.js";
import { fromAddress } from "../../../../static/js/core/reports/state.js";
import {
  axisTexts, countOf, endText, isoIn, durationText, levelsOf, numberOf, numberText, partName, shortDuration, stepWords, timeText,
} from "../../../../static/js/core/reports/words.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../../static/i18n/${name}.json`, import.meta.url), "utf8"));
const ts = Object.fromEntries(LOCALES.map((locale) => [locale, translator(locale, { ...read(locale), ...read(`reports/${locale}`) })]));
const t = ts.en;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

test("a duration has two units at most, and none that is zero", () => {
  const said = [0, 420, 4200, 42 * SECOND, 59_600, MINUTE, 250 * SECOND, HOUR - 1, HOUR, 125 * MINUTE, DAY - 1, 76 * HOUR, 400 * DAY]
    .map((ms) => durationText(ms, t));
  assert.deepEqual(said, ["0 s", "0.4 s", "4.2 s", "42 s", "1 min", "1 min", "4 min 10 s", "1 h", "1 h", "2 h 05 min", "1 d",
    "3 d 4 h", "400 d"]);
  assert.equal(durationText(250 * SECOND, ts.vi), "4 phút 10 giây");
  assert.equal(durationText(125 * MINUTE, ts.ja), "2時間05分");
});

test("a longer duration never reads shorter, and never as 60 of a unit", () => {
  for (let ms = 0; ms < 3 * DAY; ms += 977) {
    assert.doesNotMatch(durationText(ms, t), /\b60 (s|min)|\b24 h/, String(ms));
    assert.doesNotMatch(shortDuration(ms, t), /^(60[sm]|24h)$/, String(ms));
  }
});

test("where there is little room a duration has one unit", () => {
  assert.deepEqual([42 * SECOND, 250 * SECOND, 125 * MINUTE, 11 * HOUR, 76 * HOUR].map((ms) => shortDuration(ms, t)),
    ["42s", "4m", "2.1h", "11h", "3.2d"]);
});

test("a value is its number, its percentile, or still to come", () => {
  assert.equal(numberOf({ count: 3, p50: 1, p90: 2, p99: null }, "p90"), 2);
  assert.equal(numberOf(7, "p90"), 7);
  assert.equal(numberOf(null, "p90"), null);
  assert.deepEqual([null, 7, { count: 3, p50: 1, p90: 2, p99: 3 }].map(countOf), [0, 7, 3]);
  assert.equal(numberText(null, false, t), "–");
  assert.equal(numberText(12_345, false, t), "12,345");
});

test("parts have names, in words where the server has a code or nothing", () => {
  assert.equal(partName({ metric: "new", by: "tag" }, { key: "", name: null }, t), "No tag");
  const nobody = { key: "", name: null };
  assert.equal(partName({ metric: "answers", by: "queue" }, nobody, t), "No queue");
  assert.equal(partName({ metric: "first_reply", by: "admin" }, nobody, t), "From the chatbot's side");
  assert.equal(partName({ metric: "new", by: "tier" }, { key: "gold", name: "gold" }, t), t("member.tier", { tier: "gold" }));
  assert.deepEqual(["closed", "answers"].map((metric) => partName({ metric, by: "admin" }, nobody, t)), ["No admin", "From the chatbot's side"]);
  assert.equal(partName({ metric: "new", by: "language" }, { key: "vi", name: "vi" }, t), "Vietnamese");
  assert.equal(partName({ metric: "new", by: "admin" }, { key: "7", name: null }, t), "Deleted (7)");
  assert.equal(partName({ metric: "new", by: "admin" }, { key: "7", name: "Mai" }, t), "Mai");
});

test("times are those of the zone of the report, also where clocks change", () => {
  assert.equal(isoIn(Date.parse("2026-11-24T07:00:00Z"), "Asia/Ho_Chi_Minh"), "2026-11-24T14:00:00+07:00");
  assert.equal(isoIn(Date.parse("2026-11-24T07:00:00Z"), "America/St_Johns"), "2026-11-24T03:30:00-03:30");
  const words = stepWords("en-GB", "Europe/Berlin");
  const before = Date.parse("2026-10-25T00:00:00Z");
  assert.deepEqual([before, before + HOUR].map((at) => isoIn(at, "Europe/Berlin")),
    ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"]);
  assert.equal(words.weekday(0), "Mon");
  assert.equal(words.hour(14), "14");
  assert.equal(stepWords("en-US", "UTC").hour(14), "2 PM");
  assert.equal(words.hourOfWeek(24 + 14), "Tue 14");
  const day = Date.parse("2026-10-24T22:00:00Z");
  assert.equal(timeText({ from: day, to: day + 25 * HOUR }, words, t), words.written("day", day));
  for (const length of [23 * HOUR, 2 * DAY, 3 * DAY]) assert.match(timeText({ from: day, to: day + length }, words, t), / – /);
  assert.equal(timeText({ from: day, to: day + HOUR }, words, t), words.written("hour", day));
});

test("hours are tinted by their part of the largest", () => {
  assert.deepEqual(levelsOf([0, null, 1, 20, 21, 100]), [0, 0, 1, 1, 2, 5]);
  assert.deepEqual(levelsOf([null, 0]), [0, 0]);
});

test("a cell is never a formula, and keeps commas, quotes and lines", () => {
  assert.deepEqual(["=1+1", "+84", "-5", "@x", "\tx", "\rx", "a,b", "say \"hi\"", "two\nlines", "a;b", " a ", "plain", null, -5].map(cell),
    ["'=1+1", "'+84", "'-5", "'@x", "'\tx", "\"'\rx\"", '"a,b"', '"say ""hi"""', '"two\nlines"', '"a;b"', '" a "', "plain", "", "-5"]);
  assert.ok(csvOf([["ü"]]).startsWith("\ufeffü\r\n"));
});

test("the file has the whole, each step, each part and each bar, in ms", () => {
  const durations = (count, ...ms) => ({ count, p50: ms[0], p90: ms[1], p99: ms[2] });
  const time = { from: 0, to: 2 * DAY };
  const state = { ...fromAddress("?metric=first_reply&by=tag", "UTC"), timezone: "UTC" };
  const base = { metric: "first_reply", unit: /** @type {const} */ ("milliseconds"), ...time, adds_up: false, counted_until: 0 };
  const steps = {
    ...base, steps: [0, DAY], total: durations(3, 1, 2, 3), values: [durations(3, 1, 2, 3), null], parts: [],
    histogram: [{ below: 60_000, count: 3 }, { below: null, count: 0 }],
  };
  const parts = { ...base, steps: [], total: steps.total, values: [], histogram: null, parts: [{ key: "=vip", name: "=vip", total: durations(2, 1, 1, 1), values: [] }] };
  const rows = rowsOfReport({ state: { ...state, query: "lang:vi" }, time, steps, parts }, {
    t, partName: ({ name }) => name, hourName: String, listName: () => "",
  });
  const [begin, middle, end] = [0, DAY, 2 * DAY].map((at) => isoIn(at, "UTC"));
  assert.deepEqual(rows, [
    ["Metric", "List", "Query", "Row", "Part", "From", "To", "Count", "p50 (ms)", "p90 (ms)", "p99 (ms)"],
    ["First reply", "", "lang:vi", "Whole", "", begin, end, 3, 1, 2, 3],
    ["First reply", "", "lang:vi", "Step", "", begin, middle, 3, 1, 2, 3],
    ["First reply", "", "lang:vi", "Step", "", middle, end, null, null, null, null],
    ["First reply", "", "lang:vi", "Part", "=vip", begin, end, 2, 1, 1, 1],
    ["First reply", "", "lang:vi", "Lengths", "0 to 60000 ms", begin, end, 3],
    ["First reply", "", "lang:vi", "Lengths", "60000 to ∞ ms", begin, end, 0],
  ]);
  assert.ok(csvOf(rows).includes(",'=vip,"));
});

test("the file has the steps of parts that came with them, and the hours of the week", () => {
  const time = { from: 0, to: HOUR };
  const [begin, end] = [0, HOUR].map((at) => isoIn(at, "UTC"));
  const base = { metric: "online", unit: /** @type {const} */ ("milliseconds"), ...time, adds_up: true, counted_until: 0, known_since: null };
  const given = { t, partName: ({ name }) => name, hourName: String, listName: () => "" };
  const rowsOf = (search, steps, parts) => rowsOfReport({ state: fromAddress(search, "UTC"), time, steps, parts }, given).map((row) => row.slice(3));
  const whole = { ...base, steps: [0], total: 5, values: [5], parts: [], histogram: null };
  const mai = { key: "1", name: "Mai", total: 5, values: [5] };
  assert.deepEqual(rowsOf("?metric=online&by=admin", { ...whole, parts: [mai] }, null), [
    ["Row", "Part", "From", "To", "Milliseconds"],
    ["Whole", "", begin, end, 5], ["Step", "", begin, end, 5], ["Part", "Mai", begin, end, 5], ["Part in a step", "Mai", begin, end, 5],
  ]);
  const hours = rowsOf("?metric=online&by=hour", whole, { ...whole, steps: [], values: Array.from({ length: 168 }, (_, hour) => hour) });
  assert.deepEqual([hours.length, hours.at(-1)], [3 + 168, ["Hour of the week", "167", begin, end, 167]]);
});

test("the texts of an axis have the digits of its values", () => {
  assert.deepEqual(axisTexts([0, 500, 1000, 1500, 2000, 2500], "count", t), ["0", "500", "1K", "1.5K", "2K", "2.5K"]);
  assert.deepEqual(axisTexts([0, 1000, 2000], "count", t), ["0", "1K", "2K"]);
  assert.deepEqual(axisTexts([2_250_000, 2_500_000], "count", t), ["2.25M", "2.5M"]);
  assert.deepEqual(axisTexts([30 * SECOND, MINUTE, 90 * SECOND, 2 * MINUTE], "time", t), ["30s", "1m", "1.5m", "2m"]);
  assert.deepEqual(axisTexts([45 * MINUTE, HOUR, 75 * MINUTE], "time", t), ["45m", "1h", "1.25h"]);
  assert.equal(new Set(axisTexts([HOUR, 70 * MINUTE, 75 * MINUTE, 80 * MINUTE], "time", t)).size, 4);
});

test("the name of a file says the metric, the list, the query and the days", () => {
  const time = { from: Date.parse("2026-11-22T17:00:00Z"), to: Date.parse("2026-11-24T17:00:00Z") };
  const name = (search) => fileName(fromAddress(`${search}&timezone=Asia/Ho_Chi_Minh`, "UTC"), time);
  assert.equal(name("?metric=new"), "lineup-new-2026-11-23-2026-11-24.csv");
  assert.equal(name("?metric=length&view=v17"), "lineup-length-v17-2026-11-23-2026-11-24.csv");
  assert.equal(name(`?metric=new&query=${"a".repeat(50)}`), `lineup-new-${"a".repeat(40)}-2026-11-23-2026-11-24.csv`);
  assert.equal(name("?metric=length&query=tag:vip/../%20%C3%BC"), "lineup-length-tag-vip-ü-2026-11-23-2026-11-24.csv");
});

test("a number of a moment is named by the end of its step", () => {
  const words = stepWords("en-GB", "UTC");
  const said = (end, step) => endText({ end: Date.parse(end), step }, { timezone: "UTC" }, words, t);
  assert.equal(said("2026-11-24T14:00:00Z", "hour"), "At Tue 24 Nov, 14:00");
  assert.equal(said("2026-11-25T00:00:00Z", "hour"), "At Wed 25 Nov, 0:00");
  assert.equal(said("2026-11-25T00:00:00Z", "day"), "End of Tue 24 Nov");
  assert.equal(said("2026-11-25T10:30:00Z", "day"), "At Wed 25 Nov, 10:30");
});
