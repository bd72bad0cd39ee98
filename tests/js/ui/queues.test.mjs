// The switch, "Take next" and the notices of given threads, without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { translator } from "../../../static/js/core/i18n.js";
import { settled, pageOf } from "../support.mjs";

const element = () => ({ prepend() {}, replaceChildren() {} });
globalThis.document ??= /** @type {any} */ ({
  visibilityState: "visible", createTreeWalker: () => ({}), createComment: () => ({}), createElement: element, getElementById: element,
});
const { Toasts } = await import("../../../static/js/ui/elements/toasts.js");
const { Queues } = await import("../../../static/js/ui/queues/queues.js");
const { queueText } = await import("../../../static/js/ui/thread/act-line.js");
const { nowText, QueueForm, QueuesPage, secondsIn } = await import("../../../static/js/settings/queues.js");

const read = (path) => JSON.parse(readFileSync(new URL(`../../../static/i18n/${path}.json`, import.meta.url), "utf8"));
const t = translator("en", { ...read("en"), ...read("queues/en") });
const row = (id) => ({
  id, rev: 1, open: true, snooze: null, waiting_since: 1, queue: null, assignee: { id: 7, name: "Mai" }, customer: { id: `c-${id}`, name: `Customer ${id}` }, preview: null,
});
const PULL = { id: 1, name: "VIPs", mode: "pull", mine: true, waiting: 14, accepting: 1, eligible: 1 };
const ME = { accepting: false, capacity: 3, capacity_max: 5, load: 2, counts: "waiting" };
const QUEUE = { id: 1, name: "VIPs" };

// All texts of a template.
const textsIn = (value) => (Array.isArray(value) ? value.map(textsIn).join(" ")
  : value?.strings ? value.strings.map((text, at) => text + textsIn(value.values[at])).join("")
    : typeof value === "string" ? value : "");

// The page of an admin of one queue, and what it does.
function scene(test, { mode = "pull", answers = {} } = {}) {
  test.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const done = { asked: [], toasts: [], dropped: [], opened: [], announced: [], noticed: [], offered: [], called: [], closed: 0 };
  const rows = new Map();
  const ask = (method) => async (path, body) => {
    done.asked.push([method, path.replace("/admin/api/", ""), body]);
    const answer = answers[path.replace("/admin/api/", "")];
    if (answer instanceof Error) throw answer;
    return answer ?? null;
  };
  let time = 1000;
  const page = pageOf({
    adminId: 7, thread: { id: null, row: null, acts: { list: [] } },
    rows: { get: (id) => rows.get(id), put: (one) => rows.set(one.id, one) }, presence: { of: () => undefined },
    api: { rows: async () => answers.rows, http: { get: ask("GET"), put: ask("PUT"), post: ask("POST") } }, now: () => time,
    call: async (name, given) => void done.called.push([name, given]),
    painter: { add() {}, ask() {}, askAll() {} }, announce: (text) => done.announced.push(text),
    toasts: {
      show: (text, action) => done.toasts.push({ text, action }), drop: (id) => Boolean(done.dropped.push(id) && id > 0 && id > done.closed),
    },
    language: { t }, dialog: {}, notifier: { get: async () => ({ notice: (one) => done.noticed.push(one) }) },
    open: (id) => done.opened.push(id),
    acting: { get: async () => ({ undoing: { offer: (one) => done.offered.push(one) } }) },
  });
  const queues = new Queues(page);
  queues.state({ queues: [{ ...PULL, mode }], ids: [1], next: 14, me: { ...ME } });
  return { ...done, done, page, rows, queues, pass: (ms) => { time += ms; } };
}

test("the key takes the next thread and opens it, once however often it is pressed", async (context) => {
  const answers = { "queues/next": { row: row(4), queue: QUEUE, rank: 1, of: 14, act: 99 } };
  const { queues, asked, opened, offered, announced } = scene(context, { answers });
  assert.equal(queues.press("next"), undefined);
  queues.press("next");
  await settled();
  assert.deepEqual(asked, [["POST", "queues/next", undefined]]);
  assert.deepEqual(opened, [4]);
  assert.deepEqual(offered, [{ text: "Customer 4 is yours, from “VIPs”", acts: [99] }]);
  assert.match(announced.at(-1), /place 1 of 14 in “VIPs”/);
});

