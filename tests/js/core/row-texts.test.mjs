import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LOCALES, translator } from "../../../static/js/core/i18n.js";
import { dueAtText, dueText, snoozedText, wokenText } from "../../../static/js/core/row-texts.js";
import { rowsChangeIn, timeLeft, timeWords } from "../../../static/js/core/time.js";
import { choicesInWords } from "../../../static/js/ui/dialogs/snooze.js";
import { seeded } from "../support.mjs";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const read = (locale) => JSON.parse(
  readFileSync(new URL(`../../../static/i18n/${locale}.json`, import.meta.url), "utf8"),
);
const given = (locale, now = 0, region = locale) => ({
  t: translator(locale, read(locale)), words: timeWords(region), now, adminId: 7,
});

test("what is left is whole minutes, hours or days, and then how late it is", () => {
  const english = given("en", 0);
  const said = (ms) => dueText(ms, english);
  assert.deepEqual([16 * MINUTE, 16 * MINUTE - 1, MINUTE, MINUTE - 1, 1].map(said),
    ["16m left", "15m left", "1m left", "due now", "due now"]);
  assert.deepEqual([2 * HOUR - 1, 3 * DAY].map(said), ["1h left", "3d left"]);
  assert.deepEqual([0, 1 - MINUTE, -MINUTE, -5 * HOUR].map(said), ["late", "late", "1m late", "5h late"]);
  for (const locale of LOCALES) {
    const texts = given(locale);
    assert.notEqual(dueText(20 * MINUTE, texts), dueText(-20 * MINUTE, texts), "by a word, not by colour");
  }
});

test("what is left says how long it stays true", () => {
  const random = seeded(4);
  for (let time = 0; time < 300; time += 1) {
    const at = random.below(1e10) - 5e9;
    const told = ({ unit, value, late }) => `${unit} ${value} ${late}`;
    const { change, ...left } = timeLeft(at, 0);
    assert.equal(told(timeLeft(at, change - 1)), told(left), String(at));
    assert.notEqual(told(timeLeft(at, change)), told(left), String(at));
  }
  const row = { recent_at: 0, waiting_since: null, due_at: 10 * HOUR };
  assert.equal(rowsChangeIn([row], 9 * HOUR + 30 * MINUTE - 20_000), 20_001, "one tick for all rows");
});

test("moments are a time today, a weekday within six days, and else a date", () => {
  const now = Date.UTC(2026, 10, 24, 12);
  const words = timeWords("en-GB");
  const at = (days, hour = 9) => Date.UTC(2026, 10, 24 + days, hour);
  assert.deepEqual([0, 1, 6, -3].map((days) => words.moment(at(days), now)),
    ["9:00", "Wed 09:00", "Mon 09:00", "Sat 09:00"].map((text) => (text === "9:00" ? words.clock(at(0)) : text)));
  assert.match(words.moment(at(7), now), /^1 Dec/);
  assert.match(words.moment(at(60), now), /2027/);
});

test("the choices of the menu are written out", () => {
  const texts = given("en", 0, "en-GB");
  const now = Date.parse("2026-11-24T08:01:00Z");
  assert.deepEqual(choicesInWords(now, texts, "UTC").map(({ name }) => name), ["later", "tomorrow", "monday"]);
  for (const locale of LOCALES) {
    for (const { text } of choicesInWords(now, given(locale), "UTC")) assert.match(text, /\d/, text);
  }
});

test("who snoozed a thread, until when, and why it woke", () => {
  const now = Date.UTC(2026, 10, 24, 12);
  const texts = given("en", now, "en-GB");
  const until = Date.UTC(2026, 10, 25, 9);
  const ana = { id: 3, name: "Ana" };
  assert.equal(snoozedText({ until, wake: "reply", by: ana }, texts), "Snoozed until Wed 09:00 by Ana");
  assert.equal(snoozedText({ until, wake: "never", by: { id: 7, name: "Me" } }, texts), "Snoozed until Wed 09:00 by you");
  const woken = (reason, by = ana) => wokenText({ at: now, reason, by }, texts);
  assert.equal(woken("time"), "Woken, snoozed by Ana");
  assert.equal(new Set(["time", "reply", "admin"].map((reason) => woken(reason))).size, 3, "each has its reason");
  assert.equal(woken("reply", null), "Woken by a message, snoozed by Team");
  assert.equal(dueAtText(now + 16 * MINUTE, texts), `16m left, due ${texts.words.clock(now + 16 * MINUTE)}`);
});

test("minutes of a promise are hours and minutes in words", () => {
  assert.deepEqual([1, 30, 60, 90, 1440].map((count) => timeWords("en").minutes(count)),
    ["1 minute", "30 minutes", "1 hour", "1 hour 30 minutes", "24 hours"]);
  assert.equal(timeWords("ja").minutes(90), "1時間30分");
});
