import assert from "node:assert/strict";
import { test } from "node:test";

import { regional, translator } from "../../../static/js/core/i18n.js";
import { listCall, zoneOf } from "../../../static/js/core/route.js";
import {
  age, chooseZone, dayOf, dueLevel, hasZone, ownZone, sameDay, timeWords, waitLevel,
} from "../../../static/js/core/time.js";
import { snoozeChoices } from "../../../static/js/ui/dialogs/snooze.js";
import { seeded } from "../support.mjs";

const MINUTE = 60_000;

test("an age is told by its greatest whole unit", () => {
  const at = (ms) => { const { unit, value } = age(0, ms); return `${value}${unit}`; };
  assert.equal(at(0), "0now");
  assert.equal(at(59_999), "0now");
  assert.equal(at(MINUTE), "1m");
  assert.equal(at(59 * MINUTE + 59_999), "59m");
  assert.equal(at(60 * MINUTE), "1h");
  assert.equal(at(24 * 60 * MINUTE), "1d");
  assert.equal(at(400 * 24 * 60 * MINUTE), "1y");
  assert.equal(age(5000, 0).unit, "now", "a clock that is behind does not tell of the future");
});

test("an age says how long it stays true", () => {
  const random = seeded(3);
  for (let time = 0; time < 500; time += 1) {
    const now = random.below(1e10);
    const { unit, value, change } = age(0, now);
    const same = age(0, now + change - 1);
    const next = age(0, now + change);
    assert.deepEqual([same.unit, same.value], [unit, value]);
    assert.notDeepEqual([next.unit, next.value], [unit, value]);
  }
});

test("a wait is long from ten minutes and too long from thirty", () => {
  assert.equal(waitLevel(0, 10 * MINUTE - 1), "");
  assert.equal(waitLevel(0, 10 * MINUTE), "long");
  assert.equal(waitLevel(0, 30 * MINUTE), "too-long");
});

test("an answer is due soon from fifteen minutes before, and late from its moment on (W66)", () => {
  const levels = [15 * MINUTE + 1, 15 * MINUTE, 1, 0, -1].map((left) => dueLevel(left, 0));
  assert.deepEqual(levels, ["far", "soon", "soon", "late", "late"]);
});

test("words come in the language asked for", () => {
  const english = timeWords("en");
  assert.equal(english.short({ unit: "m", value: 4 }, "now"), "4m");
  assert.equal(english.short({ unit: "now", value: 0 }, "now"), "now");
  assert.equal(english.long({ unit: "h", value: 2 }), "2 hours ago");
  assert.match(timeWords("vi").long({ unit: "h", value: 2 }), /2 giờ trước/);
  assert.match(timeWords("ja").long({ unit: "m", value: 5 }), /5\s?分前/);
});

test("times are written as the browser's user writes the language", () => {
  const evening = Date.UTC(2026, 10, 20, 21, 37);
  const morning = Date.UTC(2026, 10, 20, 9, 37);
  assert.equal(regional("en", ["vi", "en-GB", "en-US"]), "en-GB");
  assert.equal(regional("vi", ["en-GB", "vi-VN"]), "vi-VN");
  assert.equal(regional("ja", ["en-GB"]), "ja");
  assert.match(timeWords("en-US").clock(evening), /^9:37\sPM$/);
  assert.match(timeWords("en-US").clock(morning), /^9:37\sAM$/, "no leading zero");
  assert.equal(timeWords("en-GB").clock(evening), "21:37");
  assert.match(timeWords("en-GB").exact(evening), /^20 Nov 2026/);
  assert.match(timeWords("ja-JP").short({ unit: "h", value: 22 }, "今"), /^22\S+$/);
  assert.equal(translator("en", {}, "en-IN").number(1_234_567), "12,34,567");
});