test("nothing waits, or the admin has no free place: the page says so", async (context) => {
  const answers = {};
  const { queues, toasts, opened } = scene(context, { answers });
  await queues.next();
  assert.equal(toasts.at(-1).text, "Nothing waits");
  answers["queues/next"] = Object.assign(new Error("full"), { code: "at_capacity", body: { load: 3, capacity: 3 } });
  await queues.next();
  assert.match(toasts.at(-1).text, /^You have 3 of 3 threads/);
  assert.deepEqual(opened, []);
});

test("without a queue to take from, the keys are left to the browser", (context) => {
  const { queues } = scene(context, { mode: "push" });
  assert.equal(queues.press("next"), false);
  assert.equal(queues.press("open"), false);
});

test("given threads are announced once, and one key opens the oldest", async (context) => {
  const { queues, announced, noticed, opened, pass } = scene(context, { mode: "push" });
  const gave = (id) => ({ thread_id: id, queue: QUEUE, until: 60_000, row: row(id) });
  for (const id of [4, 5, 4]) queues.gave(gave(id));
  await settled();
  assert.deepEqual(announced.filter((text) => text.startsWith("You got")), [
    "You got a thread: Customer 4, from “VIPs”. Shift O opens it.",
    "You got a thread: Customer 5, from “VIPs”. Shift O opens it.",
  ]);
  assert.deepEqual(noticed.map(({ kind, thread_id: id }) => [kind, id]), [["queue", 4], ["queue", 5]]);
  assert.equal(queues.press("open"), undefined);
  assert.equal(queues.press("open"), undefined);
  assert.equal(queues.press("open"), false);
  assert.deepEqual(opened, [4, 5]);
  queues.gave({ ...gave(6), until: 60_000 });
  pass(62_000);
  assert.equal(queues.press("open"), false, "its time is over");
});

test("a given thread that was opened in another window loses its notice here", (context) => {
  const { queues, opened } = scene(context, { mode: "push" });
  for (const id of [4, 5]) queues.gave({ thread_id: id, queue: QUEUE, until: 60_000, row: row(id) });
  queues.taken({ thread_id: 4 });
  queues.taken({ thread_id: 9 });
  queues.press("open");
  assert.equal(queues.press("open"), false);
  assert.deepEqual(opened, [5]);
});

test("a thread that is on the screen when it is given is opened, once the window is visible", (context) => {
  const { queues, page, called, announced } = scene(context, { mode: "push" });
  page.data.thread.id = 4;
  context.after(() => { document.visibilityState = "visible"; });
  document.visibilityState = "hidden";
  const given = { thread_id: 4, queue: QUEUE, until: 60_000, row: row(4) };
  queues.gave(given);
  assert.deepEqual([called, announced.length], [[], 1], "nobody looks");
  document.visibilityState = "visible";
  context.mock.timers.tick(1000);
  context.mock.timers.tick(1000);
  assert.deepEqual(called, [["thread:open", { id: 4 }]]);
  assert.equal(queues.press("open"), false, "it needs no notice");
  queues.gave(given);
  assert.deepEqual([called.length, announced.length], [2, 1], "given again: opened again, and not announced");
});

test("after a new connection only those keep a notice that are still to be opened", (context) => {
  const { queues, opened } = scene(context, { mode: "push" });
  for (const id of [4, 5, 6]) queues.gave({ thread_id: id, queue: QUEUE, until: 60_000, row: row(id) });
  queues.state({ queues: [], ids: [1], next: 14 });
  queues.state({ queues: [], ids: [1], next: 14, given: [5, 7] });
  queues.press("open");
  assert.equal(queues.press("open"), false);
  assert.deepEqual(opened, [5]);
});

test("what went back is told with a press to accept again", async (context) => {
  const answers = { "me/accepting": { ...ME, accepting: true } };
  const { done, queues, toasts, asked, dropped } = scene(context, { answers });
  queues.gave({ thread_id: 4, queue: QUEUE, until: 60_000, row: row(4) });
  queues.returned({ thread_id: 4, queue: QUEUE, reason: "not_taken", accepting: false });
  assert.equal(queues.press("open"), false);
  const { text, action } = toasts.at(-1);
  assert.equal(text, "Customer 4 went back to “VIPs”, not opened in time. You no longer accept threads.");
  action.run();
  await settled();
  assert.deepEqual(asked, [["PUT", "me/accepting", { accepting: true }]]);
  assert.equal(queues.board.me.accepting, true);
  assert.equal(dropped.at(-1), 1, "the offer is gone");
  done.closed = 1;
  queues.returned({ thread_id: 5, queue: QUEUE, reason: "offline", accepting: true });
  assert.deepEqual([toasts.at(-1).text, toasts.at(-1).action], ["#5 went back to “VIPs”: you were offline.", null]);
});

