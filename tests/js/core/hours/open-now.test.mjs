import assert from "node:assert/strict";
import { test } from "node:test";

import {
  datesBetween, DAYS, intervalsIn, intervalsText, isDate, isOpenAt, openNow, openNowOf, split,
  weekdayOf, withDates,
} from "../../../../static/js/core/hours/week.js";
import {
  allZones, clockChange, instantsOf, offsetText, otherNames, wallAt,
} from "../../../../static/js/core/hours/zones.js";
import { isZone } from "../../../../static/js/core/time.js";
import { seeded } from "../../support.mjs";

const MINUTE = 60_000;
const OFFICE = Object.fromEntries(DAYS.slice(0, 5).map((day) => [day, [["09:00", "12:00"], ["13:00", "18:00"]]]));
const calendar = (timezone, week, exceptions = []) => ({ timezone, week, exceptions });
const utc = (text) => Date.parse(`${text}Z`);
const told = ({ open, next }) => [open, next === null ? null : new Date(next).toISOString().slice(0, 16)];

test("it is open by the wall clock of the zone, and says when that changes", () => {
  const hanoi = calendar("Asia/Ho_Chi_Minh", OFFICE);
  const at = (text) => told(openNow(hanoi, utc(text)));
  assert.deepEqual(at("2026-11-23T01:59"), [false, "2026-11-23T02:00"]);
  assert.deepEqual(at("2026-11-23T02:00"), [true, "2026-11-23T05:00"]);
  assert.deepEqual(at("2026-11-23T05:00"), [false, "2026-11-23T06:00"]);
  assert.deepEqual(at("2026-11-20T12:00"), [false, "2026-11-23T02:00"], "over the weekend");
});

test("a night shift is open after midnight, and into a holiday, but not out of one", () => {
  const night = { mon: [["22:00", "06:00"]], tue: [["22:00", "06:00"]] };
  const closed = calendar("UTC", night, [{ date: "2026-11-24", intervals: [] }]);
  assert.deepEqual(told(openNow(closed, utc("2026-11-24T05:00"))), [true, "2026-11-24T06:00"]);
  assert.deepEqual(told(openNow(closed, utc("2026-11-24T23:00"))), [false, "2026-11-30T22:00"]);
  const other = calendar("UTC", night, [{ date: "2026-11-26", intervals: [["20:00", "02:00"]] }]);
  assert.deepEqual(told(openNow(other, utc("2026-11-25T23:00"))), [false, "2026-11-26T20:00"]);
  assert.deepEqual(told(openNow(other, utc("2026-11-27T01:00"))), [true, "2026-11-27T02:00"]);
});

test("what never opens, or never closes, says so; many closed days are passed", () => {
  assert.deepEqual(told(openNow(calendar("UTC", {}), 0)), [false, null]);
  const always = Object.fromEntries(DAYS.map((day) => [day, [["00:00", "24:00"]]]));
  assert.deepEqual(told(openNow(calendar("Europe/Berlin", always), utc("2026-11-20T00:00"))), [true, null]);
  const dates = datesBetween("2026-11-23", "2026-12-31").map((date) => ({ date, intervals: [] }));
  assert.deepEqual(told(openNow(calendar("UTC", { mon: [["09:00", "10:00"]] }, dates), utc("2026-11-20T00:00"))),
    [false, "2027-01-04T09:00"]);
  assert.deepEqual(told(openNow(calendar("UTC", always, [{ date: "2027-05-01", intervals: [] }]),
    utc("2026-11-20T00:00"))), [true, "2027-05-01T00:00"]);
});

// Walks in quarters of an hour, because everything below begins and ends at one.
function walked(given, now, days) {
  const open = isOpenAt(given, now);
  for (let at = now; at < now + days * 1440 * MINUTE; at += 15 * MINUTE) {
    if (isOpenAt(given, at) !== open) return at;
  }
  return null;
}

test("the next change is that of a walk through the days, also where clocks are moved", () => {
  const { below, one } = seeded(3);
  const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"];
  for (let run = 0; run < 40; run += 1) {
    const clock = () => `${String(below(24)).padStart(2, "0")}:${one(["00", "15", "30", "45"])}`;
    const week = Object.fromEntries(DAYS.map((day) => [day, below(2) ? [[clock(), clock()]] : []]));
    const given = calendar(one(zones), week, below(2) ? [{ date: "2026-10-25", intervals: [[clock(), clock()]] }] : []);
    const now = one([utc("2026-10-24T18:00"), utc("2026-03-28T20:00"), utc("2026-11-01T03:00"), utc("2026-04-04T12:00")]);
    const { next } = openNow(given, now);
    const isNear = next !== null && next < now + 9 * 1440 * MINUTE;
    assert.equal(isNear ? next : null, walked(given, now, 9), JSON.stringify([given, now]));
  }
});

