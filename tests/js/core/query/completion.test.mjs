import assert from "node:assert/strict";
import { test } from "node:test";

import { Completion } from "../../../../static/js/core/query/completion.js";
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

const shops = { suggestions: [{ text: "shop", from: 8, to: 8, kind: "value" }] };

test("what the page knows is proposed at once, and the server is asked when the typing pauses", async () => {
  const { completion, timers, asked } = completionOf(() => ({ suggestions: [] }));
  completion.look("as", 2);
  assert.deepEqual(texts(completion), ["assigned:"]);
  completion.look("ass", 3);
  await timers.turn(1000);
  assert.deepEqual(asked, [["ass", 3]]);
  assert.deepEqual(texts(completion), []);
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
  const { completion, timers } = completionOf(() => ({
    suggestions: ["vi", "vi-vn"].map((text) => ({ text, from: 5, to: 7, kind: "value" })),
  }));
  completion.look("is:OPEN", 7);
  assert.equal(completion.shown, false);
  completion.look("lang:vi", 7);
  await timers.turn(1000);
  assert.deepEqual(texts(completion), ["vi-vn"]);
});

test("a late answer changes nothing", async () => {
  const waiting = [];
  const { completion, timers } = completionOf(() => new Promise((resolve) => { waiting.push(resolve); }));
  completion.look("source:", 7);
  await timers.turn(500);
  completion.look("is:o", 4);
  waiting[0](shops);
  await settled();
  assert.deepEqual(texts(completion), ["open"]);
  completion.look("source:", 7);
  await timers.turn(500);
  completion.close();
  waiting[1](shops);
  await settled();
  assert.equal(completion.shown, false);
});

test("without a connection it goes on with the values that it has seen", async () => {
  let works = true;
  const { completion, timers } = completionOf(() => {
    if (!works) throw new Error("away");
    return { suggestions: ["Shop", '"my shop"'].map((text) => ({ text, from: 7, to: 7, kind: "value" })) };
  });
  assert.deepEqual(await completion.valuesOf("source"), ["Shop", '"my shop"']);
  works = false;
  assert.deepEqual(await completion.valuesOf("source"), ["Shop", '"my shop"']);
  assert.deepEqual(await completion.valuesOf("lang"), ["none"]);
  completion.look("is:open source:m", 16);
  await timers.turn(1000);
  assert.deepEqual(texts(completion), ['"my shop"']);
});

test("the arrows go through the suggestions and the field itself", () => {
  const { completion } = completionOf(() => ({ suggestions: [] }));
  completion.look("waits:", 6);
  assert.deepEqual(texts(completion), [">", "<", ">=", "<="]);
  const places = [1, 1, 1, 1, 1, -1].map((step) => {
    completion.step(step);
    return completion.active;
  });
  assert.deepEqual(places, [0, 1, 2, 3, -1, 3]);
});

test("nothing is proposed where nothing is begun, unless it is asked for", () => {
  const { completion } = completionOf(() => ({ suggestions: [] }));
  for (const text of ["", "is:open ", "(", "-"]) {
    completion.look(text, text.length);
    assert.equal(completion.shown, false, text);
  }
  completion.look("", 0, { all: true });
  assert.ok(completion.suggestions.length > 10);
});