test("threads that went back are told of by one notice that counts them, each with its own reason", (context) => {
  const { done, queues, toasts, dropped } = scene(context, { mode: "push" });
  const back = (id, reason, accepting = false) => queues.returned({ thread_id: id, queue: QUEUE, reason, accepting });
  for (const id of [4, 5, 6]) back(id, "not_taken");
  assert.deepEqual(dropped.filter((id) => id), [1, 2], "each takes the place of the one before");
  assert.equal(toasts.at(-1).text, "3 threads went back, not opened in time. You no longer accept threads.");
  back(6, "not_taken");
  assert.match(toasts.at(-1).text, /^3 threads/, "the same thread again");
  back(7, "offline", true);
  assert.equal(toasts.at(-1).text, "3 threads went back, not opened in time. 1 thread went back: you were offline.");
  assert.equal(toasts.at(-1).action, null);
  done.closed = toasts.length;
  back(8, "offline", true);
  assert.equal(toasts.at(-1).text, "#8 went back to “VIPs”: you were offline.", "the others were read and closed");
  const count = dropped.length;
  queues.state({ queues: [], ids: [1], next: 14, me: { ...ME, accepting: true } });
  assert.equal(dropped.length, count, "nothing is offered that were of no use now");
});

test("a toast says when it is dropped whether it was shown until then", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const toasts = new Toasts(() => {});
  const [one, two] = ["One", "Two"].map((text) => toasts.show(text, null, { shownMs: 100 }));
  assert.deepEqual([one, one, 0].map((id) => toasts.drop(id)), [true, false, false]);
  context.mock.timers.tick(100);
  assert.equal(toasts.drop(two), false);
});

test("threads that are given at the same moment are each noticed", async (context) => {
  const { queues, noticed } = scene(context, { mode: "push" });
  for (const id of [4, 5]) queues.gave({ thread_id: id, queue: QUEUE, until: 60_000, row: row(id) });
  queues.gave({ thread_id: 4, queue: QUEUE, until: 90_000, row: row(4) });
  await settled();
  assert.equal(new Set(noticed.map(({ id }) => id)).size, 2);
});

// Opens the dialog of giving a thread back, if it has one, and returns what it says.
function backSaid({ queues, page, rows }, more) {
  const said = [];
  page.ui.dialog = {
    element: { querySelector: () => null }, open: (title, content) => said.push(title, ...content().values),
  };
  rows.set(4, { ...row(4), ...more });
  assert.equal(queues.giveBack(4), said.length > 0);
  return said.filter((one) => typeof one === "string").join(" | ");
}

test("a thread that a queue gave is given back with a reason, and no other (Q50, Q55)", (context) => {
  const made = scene(context);
  assert.equal(made.queues.giveBack(4), false, "an unknown thread");
  assert.equal(backSaid(made, {}), "", "claimed by hand");
  assert.match(backSaid(made, { queue: 1 }), /^Give back \| .*Reason/, "though no act is loaded");
  assert.equal(backSaid(made, { queue: 2 }), "", "a queue that is gone");
  assert.equal(backSaid(made, { queue: 1, open: false }), "");
});

test("the dialog says before a thread is given back that it may come to the same admin again (Q51)", (context) => {
  assert.match(backSaid(scene(context), { queue: 1 }),
    /goes back to its place in “VIPs”.* if nobody else can take it, you may get it again at once\./);
});

// What is asked, and the answer: the dialog of the page, which decides at once.
function asking(page, answer) {
  const asked = [];
  page.ui.dialog = {
    element: { setAttribute() {}, removeAttribute() {}, querySelector: () => ({ focus() {} }) },
    close() { this.ended(); },
    open(title, content, ended) {
      const { values } = content();
      this.ended = ended;
      asked.push([title, values[0]]);
      queueMicrotask(() => (answer() ? values[4] : values[1])());
    },
  };
  return asked;
}

