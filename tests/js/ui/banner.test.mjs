import assert from "node:assert/strict";
import { test } from "node:test";

import { banner } from "../../../static/js/ui/shell/banner.js";
import { ConnectionState } from "../../../static/js/ui/shell/connection-state.js";
import { Clock, pageOf } from "../support.mjs";

function desk(t) {
  const sent = [];
  const asked = [];
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  globalThis.navigator ??= {};
  const parts = {
    connection: { state: "connected", connected: true },
    liveness: { silentSince: null },
    lists: { sync: { state: "live", syncedAt: 0, orderIsBack() {} } },
    presence: { late: false }, picks: { offer: null }, bulk: {}, hold: { paused: false },
    unsent: { part: { outbox: { retryWaiting: () => sent.push("again") } } },
    painter: { ask: (...names) => asked.push(...names) },
    language: { t: (key) => key, words: { clock: String } },
    now: new Clock().now,
  };
  const connectionState = new ConnectionState(pageOf(parts));
  connectionState.online = true;
  return { parts: { ...parts, connectionState }, connectionState, sent, asked };
}

const said = (parts) => JSON.stringify(banner(pageOf(parts)).values ?? "");

test("a paused order is said, with the way to go on, unless something is wrong", (t) => {
  const { parts, connectionState } = desk(t);
  let pressed = 0;
  Object.assign(parts, { hold: { paused: true }, movement: { togglePause: () => { pressed += 1; } } });
  assert.match(said(parts), /banner\.paused/);
  const [press] = /** @type {any} */ (banner(pageOf(parts))).values.flat().flatMap((part) => part.values ?? [])
    .filter((value) => typeof value === "function");
  press();
  assert.equal(pressed, 1);
  connectionState.setOrderStatus({ late: true, since: 5, read_only: false });
  assert.match(said(parts), /banner\.late/);
});

test("while nothing can be stored the page says so, and then sends what waits (F73)", (t) => {
  const { parts, connectionState, sent, asked } = desk(t);
  connectionState.setOrderStatus({ late: false, since: null, read_only: false });
  assert.equal(banner(pageOf(parts)), "");
  connectionState.setOrderStatus({ late: true, since: 5, read_only: true });
  assert.match(said(parts), /banner\.read_only/, "it is more serious than the order");
  assert.deepEqual(sent, []);
  connectionState.setOrderStatus({ late: false, since: null, read_only: false });
  assert.equal(banner(pageOf(parts)), "");
  assert.deepEqual(sent, ["again"]);
  assert.ok(asked.includes("banner"));
});

test("since when a chatbot gets no replies is said with its day", (t) => {
  const { parts, connectionState } = desk(t);
  connectionState.failing = [{ source: "shop", since: 400 }, { source: "app", since: 900 }];
  const told = [];
  const words = { ...parts.language.words, moment: (...given) => told.push(given) };
  banner(pageOf({ ...parts, language: { ...parts.language, words } }));
  assert.deepEqual(told, [[400, parts.now()]]);
});
