import assert from "node:assert/strict";
import { test } from "node:test";

import { Completion, fieldAt } from "../../../../static/js/core/query/completion.js";
import { Clock, settled } from "../../support.mjs";

const texts = (completion) => completion.suggestions.map(({ text }) => text);

function completionOf(answer) {
  const timers = new Clock();
  const asked = [];
  const ask = async (text, at) => {
    asked.push([text, at]);
    return answer(text, at);
  };
  return { timers, asked, completion: new Completion({ ask, changed: () => {}, timers }) };
}

// An answer whose suggestions replace what stands behind the last colon or blank.
const proposing = (kind, ...texts) => (text, at) => {
  const from = text.slice(0, at).search(/[^\s:]*$/);
  return { suggestions: texts.map((one) => ({ text: one, from, to: at, kind })) };
};

test("the server is asked when the typing pauses, and its last answer is shown", async () => {
  const { completion, timers, asked } = completionOf(proposing("field", "assigned:", "age:"));
  completion.look("a", 1);
  assert.deepEqual(texts(completion), []);
  completion.look("as", 2);
  await timers.turn(1000);
  assert.deepEqual(asked, [["as", 2]]);
  assert.deepEqual(texts(completion), ["assigned:", "age:"]);
});

test("until it answers, what it proposed before is shown as far as it goes on", async () => {
  const { completion, timers } = completionOf(proposing("value", "shop", '"shop two"', "mail"));
  completion.look("source:", 7);
  await timers.turn(1000);
  for (const [text, expected] of [
    ["source:s", ["shop", '"shop two"']], ["-SOURCE:Sh", ["shop", '"shop two"']],
    ['(source:"shop t', ['"shop two"']], ["source:mail,", ["shop", '"shop two"']],
    ["source:x", []], ["lang:s", []], ["s", []],
  ]) {
    completion.look(text, text.length);
    assert.deepEqual(texts(completion), expected, text);
  }
  completion.look("is:open source:sh or", 17);
  assert.deepEqual(completion.taken("is:open source:sh or", 0), { text: "is:open source:shop or", at: 19 });
});

test("places are those of the page's texts, and the server's count characters", async () => {
  const text = 'source:"😀" pr';
  const { completion, timers, asked } = completionOf(() => ({
    suggestions: [{ text: "priority:", from: 11, to: 13, kind: "field" }],
  }));
  completion.look(text, text.length);
  await timers.turn(1000);
  assert.deepEqual(asked[0], [text, 13]);
  assert.deepEqual(completion.taken(text, 0), { text: 'source:"😀" priority:', at: text.length + 7 });
});

test("what stands there already is not proposed", async () => {
  const { completion, timers } = completionOf(proposing("value", "vi", "vi-vn"));
  completion.look("lang:VI", 7);
  await timers.turn(1000);
  assert.deepEqual(texts(completion), ["vi-vn"]);
});

test("a late answer changes nothing", async () => {
  const waiting = [];
  const { completion, timers } = completionOf(() => new Promise((resolve) => { waiting.push(resolve); }));
  const answer = (index, text, ...values) => waiting[index](proposing("value", ...values)(text, text.length));
  completion.look("source:", 7);
  await timers.turn(500);
  completion.look("is:o", 4);
  await timers.turn(500);
  answer(1, "is:o", "open");
  answer(0, "source:", "shop");
  await settled();
  assert.deepEqual(texts(completion), ["open"]);
  completion.look("source:x", 8);
  await timers.turn(500);
  completion.close();
  answer(2, "source:x", "xenon");
  await settled();
  assert.equal(completion.shown, false);
});

test("without a connection it goes on with the values that it has seen", async () => {
  let works = true;
  const { completion, timers } = completionOf((text, at) => {
    if (!works) throw new Error("away");
    return proposing("value", "Shop", '"my shop"')(text, at);
  });
  assert.deepEqual(await completion.valuesOf("source"), ["Shop", '"my shop"']);
  works = false;
  assert.deepEqual(await completion.valuesOf("source"), ["Shop", '"my shop"']);
  assert.deepEqual(await completion.valuesOf("lang"), []);
  completion.look("is:open source:m", 16);
  await timers.turn(1000);
  assert.deepEqual(texts(completion), ['"my shop"']);
});

test("the arrows go through the suggestions and the field itself", async () => {
  const { completion, timers } = completionOf(proposing("operator", ">", "<", ">=", "<="));
  completion.look("waits:", 6);
  await timers.turn(1000);
  assert.deepEqual(texts(completion), [">", "<", ">=", "<="]);
  const places = [1, 1, 1, 1, 1, -1].map((step) => {
    completion.step(step);
    return completion.active;
  });
  assert.deepEqual(places, [0, 1, 2, 3, -1, 3]);
});

test("steps that are taken before the answer count once it is there", async () => {
  const { completion, timers } = completionOf(proposing("field", "lang:", "last:"));
  completion.look("la", 2);
  assert.equal(completion.isAwaited, true);
  completion.step(1);
  completion.step(1);
  const done = [];
  completion.afterAnswer(() => done.push(completion.active));
  await timers.turn(1000);
  assert.deepEqual([done, completion.isAwaited], [[1], false]);
  completion.look("las", 3);
  assert.equal(completion.isAwaited, false, "what was proposed before is shown");
  completion.look("is:o", 4);
  completion.afterAnswer(() => done.push("late"));
  completion.look("is:op", 5);
  await timers.turn(1000);
  assert.deepEqual(done, [1], "something else was typed");
});

test("nothing is proposed where nothing is begun, unless it is asked for", async () => {
  const { completion, timers, asked } = completionOf(proposing("field", "is:", "lang:"));
  for (const text of ["", "is:open ", "(", "-"]) {
    completion.look(text, text.length);
    await timers.turn(1000);
    assert.equal(completion.shown, false, text);
  }
  assert.deepEqual(asked, []);
  completion.look("", 0, { all: true });
  await timers.turn(1000);
  assert.deepEqual(texts(completion), ["is:", "lang:"]);
});

test("the field of a place is that of the term that stands there", () => {
  for (const [text, field] of [
    ["lang:", "lang"], ["-Lang:vi,", "lang"], ["ｔａｇ：v", "tag"], ['(source:"a b', "source"],
    ["lang:vi ", ""], ["(", ""], ["foo:", ""], ["constructor:", ""],
  ]) assert.equal(fieldAt(text, text.length), field, text);
});