test("taking a thread above the own capacity is asked about once, with the numbers", async (context) => {
  const { queues, page, rows } = scene(context);
  let sure = false;
  const asked = asking(page, () => sure);
  const nobodys = { ...row(4), assignee: null };
  rows.set(4, nobodys);
  assert.equal(await queues.mayTake([4]), true, "2 of 3");
  queues.state({ queues: [], ids: [1], next: 14, me: { ...ME, load: 3 } });
  assert.equal(await queues.mayTake([4]), false);
  sure = true;
  assert.equal(await queues.mayGive({ id: 7, name: "Mai", load: 0, capacity: 5 }, [4, 5]), true);
  assert.deepEqual(asked, [
    ["Above your capacity?", "You have 3 of 3 threads already. Take this one anyway?"],
    ["Above your capacity?", "You have 3 of 3 threads already. Take 2 more anyway?"],
  ]);
  for (const free of [{ waiting_since: null }, { snooze: {} }, { open: false }, { assignee: { id: 7, name: "Mai" } }]) {
    rows.set(4, { ...nobodys, ...free });
    assert.equal(await queues.mayTake([4]), true);
  }
  assert.equal(asked.length, 2, "these do not count");
  rows.set(4, { ...nobodys, waiting_since: null });
  queues.state({ queues: [], ids: [1], next: 14, me: { ...ME, load: 3, counts: "open" } });
  await queues.mayTake([4]);
  assert.equal(asked.length, 3, "with this setting it counts");
  queues.state({ queues: [], ids: [], next: 0, me: null });
  assert.equal(await queues.mayTake([4]), true, "there are no queues");
});

test("a colleague's capacity is asked about with the threads that count", async (context) => {
  const { queues, page, rows } = scene(context);
  const asked = asking(page, () => false);
  const ana = { id: 8, name: "Ana", load: 4, capacity: 5 };
  rows.set(4, { ...row(4), waiting_since: null });
  assert.equal(await queues.mayGive(ana, [4, 5]), true);
  assert.equal(await queues.mayGive(ana, [5, 6]), false);
  assert.deepEqual(asked, [["Hand over to Ana?", "Ana has 4 of 5 threads already. Hand 2 more over anyway?"]]);
  assert.deepEqual(queues.overfull([[ana, [5]], [ana, [5, 6]], [{ name: "Bo" }, [7]]]),
    ["Ana has 4 of 5 threads and gets 2 more."]);
});

test("the switch says that its admin is at capacity, and who may raise the limit", (context) => {
  const { queues } = scene(context);
  const said = (me) => {
    queues.state({ queues: [], ids: [1], next: 14, me: { ...ME, ...me } });
    return [queues.corner(), queues.own()].map(textsIn);
  };
  for (const text of said({ load: 2 })) assert.doesNotMatch(text, /at capacity/);
  for (const text of said({ load: 3 })) {
    assert.match(text, /3 of 3.* · at capacity/s);
    assert.match(text, /title=Queues give you nothing now: you have 3 of 3 threads\. You can raise your limit up to 5\./);
  }
  assert.match(said({ load: 4, capacity: 5 })[1], /Only supervisors can raise your limit\./, "in the panel at any load");
});

test("the palette has the switch and Take next for admins of a queue alone", (context) => {
  const { queues } = scene(context);
  assert.deepEqual(queues.commands().map(({ text }) => text), ["Take next", "Accept threads from queues"]);
  queues.state({ queues: [{ ...PULL, mine: false }], ids: [1], next: 14 });
  assert.deepEqual(queues.commands(), []);
});

test("acts say what a queue did", () => {
  const said = (act) => queueText(act, { t, adminId: 7 });
  const ana = { id: 1, name: "Ana" };
  assert.equal(said({ type: "thread.assigned", queue: QUEUE, by: null, assignee: ana }), "“VIPs” gave it to Ana");
  assert.equal(said({ type: "thread.assigned", queue: QUEUE, by: null, assignee: { id: 7, name: "Mai" } }), "“VIPs” gave it to you");
  assert.equal(said({ type: "thread.assigned", queue: QUEUE, by: ana, assignee: ana }), "Ana took it from “VIPs”");
  const back = (returned, by = null) => ({ type: "thread.released", queue: QUEUE, returned, by, assignee: null, previous: ana });
  assert.equal(said(back("not_taken")), "Went back to “VIPs”: Ana did not open it in time");
  assert.equal(said({ ...back("not_taken"), previous: { id: 7, name: "Mai" } }), "Went back to “VIPs”: you did not open it in time");
  assert.equal(said(back("offline")), "Went back to “VIPs”: Ana went offline");
  assert.equal(said(back("released", ana)), "Ana gave it back to “VIPs”");
  assert.equal(said(back("released", { id: 2, name: "Sue" })), "Sue gave it back to “VIPs”, from Ana");
  assert.equal(said({ ...back("released", ana), previous: undefined }), "Ana gave it back to “VIPs”");
  assert.equal(said({ type: "thread.assigned", by: ana, assignee: ana }), "");
});