test("days are named by the calendar of one's zone", () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  const words = timeWords("en");
  assert.equal(words.day(noon - 3600_000, noon), "Today");
  assert.equal(words.day(noon - 13 * 3600_000, noon), "Yesterday");
  assert.match(words.day(noon - 72 * 3600_000, noon), /November 17, 2026/);
  assert.equal(sameDay(noon, noon + 11 * 3600_000), true);
  assert.equal(sameDay(noon, noon + 13 * 3600_000), false);
});

test("the chosen time zone is that of days in queries and of moments; else the browser's is", () => {
  const query = "closed:>=2026-11-01";
  assert.deepEqual([ownZone(), hasZone()], ["UTC", false], "none was chosen");
  chooseZone("Pacific/Kiritimati");
  try {
    assert.equal(zoneOf(query), "Pacific/Kiritimati");
    assert.equal(listCall({ view: "query", query, sort: "arrival", filter: "all" }).timezone, "Pacific/Kiritimati");
    assert.equal(zoneOf("is:open"), undefined);
    // 22:00 on the 1st at UTC is the 2nd there: tomorrow is the 3rd, 9:00.
    const [tomorrow] = snoozeChoices(Date.UTC(2026, 10, 1, 22), ownZone()).filter(({ name }) => name === "tomorrow");
    assert.equal(new Date(tomorrow.at).toISOString(), "2026-11-02T19:00:00.000Z");
    chooseZone("Mars/Base", null, "Asia/Tokyo", "UTC");
    assert.equal(ownZone(), "Asia/Tokyo", "a zone that the browser does not know, and then its own");
    chooseZone(null, "Etc/Unknown", null);
    assert.deepEqual([ownZone(), hasZone()], ["UTC", false]);
  } finally {
    chooseZone(null);
  }
});

test("a moment is chosen, named and dated by one zone, wherever the browser is", () => {
  // Friday 19:00 in New York is Saturday 9:00 in Tokyo.
  const now = Date.UTC(2026, 10, 27, 0, 0);
  const inTokyo = timeWords("en-GB", "Asia/Tokyo");
  const [, tomorrow, monday] = snoozeChoices(now, "Asia/Tokyo");
  assert.match(inTokyo.moment(tomorrow.at, now), /^Sat,? 0?9:00$/);
  assert.match(inTokyo.dated(monday.at, now), /^30 Nov/);
  assert.match(inTokyo.whole(monday.at), /^Monday,? 30 November 2026/);
  assert.match(inTokyo.clock(monday.at), /^0?9:00$/);
  assert.match(inTokyo.exact(monday.at), /^30 Nov 2026, 0?9:00/);
  assert.equal(inTokyo.day(Date.UTC(2026, 10, 26, 14), now), "Yesterday");
  assert.equal(inTokyo.day(Date.UTC(2026, 10, 26, 15), now), "Today");
  assert.match(inTokyo.dated(Date.UTC(2026, 11, 31, 15), now), /2027/, "it is next year there");
  const inNewYork = timeWords("en-GB", "America/New_York");
  assert.match(inNewYork.moment(tomorrow.at, now), /19:00/);
  assert.equal(inNewYork.day(Date.UTC(2026, 10, 26, 4), now), "Yesterday");
  assert.match(inNewYork.dated(Date.UTC(2027, 0, 1, 4), now), /^31 Dec(?!.*2027)/);
});

test("a day begins at midnight of the zone, to the millisecond", () => {
  for (const [zone, midnight] of [
    ["Asia/Tokyo", "2026-11-27T00:00:00+09:00"], ["Asia/Kathmandu", "2026-11-27T00:00:00+05:45"],
    ["Australia/Lord_Howe", "2026-10-04T00:00:00+10:30"], ["America/New_York", "2026-11-01T00:00:00-04:00"],
    ["Pacific/Chatham", "2026-04-05T00:00:00+13:45"], ["UTC", "2026-11-27T00:00:00Z"],
  ]) {
    const at = Date.parse(midnight);
    assert.equal(dayOf(at, zone) - dayOf(at - 1, zone), 1, zone);
    assert.equal(dayOf(at + 23 * 3600_000, zone), dayOf(at, zone), zone);
  }
});
