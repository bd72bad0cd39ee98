import assert from "node:assert/strict";
import { test } from "node:test";

import { dragged, drawn, keyed } from "../../../../static/js/core/hours/week-edit.js";
import {
  block, blocksOf, clock, copied, DAYS, free, merged, minutesOf, openMinutes, piecesOf, replaced,
  settled, snapped, stepped, weekOf, without,
} from "../../../../static/js/core/hours/week.js";
import { seeded } from "../../support.mjs";

const isSameWeek = (a, b) => JSON.stringify(weekOf(a)) === JSON.stringify(weekOf(b));

const at = (text) => minutesOf(text);
const of = (day, from, to) => block(day, at(from), (at(to) - at(from) + 1440 - 1) % 1440 + 1);
const texts = (blocks) => weekOf(blocks);

test("times are read as people write them, and written as calendars have them", () => {
  for (const [text, minutes] of [
    ["9", 540], ["09:05", 545], ["0930", 570], ["9h30", 570], ["9h", 540], ["９：３０", 570], ["9.15", 555],
    ["24:00", 1440], ["9時30分", 570], [" 0 ", 0],
  ]) assert.equal(minutesOf(text), minutes, text);
  for (const text of ["", "25", "24:01", "9:60", "9:5", "-1", "nine", "9:30pm"]) {
    assert.equal(minutesOf(text), null, text);
  }
  assert.equal(clock(1440), "24:00");
  assert.equal(clock(547), "09:07");
  assert.deepEqual([stepped(547, 1), stepped(547, -1), stepped(540, 1), stepped(540, -1)], [555, 540, 555, 525]);
  assert.equal(snapped(548), 555);
});

test("a week becomes blocks and the same week again, with night shifts and whole days", () => {
  const week = {
    mon: [["09:00", "12:00"], ["22:00", "06:00"]], tue: [["00:00", "24:00"]], sun: [["23:07", "23:07"]],
  };
  const blocks = blocksOf(week);
  assert.deepEqual(blocks.map(({ day, start, length }) => [day, start, length]), [
    [0, 540, 180], [0, 1320, 480], [1, 0, 1440], [6, 1387, 1440],
  ]);
  assert.deepEqual(weekOf(blocks), week);
  assert.deepEqual(weekOf([]), {});
  assert.ok(isSameWeek(blocks, blocksOf({ ...week, wed: [] })));
});

test("a night shift is drawn on both days and belongs to the first, on Sunday too", () => {
  const blocks = blocksOf({ mon: [["22:00", "06:00"]], sun: [["20:00", "02:00"]], fri: [["20:00", "24:00"]] });
  const drawnOn = (day) => piecesOf(blocks, day).map(({ from, to, isTail }) => [from, to, isTail]);
  assert.deepEqual(drawnOn(0), [[0, 120, true], [1320, 1440, false]]);
  assert.deepEqual(drawnOn(1), [[0, 360, true]]);
  assert.deepEqual(drawnOn(5), []);
  assert.equal(piecesOf(blocks, 1)[0].block.day, 0);
});

test("blocks of a day that overlap or touch are one, up to 24 hours", () => {
  assert.deepEqual(texts([of(0, "09:00", "12:00"), of(0, "11:00", "13:00"), of(0, "13:00", "14:00")]),
    { mon: [["09:00", "14:00"]] });
  assert.deepEqual(texts([of(0, "20:00", "04:00"), of(0, "08:00", "21:00")]), { mon: [["08:00", "04:00"]] });
  assert.deepEqual(texts([of(0, "00:00", "20:00"), of(0, "19:00", "10:00")]),
    { mon: [["00:00", "10:00"], ["10:00", "10:00"]] });
  const settledKey = settled([of(0, "09:00", "12:00"), { ...of(0, "11:00", "15:00"), key: -1 }], -1);
  assert.deepEqual(settledKey.map(({ key, start, length }) => [key, start, length]), [[-1, 540, 360]]);
});