const settings = translator("en", { ...read("en"), ...read("settings/queues/en") });
const VIEWS = [["arrival", "built-in"], ["v1", "me"], ["v2", "all"], ["v3", "desk:main"]]
  .map(([id, owner], at) => ({ id, owner, name: `View ${id}`, query: "", sort: at % 2 ? "longest_wait" : "arrival" }));

// The form of a new queue, and the views that the page would try.
async function newQueue(views = VIEWS) {
  const asked = [];
  const answers = {
    "/admin/api/queues": { queues: [], load: "waiting", next: 0 },
    "/admin/api/queues/preview": { waiting: 3, accepting: 0, eligible: 0 },
  };
  const http = {
    get: async (path) => answers[path], post: async (path, body) => { asked.push(body.view); return answers[path]; },
  };
  const page = pageOf({
    api: { http, views: async () => ({ views }), desks: async () => ({ desks: [] }) },
    language: { t: settings }, sortsByWait: ["longest_wait"], queues: { part: null },
  });
  const settingsPage = new QueuesPage({ ...page, area: { paint() {}, say() {}, root: { querySelector: () => null } } });
  await settingsPage.begin();
  settingsPage.edit(null);
  return { asked, form: settingsPage.form, page: settingsPage };
}

test("the form of a new queue says at once what it would do now, of a view that can be one (Q7)", async () => {
  const { asked, form } = await newQueue();
  assert.ok(form instanceof QueueForm);
  while (form.check.state !== "done") await new Promise((resolve) => { setImmediate(resolve); });
  assert.deepEqual(asked, ["v2"]);
  const said = textsIn(form.content());
  assert.match(said, /Now: 3 unassigned threads to hand out\. Nobody accepts threads at the moment\./);
  assert.doesNotMatch(said, /View (arrival|v1)/);
});

test("the form says which order the queue serves, and warns of one with the newest first (Q7)", async () => {
  const said = async (views) => textsIn((await newQueue(views)).form.content());
  assert.match(await said(VIEWS), /go out by “Latest message”\..*newer messages first/s);
  const inOrder = await said(VIEWS.slice(3));
  assert.match(inOrder, /go out by “Longest wait”\./);
  assert.doesNotMatch(inOrder, /newer messages first/);
});

test("a queue that is tried says who would get a thread, if it gives them by itself", () => {
  const counts = { waiting: 3, accepting: 5, eligible: 4 };
  assert.equal(nowText(counts, "push", settings), "Now: 3 unassigned threads to hand out. 3 of 5 who accept would get one.");
  assert.equal(nowText(counts, "pull", settings), "Now: 3 unassigned threads to hand out.");
  assert.equal(nowText({ waiting: 1, accepting: 0, eligible: 0 }, "push", settings),
    "Now: 1 unassigned thread to hand out. Nobody accepts threads at the moment.");
});

test("the list of queues says that nobody accepts, and of queues to ask only how many wait", async () => {
  const { page } = await newQueue();
  const said = (more) => textsIn(page.about({ ...PULL, admins: "all", ...more }));
  assert.match(said({}), /14 waiting<\/span>$/);
  assert.match(said({ mode: "push", accepting: 0 }), /14 waiting, nobody accepts threads at the moment<\/span>$/);
  assert.match(said({ mode: "push" }), /14 waiting, 1 of 1 who accept have a free place<\/span>$/);
});

test("seconds are whole numbers within the limits of their field", () => {
  assert.deepEqual(["60", " １２０ ", "9", "3601", "1.5", "", "x"].map((text) => secondsIn("take_within", text)),
    [60, 120, undefined, undefined, undefined, undefined, undefined]);
  assert.equal(secondsIn("delay", "0"), 0);
  assert.equal(secondsIn("offline_after", "29"), undefined);
});
