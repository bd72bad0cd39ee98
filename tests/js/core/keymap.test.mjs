import assert from "node:assert/strict";
import { test } from "node:test";

import { CHORD_MS, Keymap, letterOf } from "../../../static/js/core/keymap.js";
import { CHOICES } from "../support.mjs";

const nowhere = { field: false, control: false };
const press = (keys, key, where = nowhere, now = 0, more = {}) => keys.press({ key, ...more }, where, now);

test("letters, arrows and dots are verbs", () => {
  const keys = new Keymap(CHOICES);
  assert.equal(press(keys, "j"), "list:next");
  assert.equal(press(keys, "ArrowUp"), "list:previous");
  assert.equal(press(keys, "Enter"), "list:open");
  assert.equal(press(keys, "."), "thread:show");
  assert.equal(press(keys, "q"), "queues:next");
  assert.equal(press(keys, "O", nowhere, 0, { shift: true }), "queues:open");
  assert.equal(press(keys, "y"), null);
});

test("two keys make a chord when they come soon after each other", () => {
  const keys = new Keymap(CHOICES);
  assert.equal(press(keys, "g"), null);
  assert.equal(press(keys, "n"), "view:not_respond");
  press(keys, "s", nowhere, 10_000);
  assert.equal(press(keys, "p", nowhere, 10_000 + CHORD_MS - 1), "sort:priority");
  press(keys, "s", nowhere, 20_000);
  assert.equal(press(keys, "p", nowhere, 20_000 + CHORD_MS), "list:pause");
  press(keys, "g", nowhere, 30_000);
  assert.equal(press(keys, "j", nowhere, 30_001), "list:next", "no chord: the key counts alone");
  assert.equal(press(keys, "b", nowhere, 30_002), null);
});

test("nothing is heard in a field but Esc, nor in composition, nor with a modifier", () => {
  const keys = new Keymap(CHOICES);
  const field = { field: true, control: false };
  assert.equal(press(keys, "j", field), null);
  assert.equal(press(keys, "Escape", field), "back");
  assert.equal(press(keys, "Escape", field, 0, { composing: true }), null);
  assert.equal(press(keys, "j", nowhere, 0, { ctrl: true }), null);
});

test("a focused control keeps its own Enter and arrows", () => {
  const keys = new Keymap(CHOICES);
  const control = { field: false, control: true };
  assert.equal(press(keys, "Enter", control), null);
  assert.equal(press(keys, "ArrowDown", control), null);
  assert.equal(press(keys, "j", control), "list:next");
});

test("single letters can be turned off; named keys stay", () => {
  const keys = new Keymap(CHOICES);
  keys.lettersOn = false;
  assert.equal(press(keys, "p"), null);
  assert.equal(press(keys, "?"), null);
  assert.equal(press(keys, "Home"), "list:top");
});

test("held keys have verbs of their own; some of them work in a text, too", () => {
  const keys = new Keymap(CHOICES);
  const field = { field: true, control: false };
  const shift = { shift: true };
  assert.equal(press(keys, "ArrowDown", nowhere, 0, shift), "pick:down");
  assert.equal(press(keys, "ArrowDown", field, 0, shift), null);
  assert.equal(press(keys, "ArrowUp", field, 0, { alt: true, shift: true }), "unread:previous");
  assert.equal(press(keys, "K", field, 0, { meta: true }), "palette");
  assert.equal(press(keys, "F6", field, 0, shift), "pane:previous");
  assert.equal(press(keys, "a", nowhere, 0, { ctrl: true }), "pick:all");
  assert.equal(press(keys, "a", field, 0, { ctrl: true }), null);
  assert.equal(press(keys, "j", nowhere, 0, { ctrl: true }), null);
});

test("the next match is a key away, from a text, too, with letters only elsewhere", () => {
  const keys = new Keymap(CHOICES);
  const field = { field: true, control: false };
  assert.equal(press(keys, "F3", field), "match:next");
  assert.equal(press(keys, "F3", field, 0, { shift: true }), "match:previous");
  assert.equal(press(keys, "m"), "match:next");
  assert.equal(press(keys, "M", nowhere, 0, { shift: true }), "match:previous");
  assert.equal(press(keys, "m", field), null);
});

test("h puts off, also as the second key of a chord it stays what it was", () => {
  const keys = new Keymap(CHOICES);
  assert.equal(press(keys, "h"), "thread:snooze");
  assert.equal(press(keys, "g") ?? press(keys, "h"), "view:history");
  assert.equal(press(keys, "g") ?? press(keys, "s"), "view:snoozed");
  assert.equal(press(keys, "s") ?? press(keys, "s"), "sort:soonest");
  assert.equal(keys.keysOf("thread:snooze"), "h");
});

