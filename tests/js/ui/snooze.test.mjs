import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsOf, momentOf, reading, timeWords } from "../../../static/js/core/time.js";
import { farthest, ownMoment, snoozeChoices, SnoozeMenu } from "../../../static/js/ui/dialogs/snooze.js";
import { pageOf, seeded, settled } from "../support.mjs";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (text) => Date.parse(text);
const shown = (moment, zone) => Object.values(fieldsOf(moment, zone)).join(" ");
const choices = (now, zone) => Object.fromEntries(
  snoozeChoices(at(now), zone).map((choice) => [choice.name, shown(choice.at, zone)]),
);

test("tomorrow and Monday are at 9:00 of the zone, on both days of clock change", () => {
  const berlin = "Europe/Berlin";
  // Saturday before the clocks go back, and before they go forward.
  assert.deepEqual(choices("2026-10-24T10:00:00+02:00", berlin), {
    later: "2026-10-24 13:00", tomorrow: "2026-10-25 09:00", monday: "2026-10-26 09:00",
  });
  const [, back] = snoozeChoices(at("2026-10-24T10:00:00+02:00"), berlin);
  assert.equal(back.at, at("2026-10-25T09:00:00+01:00"));
  const [, forward] = snoozeChoices(at("2026-03-28T10:00:00+01:00"), berlin);
  assert.equal(forward.at, at("2026-03-29T09:00:00+02:00"));
  assert.equal(choices("2026-11-23T08:00:00+01:00", berlin).monday, "2026-11-30 09:00",
    "on a Monday it is the next one");
  assert.deepEqual(Object.values(choices("2026-11-22T12:00:00+01:00", berlin)).slice(1),
    ["2026-11-23 09:00", "2026-11-23 09:00"], "on a Sunday both are one moment");
  assert.equal(choices("2026-12-31T12:00:00+01:00", berlin).tomorrow, "2027-01-01 09:00");
});

test("later today is in three hours, at 17:00 where that comes first, or says that it is tomorrow", () => {
  const zone = "Asia/Ho_Chi_Minh";
  const first = (time) => snoozeChoices(at(`2026-11-24T${time}+07:00`), zone)
    .slice(0, 1).map((choice) => `${choice.name} ${shown(choice.at, zone)}`)[0];
  assert.equal(first("08:01:00"), "later 2026-11-24 11:15");
  assert.equal(first("08:00:00"), "later 2026-11-24 11:00");
  assert.equal(first("14:30:00"), "later 2026-11-24 17:00");
  assert.equal(first("16:00:00"), "later 2026-11-24 17:00");
  assert.equal(first("16:00:01"), "later 2026-11-24 19:15", "17:00 is less than an hour ahead");
  assert.equal(first("20:45:00"), "later 2026-11-24 23:45");
  assert.equal(first("20:45:01"), "hours 2026-11-25 00:00");
  // Quarters of an hour by the clocks of the zone, also where they differ from UTC by 45 minutes.
  assert.equal(choices("2026-11-24T08:01:00+05:45", "Asia/Kathmandu").later, "2026-11-24 11:15");
});

test("three hours are three hours where the clocks change meanwhile", () => {
  const [{ at: later }] = snoozeChoices(at("2026-10-25T01:00:00+02:00"), "Europe/Berlin");
  assert.equal(later, at("2026-10-25T03:00:00+01:00"));
});

test("a time that is shown twice is the first one, a time that is skipped is as much later", () => {
  const moment = (date, time, zone) => {
    const [year, month, day] = date.split("-").map(Number);
    const [hour, minute] = time.split(":").map(Number);
    return momentOf({ year, month, day, hour, minute }, zone);
  };
  assert.equal(moment("2026-10-25", "02:30", "Europe/Berlin"), at("2026-10-25T02:30:00+02:00"));
  assert.equal(moment("2026-03-29", "02:30", "Europe/Berlin"), at("2026-03-29T03:30:00+02:00"));
  assert.equal(moment("2026-04-05", "01:45", "Australia/Lord_Howe"), at("2026-04-05T01:45:00+11:00"));
  assert.equal(moment("2026-10-04", "02:10", "Australia/Lord_Howe"), at("2026-10-04T02:40:00+11:00"));
  assert.equal(shown(moment("2024-04-26", "00:30", "Africa/Cairo"), "Africa/Cairo"), "2024-04-26 01:30");
  assert.equal(shown(moment("2011-12-30", "09:00", "Pacific/Apia"), "Pacific/Apia"), "2011-12-31 09:00",
    "a day that a zone left out");
});

