import assert from "node:assert/strict";
import { test } from "node:test";

import { QueryCheck } from "../../../../static/js/core/query/check.js";
import { Clock, settled } from "../../support.mjs";

function checkOf(answer) {
  const timers = new Clock();
  const asked = [];
  const opened = [];
  const ask = async (text) => {
    asked.push(text);
    return answer(text);
  };
  const right = (...given) => opened.push(given);
  return { timers, asked, opened, check: new QueryCheck({ ask, right, changed: () => {}, timers }) };
}
const refused = (body) => { throw Object.assign(new Error("no"), { status: 422, body }); };

test("what is typed becomes a list when the typing pauses, and what is chosen at once", async () => {
  const { check, timers, asked, opened } = checkOf(() => ({ total: 7 }));
  check.type("is:o");
  check.type("is:open");
  assert.equal(check.state, "asking");
  await timers.turn(1000);
  assert.deepEqual([asked, opened, check.state, check.total], [["is:open"], [["is:open", true]], "done", 7]);
  assert.equal(await check.look("is:open lang:vi"), true);
  assert.deepEqual(opened.at(-1), ["is:open lang:vi", false]);
});

test("a mistake opens nothing and is gone with the next letter", async () => {
  const { check, timers, opened } = checkOf(() => refused({ code: "invalid_query", at: 0, expected: ["is:"] }));
  check.type("x:y");
  await timers.turn(1000);
  assert.deepEqual([check.state, check.mistake.at, check.mistake.end, opened], ["wrong", 0, 3, []]);
  check.type("x:yz");
  assert.equal(check.mistake, null);
});

test("a late answer opens nothing, nor one after the end", async () => {
  const waiting = [];
  const { check, timers, opened } = checkOf(() => new Promise((resolve) => { waiting.push(resolve); }));
  check.type("is:open");
  await timers.turn(1000);
  check.type("is:closed");
  waiting[0]({ total: 1 });
  await settled();
  await timers.turn(1000);
  check.stop();
  waiting[1]({ total: 2 });
  await settled();
  assert.deepEqual([opened, check.state], [[], "none"]);
});

test("without an answer it has failed, and can be asked again", async () => {
  let works = false;
  const { check } = checkOf(() => {
    if (!works) throw new Error("away");
    return { total: null };
  });
  assert.equal(await check.look("is:open"), false);
  assert.deepEqual([check.state, check.mistake], ["failed", null]);
  works = true;
  assert.equal(await check.look("is:open"), true);
});
