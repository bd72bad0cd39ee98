import assert from "node:assert/strict";
import { test } from "node:test";

import { Lists } from "../../../static/js/core/list/lists.js";
import { Rows } from "../../../static/js/core/list/rows.js";
import { Totals } from "../../../static/js/core/totals.js";
import { header } from "../../../static/js/ui/list/header.js";
import { QueueLine } from "../../../static/js/ui/thread/queue-now.js";
import { nav } from "../../../static/js/ui/shell/nav.js";
import { Clock, LIMITS, ListServer, pageOf, seeded, settled } from "../support.mjs";

test("a place has the total of its view and filter, a saved view its own", () => {
  const totals = new Totals();
  assert.equal(totals.of("mine"), undefined);
  totals.take({ filter: "all", arrival: 9, not_respond: 4, history: 2 });
  totals.take({ filter: "mine", arrival: 1, not_respond: 0, history: 0 });
  totals.takeOthers({ v1: 3, snoozed: 5, v2: null });
  assert.deepEqual(["mine", "unassigned", "arrival", "not_respond", "snoozed", "v1", "v2"].map(
    (name) => totals.of(name),
  ), [1, undefined, 9, 4, 5, 3, undefined]);
});

// The texts of a template, with the values in between.
function textOf(value) {
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (!value?.strings) return ["string", "number"].includes(typeof value) ? String(value) : "";
  return value.strings.map((text, at) => text + textOf(value.values[at])).join("");
}

// A supervisor's page before a server with one list, which is held under the pointer.
function desk() {
  const server = new ListServer([[1, 1], [2, 2], [3, 3]]);
  const nothing = new Proxy(() => "", { get: (_, name) => (name === Symbol.iterator ? undefined : nothing), apply: () => "" });
  const t = Object.assign((key, { count } = {}) => `${key} ${count ?? ""}`, { number: String });
  const lists = new Lists({
    limits: LIMITS, rows: new Rows(), mayMove: () => false, changed() {}, now: () => 0, timers: new Clock(),
    fetcher: { want() {}, forgetMissing() {} },
    call: async (name, given) => (name === "list:open" ? server.open(given.limit)
      : name === "list:sync" ? server.sync(given) : {}),
  });
  const totals = new Totals({ counted: () => lists.counted });
  const page = pageOf({
    lists, totals, admin: { role: "supervisor" }, adminId: 1, language: { t, words: { short: () => "" } },
    hold: { state: () => "held" }, now: () => 0, timers: { setInterval() {} }, painter: { ask() {} },
    picks: { size: 0 }, bulk: {}, choices: { sorts: [] }, sorts: { inMenu: () => [] }, savedViews: { list: [] },
    settingsPages: ["reports"],
    keymap: { keysOf: () => "" }, connectionState: {}, connection: {}, liveness: { silentSince: null },
    presence: nothing, acting: {}, unsent: {}, movement: nothing, search: nothing, viewDrag: {}, navigation: nothing,
  });
  const line = new QueueLine({ ...page, root: { replaceChildren() {} } });
  const shown = () => ({
    badge: /view\.not_respond , (\d+)/.exec(textOf(nav(page)))?.[1],
    head: /header\.total (\d+)/.exec(textOf(header(page)))?.[1],
    line: /queue\.waiting (\d+)/.exec(textOf(line.render()))?.[1],
  });
  return { server, lists, totals, line, shown };
}

const WAITING = { view: "not_respond", sort: "longest_wait" };

test("badge, head and queue line have one number, whatever message comes first, and while rows are held", async () => {
  const { random, below, one } = seeded(7);
  for (let round = 0; round < 60; round += 1) {
    const { server, lists, totals, line, shown } = desk();
    const number = () => server.scores.size;
    const sent = {
      total: () => ({ filter: "all", arrival: 90, not_respond: number(), history: 0 }),
      queue: () => ({ waiting: number(), longest_since: null, over: 2, over_ms: 60_000, here: 1 }),
    };
    totals.take(sent.total());
    line.take(sent.queue());
    lists.connected();
    lists.show(WAITING);
    if (random() < 0.8) await settled();
    const onTheWay = { total: [], queue: [], frame: [] };
    for (let step = 0; step < 30; step += 1) {
      if (random() < 0.5) {
        const { version } = server;
        server.put(below(9) + 1, random() < 0.5 ? null : below(50));
        onTheWay.total.push(sent.total());
        onTheWay.queue.push(sent.queue());
        onTheWay.frame.push({ ...WAITING, filter: "all", ...server.frame(version) });
      }
      const kind = one(Object.keys(onTheWay));
      const message = onTheWay[kind].shift();
      if (message && kind === "total") totals.take(message);
      if (message && kind === "queue") line.take(message);
      if (message && kind === "frame") lists.frame(message);
      if (random() < 0.1) await settled();
      const { badge, head, line: waiting } = shown();
      assert.ok(badge, "a number");
      assert.deepEqual([head, waiting], [badge, badge], `round ${round}, step ${step}`);
    }
    onTheWay.frame.forEach((frame) => lists.frame(frame));
    onTheWay.total.forEach((message) => totals.take(message));
    await settled();
    assert.equal(shown().badge, String(number()));
  }
});

test("a list that is shown again has the server's number until it has caught up", async () => {
  const { server, lists, totals, shown } = desk();
  lists.connected();
  lists.show(WAITING);
  await settled();
  lists.show({ view: "arrival", sort: "arrival" });
  await settled();
  server.put(4, 4);
  totals.take({ filter: "all", arrival: 90, not_respond: 4, history: 0 });
  lists.show(WAITING);
  assert.equal(shown().head, "4", "and not the three of before");
  await settled();
  assert.equal(shown().badge, "4");
});
