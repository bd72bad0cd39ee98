import assert from "node:assert/strict";
import { test } from "node:test";

import { ThreadActions } from "../../../static/js/ui/thread/actions.js";
import { settled, pageOf } from "../support.mjs";

// Thread 2 is open, in a list in which 3 stands next to it.
function desk({
  view = "arrival", query = null, filter = "all", open = true, next = 3, below = null, assignee = null,
  waiting = null, queues = undefined,
} = {}) {
  const rows = new Map([[2, {
    id: 2, open, customer: { name: "Mai" }, assignee, waiting_since: waiting, last_message_id: 9,
  }]]);
  let answer = true;
  const listing = { activeId: 2 };
  const opened = [];
  const offers = [];
  const acted = [];
  const thread = { id: 2, shownId: 9, state: "ready", get row() { return rows.get(thread.id); } };
  const put = (change) => ({ row: { ...rows.get(2), ...change }, act: 5 });
  const actions = new ThreadActions(/** @type {any} */ pageOf(({
    thread, rows: { get: (id) => rows.get(id), put: (row) => rows.set(row.id, row) },
    lists: { listing, list: { view, query, filter, sort: "arrival" } },
    api: { close: async () => put({ open: false }), act: async (_id, act) => { acted.push(act); return put({ open: true }); }, snooze: async () => put({ snooze: {} }) },
    toasts: { show() {} }, painter: { askAll() {}, ask() {} }, language: { t: (key) => key, words: { moment: String } },
    admin: { id: 1, role: "admin" }, undoing: { during: (run) => run(), offer: (offer) => offers.push(offer) }, now: () => 1000,
    queues: { part: queues }, neighbours: { next: () => next }, listPane: { nextTo: () => below },
    dialog: dialogOf(() => answer),
    open: (id) => {
      opened.push(id);
      thread.id = id;
    },
  })));
  return { actions, opened, offers, acted, thread, listing, answers: (said) => { answer = said; } };
}

// A dialog in which the question is answered at once.
function dialogOf(said) {
  let closed = () => {};
  const element = { setAttribute() {}, removeAttribute() {}, querySelector: () => ({ focus() {} }) };
  return {
    element, close() { closed(); },
    open(_title, content, ended) {
      closed = ended;
      const [no, yes] = content().values.filter((value) => typeof value === "function");
      queueMicrotask(said() ? yes : no);
    },
  };
}

const LISTS = [
  { view: "arrival" }, { view: "not_respond" }, { view: "arrival", filter: "mine" }, { view: "snoozed" },
  { view: "history" }, { view: "history", filter: "mine" }, { view: "query", query: "refund" }, { view: "v17" },
];

for (const list of LISTS) {
  test(`Done goes on to the next thread of the list, and undone comes back: ${JSON.stringify(list)} (H4)`, async () => {
    const { actions, opened, offers } = desk(list);
    assert.equal(await actions.finish(), true);
    assert.deepEqual(opened, [3]);
    offers[0].done();
    assert.deepEqual(opened, [3, 2]);
  });
}

test("a reopened thread stays on screen, but goes where it leaves the list that is shown (H4)", async () => {
  const arrival = desk({ open: false });
  await arrival.actions.finish();
  assert.deepEqual(arrival.opened, []);
  const history = desk({ view: "history", open: false });
  await history.actions.finish();
  assert.deepEqual(history.opened, [3]);
  history.offers[0].done();
  assert.deepEqual(history.opened, [3, 2]);
});

test("at the end of the list, or where another thread was opened meanwhile, nothing is opened (H4)", async () => {
  const last = desk({ view: "history", next: null });
  await last.actions.finish();
  assert.deepEqual(last.opened, []);
  const gone = desk();
  const done = gone.actions.finish();
  gone.thread.id = 8;
  await done;
  await settled();
  assert.deepEqual(gone.opened, []);
});

test("Done on the row of the keyboard goes to the next row, and leaves the open thread open", async () => {
  const { actions, opened, offers, thread, listing } = desk({ next: null, below: 4 });
  thread.id = 8;
  assert.equal(await actions.finish({ id: 2 }), true);
  assert.deepEqual([opened, listing.activeId], [[], 4]);
  offers[0].done();
  assert.deepEqual([opened, listing.activeId], [[], 2]);
});

test("a key asks before it closes a colleague's thread, and says who had what was closed", async () => {
  const theirs = desk({ assignee: { id: 9, name: "Ken" } });
  theirs.answers(false);
  assert.equal(await theirs.actions.finishByKey(2), false);
  assert.deepEqual(theirs.offers, []);
  theirs.answers(true);
  assert.equal(await theirs.actions.finishByKey(2), true);
  assert.equal(theirs.offers[0].text, "undo.closed.theirs");
  const waiting = desk({ waiting: 500 });
  assert.equal(await waiting.actions.finishByKey(2), true, "no question");
  assert.equal(waiting.offers[0].text, "undo.closed.waiting");
});

test("a thread is taken above the own capacity only after the answer, and without queues at once (Q60)", async () => {
  const done = [];
  const asked = [];
  const queues = { part: null };
  const row = { id: 2, open: true, customer: { name: "Mai" }, assignee: null };
  const actions = new ThreadActions(/** @type {any} */ (pageOf({
    thread: { id: 2 }, rows: { get: () => row, put() {} }, queues, admin: { id: 1, role: "admin" },
    api: { act: async (id, action) => void done.push([id, action]) ?? { row, act: 5 } },
    undoing: { during: (run) => run(), offer() {} }, painter: { askAll() {} }, language: { t: (key) => key },
  })));
  assert.equal(await actions.claim(), true);
  const part = (answer) => ({ mayTake: async (ids) => asked.push(ids) && answer, giveBack: () => false });
  queues.part = part(false);
  assert.equal(await actions.claim(), false);
  queues.part = part(true);
  assert.equal(await actions.claim(), true);
  assert.deepEqual([asked, done], [[[2], [2]], [[2, "claim"], [2, "claim"]]]);
  row.assignee = { id: 1, name: "Me" };
  await actions.claim();
  assert.deepEqual([asked.length, done.at(-1)], [2, [2, "release"]], "a release needs no place");
});

test("Give back is one act: the queue that gave the thread asks first, and any other thread goes back at once (Q50)", async () => {
  const asked = [];
  const giving = (isGiven) => ({ giveBack: (id) => { asked.push(id); return isGiven; } });
  for (const [queues, acts] of [[giving(true), []], [giving(false), ["release"]], [undefined, ["release"]]]) {
    const { actions, acted } = desk({ assignee: { id: 1, name: "Me" }, queues });
    assert.equal(await actions.claim(), true);
    assert.deepEqual(acted, acts);
  }
  assert.deepEqual(asked, [2, 2]);
});