test("merging keeps exactly the open minutes, whatever the blocks", () => {
  const { below } = seeded(11);
  for (let run = 0; run < 300; run += 1) {
    const blocks = Array.from({ length: 1 + below(9) }, () => (
      block(below(7), below(96) * 15, 15 + below(96) * 15)));
    const joined = merged(blocks);
    assert.equal(openMinutes(joined), openMinutes(blocks));
    assert.deepEqual(weekOf(joined), weekOf(blocks));
    assert.ok(joined.every(({ length }) => length > 0 && length <= 1440));
    assert.ok(isSameWeek(blocksOf(weekOf(blocks)), blocks));
  }
});

test("a block is dragged with its length, also to another day, in steps of 15 minutes", () => {
  const one = of(2, "09:00", "12:00");
  const place = (day, text) => ({ day, minute: at(text) });
  const moved = dragged(one, "move", place(2, "10:00"), { day: 2, minute: at("11:00") + 9 });
  assert.deepEqual([moved.day, moved.start, moved.length], [2, 615, 180]);
  assert.equal(dragged(one, "move", place(2, "10:00"), place(4, "10:00")).day, 4);
  assert.equal(dragged(one, "move", place(2, "10:00"), place(9, "10:00")).day, 6);
  assert.equal(dragged(one, "move", place(2, "10:00"), place(2, "00:00")).start, 0);
  const late = dragged(one, "move", place(2, "09:00"), place(2, "22:00"));
  assert.deepEqual(texts([late]), { wed: [["22:00", "01:00"]] });
  assert.equal(dragged(of(2, "09:07", "10:00"), "move", place(2, "09:30"), place(3, "09:32")).start, 547);
});

test("the edges of a block are dragged; its end goes over midnight into the next row", () => {
  const one = of(6, "22:00", "24:00");
  const end = (day, text) => texts([dragged(one, "end", { day: 6, minute: 1430 }, { day, minute: at(text) })]);
  assert.deepEqual(end(7, "06:00"), { sun: [["22:00", "06:00"]] });
  assert.deepEqual(end(0, "06:00"), { sun: [["22:00", "06:00"]] }, "Sunday ends on Monday");
  assert.deepEqual(end(6, "12:00"), { sun: [["22:00", "22:15"]] }, "not before its start");
  assert.deepEqual(end(8, "12:00"), { sun: [["22:00", "22:00"]] }, "24 hours at most");
  const start = (text) => texts([dragged(one, "start", { day: 6, minute: 1325 }, { day: 6, minute: at(text) })]);
  assert.deepEqual(start("20:00"), { sun: [["20:00", "24:00"]] });
  assert.deepEqual(start("24:00"), { sun: [["23:45", "24:00"]] });
});

test("a new block is drawn forwards, backwards and over midnight", () => {
  const draw = (from, to) => texts([drawn(...[from, to].map(([day, text]) => ({ day, minute: at(text) })))]);
  assert.deepEqual(draw([0, "09:00"], [0, "17:00"]), { mon: [["09:00", "17:00"]] });
  assert.deepEqual(draw([0, "17:00"], [0, "09:00"]), { mon: [["09:00", "17:00"]] });
  assert.deepEqual(draw([0, "22:00"], [1, "06:00"]), { mon: [["22:00", "06:00"]] });
  assert.deepEqual(draw([0, "10:00"], [0, "10:00"]), { mon: [["10:00", "10:15"]] });
  assert.deepEqual(draw([0, "24:00"], [0, "24:00"]), { mon: [["23:45", "24:00"]] });
});