test("where the clocks are moved past its beginning it opens at that moment (W72)", () => {
  const early = calendar("Europe/Berlin", { sun: [["02:30", "03:30"]] });
  assert.deepEqual(told(openNow(early, utc("2026-03-28T20:00"))), [false, "2026-03-29T01:00"]);
});

test("what was found counts until the moment at which it changes (W72)", () => {
  const hanoi = calendar("Asia/Ho_Chi_Minh", OFFICE);
  const opens = utc("2026-11-23T02:00");
  assert.deepEqual(openNowOf(hanoi, opens - 1), { open: false, next: opens });
  assert.equal(openNowOf(hanoi, opens - 1), openNowOf(hanoi, opens - 1));
  assert.equal(openNowOf(hanoi, opens).open, true);
});

test("clocks that skip an hour have no instant for it, and those that go back have two", () => {
  assert.deepEqual(instantsOf("Europe/Berlin", "2026-03-29", 150), []);
  assert.deepEqual(instantsOf("Europe/Berlin", "2026-10-25", 150),
    [utc("2026-10-25T00:30"), utc("2026-10-25T01:30")]);
  assert.equal(clockChange("Europe/Berlin", utc("2026-10-24T12:00"), utc("2026-10-25T12:00")), utc("2026-10-25T01:00"));
  assert.equal(clockChange("Asia/Tokyo", utc("2026-10-24T12:00"), utc("2026-10-25T12:00")), null);
  assert.deepEqual(wallAt("Asia/Kathmandu", utc("2026-11-22T18:20")), { date: "2026-11-23", ms: 5 * MINUTE });
  assert.equal(offsetText("America/St_Johns", utc("2026-11-22T18:20")), "−03:30");
});

test("every zone has its name of today and is found by the one before", () => {
  const zones = allZones();
  assert.ok(zones.length > 400 && zones.includes("UTC") && zones.includes("Asia/Ho_Chi_Minh"));
  assert.ok(!zones.includes("Asia/Saigon"));
  assert.equal(otherNames("Asia/Ho_Chi_Minh"), "Asia/Saigon");
  assert.ok(zones.every(isZone));
  assert.equal(isZone("Mars/Olympus"), false);
});

test("exceptions are sorted, one a date, past ones apart", () => {
  const two = withDates([{ date: "2026-12-25", intervals: [] }], ["2026-05-01", "2026-12-25"], [["09:00", "12:00"]]);
  assert.deepEqual(two, [
    { date: "2026-05-01", intervals: [["09:00", "12:00"]] }, { date: "2026-12-25", intervals: [["09:00", "12:00"]] },
  ]);
  const { past, ahead } = split(two, "2026-11-22");
  assert.deepEqual([past.length, ahead.length], [1, 1]);
  const today = split(two, "2026-12-25");
  assert.deepEqual([today.past.length, today.ahead.length], [1, 1], "today is not past");
  assert.deepEqual(datesBetween("2026-12-30", "2027-01-02").length, 4);
  assert.deepEqual(datesBetween("2026-12-30", "2026-12-29"), []);
  assert.equal(datesBetween("2000-01-01", "2100-01-01").length, 1001);
  assert.ok(isDate("2028-02-29") && !isDate("2027-02-29") && !isDate("2027-2-1") && !isDate(""));
  assert.equal(weekdayOf("2026-11-23"), 0);
});

test("other hours are written as text", () => {
  assert.deepEqual(intervalsIn("9-12, 13:30–18"), [["09:00", "12:00"], ["13:30", "18:00"]]);
  assert.deepEqual(intervalsIn("22:00 - 06:00"), [["22:00", "06:00"]]);
  assert.deepEqual(intervalsIn("9-12;12-13"), [["09:00", "13:00"]]);
  assert.deepEqual(intervalsIn(""), []);
  for (const wrong of ["9", "9-", "9-12-15", "24-3", "closed"]) assert.equal(intervalsIn(wrong), null, wrong);
  assert.equal(intervalsText([["09:00", "12:00"], ["13:30", "18:00"]]), "09:00–12:00, 13:30–18:00");
});
