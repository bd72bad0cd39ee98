import assert from "node:assert/strict";
import { test } from "node:test";

import { markedParts } from "../../../../static/js/core/find.js";
import { Matches, offsetsOf } from "../../../../static/js/core/thread/matches.js";
import { Clock, settled } from "../../support.mjs";

const match = (id) => ({ id, at: id, marks: [[0, 1]] });

function found(...answers) {
  const timers = new Clock();
  const shown = [];
  const asked = [];
  const matches = new Matches({
    ask: async (threadId, query) => {
      asked.push([threadId, query]);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    show: (id) => shown.push(id),
    changed() {},
    timers,
  });
  return { matches, shown, asked, timers };
}

test("a result is shown with its place, and the others are a step away, round and round", async () => {
  const { matches, shown, asked } = found({ matches: [2, 5, 9].map(match), total: 3 });
  await matches.begin(7, { query: "a", messageId: 5 });
  assert.deepEqual([asked, matches.place, matches.total], [[[7, "a"]], 2, 3]);
  assert.deepEqual(matches.marksOf(9), [[0, 1]]);
  assert.deepEqual(matches.marksOf(3), []);
  const places = [1, 1, 1, -1, -1].map((step) => { matches.step(step); return matches.place; });
  assert.deepEqual(places, [3, 1, 2, 1, 3]);
  assert.deepEqual(shown, [5, 9, 2, 5, 2, 9]);
});

test("of very many the newest are walked through, and the place counts all", async () => {
  const { matches } = found({ matches: [8, 9].map(match), total: 1002 });
  await matches.begin(7, { query: "a", messageId: 9 });
  assert.equal(matches.place, 1002);
  matches.step(1);
  assert.equal(matches.place, 1001);
});

test("what comes meanwhile is counted once things are quiet; the shown match stays", async () => {
  const { matches, shown, asked, timers } = found(
    { matches: [2].map(match), total: 1 }, { matches: [1, 2, 3].map(match), total: 3 },
  );
  await matches.begin(7, { query: "a", messageId: 2 });
  matches.lookAgain();
  matches.lookAgain();
  await timers.turn(1000);
  assert.equal(asked.length, 2);
  assert.deepEqual([matches.place, matches.total], [2, 3]);
  assert.deepEqual(shown, [2], "nothing is scrolled");
});

test("a match that is gone has no place, and the next step leads to the newest", async () => {
  const { matches } = found({ matches: [3, 4].map(match), total: 2 });
  await matches.begin(7, { query: "a", messageId: 9 });
  assert.equal(matches.place, 0);
  assert.equal(matches.step(-1).id, 4);
  const none = found({ matches: [], total: 0 }).matches;
  await none.begin(7, { query: "a", messageId: 9 });
  assert.equal(none.step(1), null);
});

test("another thread ends it, and an answer that comes later changes nothing", async () => {
  const { matches, timers, asked } = found({ matches: [2].map(match), total: 1 });
  const begun = matches.begin(7, { query: "a", messageId: 2 });
  matches.opened(7);
  assert.equal(matches.shown, true);
  matches.opened(8);
  await begun;
  matches.lookAgain();
  await timers.turn(1000);
  assert.deepEqual([matches.shown, matches.place, asked.length], [false, 0, 1]);
});

test("a failure is told, and keeps what is known", async () => {
  const { matches, timers } = found(new Error(), { matches: [2].map(match), total: 1 }, new Error());
  await matches.begin(7, { query: "a", messageId: 2 });
  assert.equal(matches.state, "failed");
  matches.lookAgain();
  await timers.turn(1000);
  assert.equal(matches.state, "done");
  matches.lookAgain();
  await timers.turn(1000);
  await settled();
  assert.deepEqual([matches.state, matches.place], ["done", 1]);
});

test("a text is cut at its marks, by code points, wherever in the message it begins", () => {
  const marked = (...given) => markedParts(...given).map(({ text, marked: is }) => (is ? `[${text}]` : text)).join("");
  assert.equal(marked("👍 order 7", 0, [[2, 7]]), "👍 [order] 7");
  assert.equal(marked("order 7", 10, [[0, 4], [8, 12], [16, 17], [30, 40]]), "[or]der [7]");
  assert.equal(marked("abc", 0, []), "abc");
  assert.deepEqual(offsetsOf({ body: "👍a", attachments: [{ name: "" }, { name: "b" }, { name: "c" }] }),
    [0, 3, 3, 5]);
  assert.deepEqual(offsetsOf({ body: "", attachments: [{ name: "b" }] }), [0, 0]);
});
