// The week of a calendar as blocks of open time. A block belongs to the day on which it starts, and may
// go over midnight: {key, day: 0 (Monday) to 6, start: minutes from midnight, length: minutes}.

import { clock, DAY, endAfter, minutesOf, STEP } from "./clock.js";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
export const BLOCKS_MAX = 50; // of a day
const WEEKDAYS = 5;

let made = 0;

/** @param {number} day @param {number} start @param {number} length @returns {Block} */
export function block(day, start, length) {
  made += 1;
  return { key: made, day, start, length };
}

/** @param {Block} block */
export const endOf = ({ start, length }) => start + length;

// By day and start, as they stand in the picture.
/** @param {Block[]} blocks */
const inOrder = (blocks) => [...blocks].sort((a, b) => (
  a.day - b.day || a.start - b.start || a.length - b.length
));

/** @param {Block[]} blocks @param {number} day */
export const ofDay = (blocks, day) => inOrder(blocks.filter((one) => one.day === day));

/** @param {CalendarWeek} week @returns {Block[]} */
export const blocksOf = (week) => DAYS.flatMap((name, day) => (
  (week[name] ?? []).map(([from, to]) => {
    const start = minutesOf(from);
    return block(day, start, endAfter(start, minutesOf(to)) - start);
  })
));

// As a calendar has it: days without open time are left out, and what touches is one interval.
/** @param {Block[]} blocks @returns {CalendarWeek} */
export function weekOf(blocks) {
  /** @type {CalendarWeek} */
  const week = {};
  for (const one of merged(blocks)) (week[DAYS[one.day]] ??= []).push(intervalOf(one));
  return week;
}

/** @param {Pick<Block, "start" | "length">} block @returns {[string, string]} */
export function intervalOf({ start, length }) {
  const end = start + length;
  return [clock(start), clock(end > DAY ? end - DAY : end)];
}

// Blocks of one day that overlap or touch become one, which keeps the key of the first. What would have
// more than 24 hours, which no interval has, becomes two: the second has 24.
/** @param {Block[]} blocks @returns {Block[]} */
export function merged(blocks) {
  const joined = [];
  for (const one of inOrder(blocks)) {
    const last = joined.at(-1);
    if (!last || last.day !== one.day || endOf(last) < one.start) joined.push({ ...one });
    else last.length = Math.max(endOf(last), endOf(one)) - last.start;
  }
  return joined.flatMap((one) => (one.length <= DAY ? one : cut(one, endOf(one) - DAY)));
}

const cut = (one, at) => [
  { ...one, length: at - one.start }, block(one.day, at, endOf(one) - at),
];

// After a block was let go: it takes in what it overlaps or touches on its day, and keeps its key.
/** @param {Block[]} blocks @param {number} key */
export function settled(blocks, key) {
  const one = blocks.find((each) => each.key === key);
  if (!one) return blocks;
  const others = blocks.filter(({ day }) => day !== one.day);
  const joined = merged(ofDay(blocks, one.day)).map((each) => ({ ...each }));
  const holder = joined.find((each) => each.start <= one.start && one.start < endOf(each));
  if (holder && holder.key !== key) holder.key = key;
  return [...others, ...joined];
}

/** @param {Block[]} blocks @param {Block} changed */
export const replaced = (blocks, changed) => (
  blocks.map((each) => (each.key === changed.key ? changed : each))
);

/** @param {Block[]} blocks @param {number} key */
export const without = (blocks, key) => blocks.filter((each) => each.key !== key);

// A block in the first free time of a day, at best 9 to 17; null where there is none.
/** @param {Block[]} blocks @param {number} day */
export function free(blocks, day) {
  const taken = ofDay(blocks, day);
  if (taken.length >= BLOCKS_MAX) return null;
  if (!taken.length) return block(day, 9 * 60, 8 * 60);
  const last = Math.max(...taken.map(endOf));
  if (last + STEP < DAY) return block(day, last + STEP, Math.min(60, DAY - last - STEP));
  let from = 0;
  for (const one of taken) {
    if (one.start - from >= STEP) return block(day, from, Math.min(60, one.start - from));
    from = Math.max(from, endOf(one));
  }
  return null;
}

// The other days as this one: Monday to Friday, or all of them.
/** @param {Block[]} blocks @param {number} day @param {boolean} all */
export function copied(blocks, day, all = false) {
  const target = (other) => other !== day && (all || other < WEEKDAYS);
  const days = DAYS.map((_, other) => other).filter(target);
  return [
    ...blocks.filter((each) => !target(each.day)),
    ...days.flatMap((other) => ofDay(blocks, day).map(({ start, length }) => block(other, start, length))),
  ];
}

// What is drawn in the row of a day, in its order: {block, from, to, isTail}; the tail is what a block of
// the day before has beyond midnight. Sunday's is drawn on Monday.
/** @param {Block[]} blocks @param {number} day @returns {WeekPiece[]} */
export function piecesOf(blocks, day) {
  const before = (day + 6) % 7;
  const tails = ofDay(blocks, before).filter((one) => endOf(one) > DAY).map((one) => ({
    block: one, from: 0, to: endOf(one) - DAY, isTail: true,
  }));
  const own = ofDay(blocks, day).map((one) => ({
    block: one, from: one.start, to: Math.min(DAY, endOf(one)), isTail: false,
  }));
  return [...tails, ...own];
}

// Minutes of open time in a week, counted once where blocks of two days overlap.
/** @param {Block[]} blocks */
export function openMinutes(blocks) {
  const ranges = blocks.flatMap((one) => {
    const from = one.day * DAY + one.start;
    const to = from + one.length;
    return to > 7 * DAY ? [[from, 7 * DAY], [0, to - 7 * DAY]] : [[from, to]];
  }).sort((a, b) => a[0] - b[0]);
  let minutes = 0;
  let until = 0;
  for (const [from, to] of ranges) {
    minutes += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return minutes;
}