test("keys move and resize a block by a quarter of an hour, up to the blocks beside it", () => {
  let blocks = [of(0, "09:00", "12:00"), of(0, "12:30", "18:00"), of(1, "08:00", "10:00")];
  const [{ key }] = blocks;
  const press = (kind, direction) => {
    const next = keyed(blocks, blocks.find((one) => one.key === key), kind, direction);
    if (next) blocks = replaced(blocks, next);
    const { day, start, length } = blocks.find((one) => one.key === key);
    return [DAYS[day], clock(start), clock(start + length), next !== null];
  };
  assert.deepEqual(press("move", 1), ["mon", "09:15", "12:15", true]);
  assert.deepEqual(press("move", 1), ["mon", "09:30", "12:30", true]);
  assert.deepEqual(press("move", 1), ["mon", "09:30", "12:30", false], "the next one begins here");
  assert.deepEqual(press("end", 1), ["mon", "09:30", "12:30", false]);
  assert.deepEqual(press("end", -1), ["mon", "09:30", "12:15", true]);
  assert.deepEqual(press("start", -1), ["mon", "09:15", "12:15", true]);
  assert.deepEqual(press("day", 1), ["mon", "09:15", "12:15", false], "Tuesday has no room");
  blocks = without(blocks, blocks[2].key);
  assert.deepEqual(press("day", 1), ["tue", "09:15", "12:15", true]);
  assert.deepEqual(press("day", -1), ["mon", "09:15", "12:15", true]);
  assert.deepEqual(press("day", -1)[3], false, "before Monday is nothing");
});

test("keys reach midnight from both sides, and go over it", () => {
  const night = of(4, "23:30", "24:00");
  const end = keyed([night], night, "end", 1);
  assert.deepEqual(texts([end]), { fri: [["23:30", "00:15"]] });
  const last = keyed([night], night, "move", 1);
  assert.deepEqual(texts([last]), { fri: [["23:45", "00:15"]] });
  assert.equal(keyed([last], last, "move", 1), null);
  const first = of(4, "00:00", "01:00");
  assert.equal(keyed([first], first, "move", -1), null);
  const odd = of(4, "09:07", "10:00");
  assert.deepEqual(texts([keyed([odd], odd, "move", -1)]), { fri: [["09:00", "09:53"]] });
});

test("random keys and drags leave a week that a calendar can have", () => {
  const { below, one } = seeded(5);
  let blocks = [];
  for (let run = 0; run < 800; run += 1) {
    const place = () => ({ day: below(9) - 1, minute: below(1441) });
    const target = blocks.length ? one(blocks) : null;
    const next = !target || below(4) === 0 ? drawn({ day: below(7), minute: below(1441) }, place())
      : below(2) ? dragged(target, one(["move", "start", "end"]), place(), place())
        : keyed(blocks, target, one(["move", "start", "end", "day"]), one([1, -1]));
    if (!next) continue;
    const known = blocks.some(({ key }) => key === next.key);
    blocks = settled(known ? replaced(blocks, next) : [...blocks, next], next.key);
    assert.ok(blocks.some(({ key }) => key === next.key), "it keeps its key");
    for (const { day, start, length } of blocks) {
      assert.ok(day >= 0 && day < 7 && start >= 0 && start < 1440 && length >= 1 && length <= 1440);
    }
    assert.ok(isSameWeek(blocksOf(weekOf(blocks)), blocks));
    if (blocks.length > 20) blocks = [];
  }
});

test("a day gets a block where it has room, and the other days become as it is", () => {
  const blocks = [of(0, "09:00", "12:00"), of(2, "01:00", "02:00"), of(6, "10:00", "11:00")];
  assert.deepEqual(texts([free(blocks, 1)]), { tue: [["09:00", "17:00"]] });
  assert.deepEqual(texts([free(blocks, 0)]), { mon: [["12:15", "13:15"]] });
  assert.equal(free([of(3, "00:00", "24:00")], 3), null);
  assert.deepEqual(texts([free([of(3, "08:00", "24:00")], 3)]), { thu: [["00:00", "01:00"]] });
  assert.deepEqual(Object.keys(texts(copied(blocks, 0))), ["mon", "tue", "wed", "thu", "fri", "sun"]);
  assert.deepEqual(texts(copied(blocks, 0)).wed, [["09:00", "12:00"]]);
  assert.deepEqual(texts(copied(blocks, 0, true)).sun, [["09:00", "12:00"]]);
  const keys = copied(blocks, 0).map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});
