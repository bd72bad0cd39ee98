import assert from "node:assert/strict";
import { test } from "node:test";

import { MentionCompletion, Proposals } from "../../../static/js/ui/thread/completion.js";
import { pageOf, settled } from "../support.mjs";

class Words extends Proposals {
  constructor(words) {
    super({ name: "word", painter: /** @type {any} */ ({ ask() {} }) });
    this.words = words;
  }

  get offered() { return this.asked === null ? [] : this.words; }

  written(word, field) { return { text: `${field.value}${word}`, caret: 2 }; }
}

function scene(words = ["one", "two", "three"]) {
  const proposals = new Words(words);
  const field = { value: "> ", caret: 0, typed: 0,
    setSelectionRange(start) { field.caret = start; }, dispatchEvent() { field.typed += 1; }, focus() {} };
  const press = (key, held = {}) => {
    let taken = 0;
    const event = { key, preventDefault() { taken += 1; }, stopPropagation() { taken += 1; }, ...held };
    assert.equal(proposals.key(event, field), taken === 2);
    return taken === 2;
  };
  proposals.ask("");
  return { proposals, field, press };
}

test("arrow keys walk around, and what is asked anew begins at the first", () => {
  const { proposals, press } = scene();
  assert.ok(press("ArrowUp"));
  assert.equal(proposals.activeId, "word-2");
  assert.ok(press("ArrowDown"));
  assert.equal(proposals.activeId, "word-0");
  press("ArrowDown");
  proposals.ask("");
  assert.equal(proposals.active, 1);
  proposals.ask("t");
  assert.equal(proposals.active, 0);
});

test("Enter and Tab write the one that is active, Ctrl+Enter sends", () => {
  for (const key of ["Enter", "Tab"]) {
    const { proposals, field, press } = scene();
    press("ArrowDown");
    assert.ok(!press("Enter", { ctrlKey: true }));
    assert.ok(press(key));
    assert.deepEqual([field.value, field.caret, field.typed], ["> two", 2, 1]);
    assert.equal(proposals.activeId, null);
  }
});

test("Escape closes, and no key is used where nothing is offered", () => {
  const { proposals, press } = scene();
  assert.ok(!press("a"));
  assert.ok(press("Escape"));
  assert.equal(proposals.asked, null);
  for (const key of ["Escape", "ArrowDown", "Enter"]) assert.ok(!press(key));
});

test("a note that is sent before the team is known is held until it is, also by a second press", async () => {
  const answers = [];
  let asked = 0;
  const mentions = new MentionCompletion(pageOf({
    painter: { ask() {} }, presence: { want() {} }, thread: { row: { desk: "main" } }, adminId: 1, now: () => 0,
    api: { team: () => new Promise((answer) => {
      asked += 1;
      answers.push(answer);
    }) },
  }));
  let [sent, tries] = [0, 0];
  // The composer tries again once the team is known.
  const send = () => {
    tries += 1;
    assert.ok(tries < 100, "it does not try without end");
    if (!mentions.holds("@Ken look", send)) sent += 1;
  };
  send();
  send();
  await settled();
  assert.deepEqual([sent, tries, asked], [0, 2, 1]);
  answers[0]({ team: [{ id: 2, name: "Ken", desks: ["main"], role: "admin" }] });
  await settled();
  assert.deepEqual([sent, tries, asked], [1, 3, 1]);
});
