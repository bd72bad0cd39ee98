import assert from "node:assert/strict";
import { test } from "node:test";

import { WeekDraft } from "../../../../static/js/core/hours/week-edit.js";

function draftOf(week) {
  const told = { changed: 0, chosen: 0 };
  const draft = new WeekDraft({
    week, changed: () => { told.changed += 1; }, chosen: () => { told.chosen += 1; },
  });
  return { draft, told };
}

test("times that are written change a block, over midnight too, and a wrong one stays as it was written", () => {
  const { draft } = draftOf({ mon: [["09:00", "12:00"], ["14:00", "18:00"]] });
  const [first] = draft.blocks;
  assert.equal(draft.write(first, "to", "9:77"), null);
  assert.deepEqual(draft.wrong, { key: first.key, edge: "to", text: "9:77" });
  assert.equal(draft.write(first, "from", "24:00"), null, "24:00 begins no time");
  draft.write(first, "to", "13:10");
  assert.equal(draft.wrong, null);
  assert.deepEqual(draft.week.mon[0], ["09:00", "13:10"]);
  draft.write(draft.of(first.key), "to", "15");
  assert.deepEqual(draft.week, { mon: [["09:00", "18:00"]] }, "what it overlaps is one with it");
  assert.equal(draft.key, first.key);
  draft.write(draft.of(first.key), "from", "20");
  assert.deepEqual(draft.week, { mon: [["20:00", "18:00"]] });
  draft.write(draft.of(first.key), "to", "24:00");
  assert.deepEqual(draft.week, { mon: [["20:00", "24:00"]] });
});

test("what was done is undone, key presses of one kind together", () => {
  const week = { tue: [["09:00", "12:00"]] };
  const { draft, told } = draftOf(week);
  const move = (what) => {
    draft.begin(what);
    draft.set(draft.blocks.map((one) => ({ ...one, start: one.start + 15 })));
  };
  for (let presses = 0; presses < 4; presses += 1) move("move 1");
  move("end 1");
  assert.equal(told.changed, 5);
  assert.ok(draft.undo());
  assert.deepEqual(draft.week, { tue: [["10:00", "13:00"]] });
  assert.ok(draft.undo());
  assert.deepEqual(draft.week, week);
  assert.ok(!draft.undo() && !draft.canUndo);
});

test("blocks are added to the chosen day, removed and copied", () => {
  const { draft } = draftOf({ mon: [["09:00", "12:00"]], sun: [["00:00", "24:00"]] });
  draft.choose(6, null);
  assert.equal(draft.add(), null, "Sunday is full");
  draft.choose(1, null);
  const one = draft.add();
  assert.deepEqual([draft.day, draft.key], [1, one.key]);
  draft.remove(one);
  assert.deepEqual([draft.key, draft.week.tue], [null, undefined]);
  draft.choose(0, null);
  draft.copy(false);
  assert.deepEqual(Object.keys(draft.week), ["mon", "tue", "wed", "thu", "fri", "sun"]);
  draft.undo();
  assert.deepEqual(Object.keys(draft.week), ["mon", "sun"]);
  draft.write(draft.blocks[0], "to", "wrong");
  draft.remove(draft.blocks[0]);
  assert.equal(draft.wrong, null);
});
