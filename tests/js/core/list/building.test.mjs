import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../../support.mjs";
import { desk, ids, numbers } from "./desk.mjs";

test("a list that is being built is asked for again until it is there", async () => {
  const { clock, calls, sync, line, server } = desk(numbers(5));
  const open = server.open.bind(server);
  let done = 1;
  server.open = (limit) => (done < 4 ? { building: true, progress: done++ / 4 } : open(limit));
  sync.start(true);
  await settled();
  assert.equal(sync.state, "building");
  assert.equal(sync.building, 0.25);
  await clock.turn(500);
  assert.equal(sync.building, 0.5);
  sync.frame(server.frame(1));
  await settled();
  assert.equal(sync.building, 0.75, "a frame comes when it is there, so it is asked for at once");
  assert.equal(line.up, true);
  await clock.turn(2000);
  assert.equal(sync.state, "live");
  assert.equal(sync.building, null);
  assert.equal(calls.filter((name) => name === "list:open").length, 4);
  done = 1;
  sync.order = null;
  sync.stop();
  await clock.turn(5000);
  assert.equal(calls.filter((name) => name === "list:open").length, 4, "nobody looks any more");
});

test("a list that is read anew stays on screen until it is there; one that is gone says why", async () => {
  const { server, sync, calls } = desk(numbers(5));
  sync.start(true);
  await settled();
  server.scores.delete(1);
  sync.reopen();
  assert.equal(ids(sync).length, 5);
  await settled();
  assert.deepEqual(ids(sync), [2, 3, 4, 5]);
  assert.deepEqual(calls, ["list:open", "list:open"]);
  sync.refuse({ status: 404, code: "not_found" });
  assert.equal(sync.state, "refused");
  assert.equal(sync.problem.problem.code, "not_found");
});

test("a list that there is not is not asked for again, but by a new connection", async () => {
  const { clock, calls, sync, server } = desk(numbers(5));
  server.open = () => { throw Object.assign(new Error("no"), { problem: { status: 404 } }); };
  sync.start(true);
  await clock.turn(60_000);
  assert.equal(sync.state, "refused");
  assert.deepEqual(calls, ["list:open"]);
  sync.disconnected();
  sync.connected();
  await settled();
  assert.deepEqual(calls, ["list:open", "list:open"]);
});