test("take, note, priorities and places have keys, and the help shows them", () => {
  const keys = new Keymap(CHOICES);
  assert.deepEqual(["t", "n", "r"].map((key) => press(keys, key)), ["thread:claim", "note", "reply"]);
  const chord = (first, second) => press(keys, first) ?? press(keys, second);
  const places = [
    "view:mine", "view:unassigned", "view:not_respond", "view:arrival", "view:snoozed", "view:mentions",
    "view:history",
  ];
  assert.deepEqual(["1", "2", "3", "4", "5", "6", "7"].map((key) => press(keys, key)), places);
  assert.deepEqual(["m", "u", "n", "a", "s", "e", "h"].map((key) => chord("g", key)), places);
  assert.deepEqual(keys.helpOf("go").find(([, verb]) => verb === "view:mine"), [["1", "g m"], "view:mine"]);
  assert.deepEqual(["a", "u", "m"].map((key) => chord("f", key)),
    ["view:arrival", "view:unassigned", "view:mine"], "as the filters of all open threads had them");
  assert.deepEqual(["u", "h", "n", "l"].map((key) => chord("u", key)),
    CHOICES.priorities.map((name) => `priority:${name}`));
  assert.equal(keys.keysOf("priority:high"), "u h");
  assert.equal(keys.keysOf("send:done"), "Ctrl Shift Enter");
});

test("g and a digit stand for a saved view by its place, g v for all of them", () => {
  const keys = new Keymap(CHOICES);
  press(keys, "g");
  assert.equal(press(keys, "9"), "saved:9");
  press(keys, "g");
  assert.equal(press(keys, "v"), "views");
  assert.equal(press(keys, "1"), "view:mine", "a digit alone is a place");
  assert.equal(keys.keysOf("views"), "g v");
});

test("keys work on every layout: by what they write where that is Latin, else by their place", () => {
  const none = null;
  const strokes = [
    // Caps Lock, with and without Shift.
    ["J", "KeyJ", {}, "list:next"], ["m", "KeyM", { shift: true }, "match:previous"],
    ["f", "KeyF", { shift: true }, "filters"], ["K", "KeyK", { ctrl: true }, "palette"],
    // Cyrillic, Greek, Hebrew, Arabic, Thai, kana.
    ["о", "KeyJ", {}, "list:next"], ["О", "KeyJ", {}, "list:next"], ["л", "KeyK", { ctrl: true }, "palette"],
    ["Л", "KeyK", { meta: true }, "palette"], ["ф", "KeyA", { ctrl: true }, "pick:all"],
    ["ξ", "KeyJ", {}, "list:next"], ["ח", "KeyJ", {}, "list:next"], ["ت", "KeyJ", {}, "list:next"],
    ["่", "KeyJ", {}, "list:next"], ["ま", "KeyJ", {}, "list:next"], ["ю", "Period", {}, "thread:show"],
    [".", "Slash", {}, "thread:show"], ["ظ", "Slash", {}, "search"], ["؟", "Slash", { shift: true }, "help"],
    ["Ь", "KeyM", { shift: true }, "match:previous"],
    // Dvorak, AZERTY and QWERTZ write Latin: the place does not count.
    ["j", "KeyC", {}, "list:next"], ["k", "KeyV", { ctrl: true }, "palette"], ["h", "KeyJ", {}, "thread:snooze"],
    ["z", "KeyY", {}, "undo"], ["/", "Period", { shift: true }, "search"], ["/", "Digit7", { shift: true }, "search"],
    ["/", "Digit9", {}, "search"], ["ß", "Minus", {}, none], ["ö", "Semicolon", {}, none], ["ı", "KeyI", {}, none],
    // Dead keys, input methods, AltGr and Option are left alone.
    ["Dead", "KeyN", {}, none], ["Process", "KeyJ", {}, none], ["Unidentified", "KeyJ", {}, none],
    ["о", "KeyJ", { composing: true }, none], ["ą", "KeyA", { altGraph: true }, none],
    ["ѓ", "KeyJ", { altGraph: true }, none], ["∆", "KeyJ", { alt: true }, none], ["л", "KeyK", { alt: true }, none],
  ];
  for (const [key, code, held, verb] of strokes) {
    const keys = new Keymap(CHOICES);
    assert.equal(press(keys, key, nowhere, 0, { code, ...held }), verb, `${key} at ${code}`);
  }
});

test("the second key of a chord is found on every layout, too, and digits without Shift", () => {
  for (const [first, firstCode, second, code] of [
    ["п", "KeyG", "1", "Digit1"], ["g", "KeyG", "&", "Digit1"], ["G", "KeyG", "+", "Digit1"],
    ["g", "KeyG", "١", "Digit1"], ["ل", "KeyG", "١", "Digit1"], ["g", "KeyG", "1", "Numpad1"],
  ]) {
    const keys = new Keymap(CHOICES);
    press(keys, first, nowhere, 0, { code: firstCode });
    assert.equal(press(keys, second, nowhere, 1, { code }), "saved:1", `${first} ${second}`);
  }
});

test("a sign that Shift writes on a key of digits is no digit", () => {
  const keys = new Keymap(CHOICES);
  press(keys, "g");
  assert.equal(press(keys, "!", nowhere, 1, { code: "Digit1", shift: true }), null);
  press(keys, "g", nowhere, 10);
  assert.equal(press(keys, "1", nowhere, 11, { code: "Digit1", shift: true }), "saved:1", "AZERTY");
});

test("menus take letters as the list does", () => {
  assert.equal(letterOf({ key: "е", code: "KeyT" }), "t");
  assert.equal(letterOf({ key: "T", code: "KeyT" }), "t");
  assert.equal(letterOf({ key: "я", code: "KeyZ" }), "z");
});
