import assert from "node:assert/strict";
import { test } from "node:test";

import { Undoing } from "../../../static/js/ui/elements/undoing.js";
import { pageOf, settled } from "../support.mjs";

const done = (act) => ({ act, status: "done", row: { id: act } });
const changed = (act, by) => ({ act, status: "rejected", problem: { code: "done_meanwhile", status: 409, by } });

// What a tab keeps while it is reloaded.
function tabMemory() {
  const kept = new Map();
  return { read: (name) => JSON.parse(kept.get(name) ?? null), write: (name, value) => kept.set(name, JSON.stringify(value)) };
}

// answer(acts) gives the results of one request.
function desk(answer = (acts) => acts.map(done)) {
  const asked = [];
  const toasts = [];
  const steps = [];
  const t = Object.assign((key, more) => (more ? `${key}(${Object.values(more).join("|")})` : key), { named: () => "" });
  let time = 0;
  const bulk = { part: { stopped: 0, stop() { this.stopped += 1; } } };
  const undoing = new Undoing(/** @type {any} */ (pageOf({
    adminId: 1, rows: { put() {} }, now: () => time, bulk,
    api: { undo: async (acts) => {
      asked.push(acts);
      return { results: answer(acts) };
    } },
    toasts: {
      show(text, actions, { shownMs } = {}) {
        toasts.push({ text, actions: actions ?? [], ms: shownMs });
        return toasts.length;
      },
      drop() {},
    },
    language: { t }, painter: { ask() { if (undoing.progress) steps.push(undoing.progress.done); }, askAll() {} },
  })));
  const last = () => toasts.at(-1);
  return { undoing, asked, toasts, last, steps, bulk, wait: (ms) => { time += ms; } };
}

test("an undo that is pressed while an act is on the way undoes that act", async () => {
  const { undoing, asked, bulk } = desk();
  undoing.offer({ text: "first", acts: [1] });
  let arrive = (_act) => {};
  const act = async () => {
    const id = await undoing.during(() => new Promise((resolve) => { arrive = resolve; }));
    undoing.offer({ text: "second", acts: [id] });
  };
  act();
  const undone = undoing.undo();
  await settled();
  assert.deepEqual([asked, bulk.part.stopped], [[], 1], "it waits, and stops an act on many threads");
  arrive(2);
  await undone;
  assert.deepEqual(asked, [[2]]);
});

test("the act before is offered after an undo, for the rest of its minute", async () => {
  const { undoing, asked, last, wait } = desk();
  undoing.offer({ text: "Closed Mai", acts: [1] });
  wait(20_000);
  undoing.offer({ text: "Took Mai", acts: [2] });
  assert.equal(last().ms, 60_000);
  await undoing.undo();
  assert.equal(last().text, "undo.whole(Took Mai) · undo.before(Closed Mai)");
  assert.equal(last().ms, 40_000);
  wait(39_999);
  last().actions[0].run();
  await settled();
  assert.deepEqual(asked, [[2], [1]]);
  await undoing.undo();
  assert.equal(last().text, "undo.nothing");
});

test("offers are open again after a reload, for the rest of their minute", async () => {
  const memory = tabMemory();
  const before = desk();
  before.undoing.keepIn(memory);
  before.undoing.offer({ text: "Closed Mai, who waits", name: "Closed Mai", acts: [1], done: () => assert.fail() });
  before.wait(20_000);
  before.undoing.offer({ text: "Took Mai", acts: [2] });
  await before.undoing.undo();
  const after = desk();
  after.wait(50_000);
  after.undoing.keepIn(memory);
  assert.deepEqual([after.last().text, after.last().ms], ["Closed Mai, who waits", 10_000]);
  await after.undoing.undo();
  assert.deepEqual([after.asked, after.last().text], [[[1]], "undo.whole(Closed Mai)"]);
  const late = desk();
  late.undoing.keepIn(memory);
  await late.undoing.undo();
  assert.equal(late.last().text, "undo.nothing", "what was undone is not offered again");
});

test("200 acts are undone in parts, with their progress, and what colleagues changed is said", async () => {
  const ken = { id: 9, name: "Ken" };
  const byKen = desk((acts) => acts.map((act) => (act <= 3 ? changed(act, ken) : done(act))));
  const acts = Array.from({ length: 200 }, (_, at) => at + 1);
  byKen.undoing.offer({ text: "200 tagged", acts });
  await byKen.undoing.undo();
  assert.deepEqual(byKen.asked.map(({ length }) => length), [50, 50, 50, 50]);
  assert.deepEqual(byKen.steps, [0, 50, 100, 150]);
  assert.equal(byKen.last().text, "undo.done(197) undo.changed.by(3|200|Ken)");
  for (const [by, text] of [
    [[ken, { id: 8, name: "Ana" }], "colleagues(2|3|)"], [[ken, null], "since(2|3|)"],
    [[{ id: 1, name: "Me" }], "since(1|3|)"],
  ]) {
    const some = desk((all) => all.map((act) => (act <= by.length ? changed(act, by[act - 1]) : done(act))));
    some.undoing.offer({ text: "3 tagged", acts: [1, 2, 3] });
    await some.undoing.undo();
    assert.equal(some.last().text, `undo.done(${3 - by.length}) undo.changed.${text}`);
  }
});

test("what the server could not undo yet is offered again", async () => {
  let isAway = true;
  const { undoing, asked, last } = desk((acts) => {
    if (isAway && acts.includes(120)) throw Object.assign(new Error(), { status: 503, retryAfterMs: 1 });
    return acts.map((act) => (isAway && act === 2
      ? { act, status: "rejected", problem: { code: "storage_unavailable", status: 503 } } : done(act)));
  });
  undoing.offer({ text: "120 closed", acts: Array.from({ length: 120 }, (_, at) => at + 1) });
  await undoing.undo();
  assert.equal(asked.length, 4, "the last part was asked for twice");
  assert.match(last().text, /^undo\.done\(99\) .*undo\.left\(21\)$/);
  isAway = false;
  last().actions[0].run();
  await settled();
  assert.deepEqual(asked.at(-1), [2, ...Array.from({ length: 20 }, (_, at) => at + 101)]);
  assert.equal(last().text, "undo.whole(120 closed)");
});