// The first minute at which the clocks show it, looked for one by one.
function walked({ year, month, day, hour, minute }, zone) {
  const middle = Date.UTC(year, month - 1, day, hour, minute);
  for (let moment = middle - 15 * 60 * MINUTE; moment <= middle + 13 * 60 * MINUTE; moment += 15 * MINUTE) {
    const now = reading(moment, zone);
    if (now.day === day && now.hour === hour && now.minute === minute) return moment;
  }
  return null;
}

test("moments equal those of a walk over the clocks, around both days of clock change", () => {
  const random = seeded(15);
  const changes = {
    "America/New_York": ["2026-03-08", "2026-11-01"], "Europe/London": ["2026-03-29", "2026-10-25"],
    "America/Santiago": ["2026-04-05", "2026-09-06"], "Australia/Lord_Howe": ["2026-04-05", "2026-10-04"],
    "Asia/Tokyo": ["2026-01-01"], "Pacific/Chatham": ["2026-04-05", "2026-09-27"],
  };
  let skipped = 0;
  for (let time = 0; time < 150; time += 1) {
    const zone = random.one(Object.keys(changes));
    const [year, month, day] = random.one(changes[zone]).split("-").map(Number);
    const wanted = { year, month, day, hour: random.below(24), minute: 15 * random.below(4) };
    const expected = walked(wanted, zone);
    const moment = momentOf(wanted, zone);
    if (expected !== null) assert.equal(moment, expected, `${zone} ${JSON.stringify(wanted)}`);
    else skipped += 1;
    if (expected === null) assert.notEqual(reading(moment, zone).hour * 60, wanted.hour * 60 + 1, zone);
  }
  assert.ok(skipped > 0, "some were skipped");
});

test("a moment of one's own is complete, ahead and not too far", () => {
  const zone = "Asia/Tokyo";
  const now = at("2026-11-24T10:00:00+09:00");
  const own = (date, time) => ownMoment({ date, time }, now, zone, 5);
  assert.deepEqual(own("2026-11-24", "10:01"), { at: now + MINUTE });
  assert.deepEqual(own("2026-11-24", "10:00"), { problem: "past" });
  assert.deepEqual(own("2026-11-24", ""), { problem: "incomplete" });
  assert.deepEqual(own("", "10:00"), { problem: "incomplete" });
  assert.deepEqual(own("2031-11-23", "10:01"), { problem: "far" });
  assert.deepEqual(own("2031-11-23", "10:00"), { at: at("2031-11-23T10:00:00+09:00") });
  assert.deepEqual(own("999999-01-01", "09:00"), { problem: "far" });
  assert.equal(farthest(0, 5), 5 * 365 * DAY);
});

test("a command acts on the thread that was open when it was made", async () => {
  const snoozed = [];
  const thread = { id: 1 };
  const menu = new SnoozeMenu(/** @type {any} */ ({
    element: { addEventListener() {} },
    ...pageOf({
      picks: {
        size: 0, get opened() { return { ids: [thread.id], isPicked: false }; }, rowOf: ({ ids: [id] }) => ({ id, open: true }),
      },
      lists: { list: { view: "arrival" } }, rows: new Map(), now: () => at("2026-11-24T10:00:00Z"),
      language: { t: (key) => key, words: timeWords("en", "UTC") }, bulk: {},
      acting: { get: async () => ({ actions: { snooze: (_, id) => snoozed.push(id) } }) },
    }),
  }));
  const [first] = menu.commands();
  thread.id = 2;
  menu.commands(); // a painting of the palette
  /** @type {any} */ (first).run();
  await settled();
  assert.deepEqual(snoozed, [1]);
});
