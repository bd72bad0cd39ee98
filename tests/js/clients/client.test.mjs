import assert from "node:assert/strict";
import { once } from "node:events";
import fs, { appendFileSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

import { Webhook } from "standardwebhooks";

import { lineup, Receiver, Sender } from "../../../clients/js/src/index.js";
import { Journal } from "../../../clients/js/src/journal.js";

const SECRET = `whsec_${"A".repeat(32)}`;
const MAI = { id: "c-7", name: "Mai" };
const log = () => {};
const newFile = () => join(mkdtempSync(join(tmpdir(), "lineup-client-")), "bot.jsonl");

const problem = (status, detail) => new Response(JSON.stringify({ detail }), { status, headers: { "Content-Type": "application/problem+json" } });

/** Lineup as far as the SDK sees it: takes each id once, and may be away, or lose answers. */
class Server {
  taken = new Map();
  outgoing = [];
  fault = "";
  calls = 0;
  rate = Infinity;

  fetch = async (request) => {
    this.calls += 1;
    const { fault } = this;
    if (fault === "away") throw new TypeError("fetch failed");
    const status = Number(fault.slice(-3));
    if (fault.startsWith("proxy of JSON")) return Response.json({ message: "no route" }, { status });
    if (fault.startsWith("proxy")) return new Response("<h1>nginx</h1>", { status });
    if (fault.startsWith("problem")) return problem(status, "not here");
    if (fault === "busy") return Response.json({}, { status: 503, headers: { "Retry-After": "2" } });
    const answer = request.method === "POST" ? this.#post(await request.json()) : this.#read(new URL(request.url));
    if (fault === "lost") throw new TypeError("terminated");
    return answer;
  };

  #post({ events }) {
    if (events.length > this.rate) return Response.json({}, { status: 429, headers: { "Retry-After": "1" } });
    if (JSON.stringify(events).length > 20_000) return problem(413, "too large");
    const results = events.map((event, index) => {
      if (event.message && !this.taken.has(event.message)) {
        return { index, id: event.id, status: "rejected", problem: { status: 422, code: "unknown_message", detail: "unknown" } };
      }
      if (event.body === "wrong") return { index, id: event.id, status: "rejected", problem: { status: 422, detail: "wrong" } };
      const status = this.taken.has(event.id) ? "duplicate" : "created";
      if (status === "created") this.taken.set(event.id, event);
      return { index, id: event.id, status };
    });
    const rejected = results.filter(({ status }) => status === "rejected").length;
    return Response.json({ results }, { status: !rejected ? 200 : rejected === results.length ? 422 : 207 });
  }

  #read({ searchParams }) {
    this.included = searchParams.getAll("include");
    const after = searchParams.get("after") ?? "0";
    if (!/^\d+$/.test(after)) return problem(422, "no cursor");
    const events = this.outgoing.slice(Number(after), Number(after) + 2);
    return Response.json({ events, next: String(Number(after) + events.length) });
  }

  bodies() { return [...this.taken.values()].map(({ body }) => body); }
}

const say = (sender, body, more = {}) => sender.send({ type: "message", thread: "t-1", customer: MAI, role: "client", body, ...more });
const started = Date.now();
const made = (number, { id = `evt_${number}`, daysAgo = 0, ...more } = {}) => ({
  type: "message.created", id, occurred_at: new Date(started - daysAgo * 86_400_000).toISOString(), thread: "t-1", seq: number,
  data: { body: `${number}` }, ...more,
});

const signed = (id, { secret = SECRET, at = new Date(), body = JSON.stringify({ id, type: "admin.typing" }) } = {}) => ({
  headers: {
    "webhook-id": id, "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": new Webhook(secret).sign(id, at, body),
  }, body,
});

async function postAll(sender, server) {
  while (sender.journal.waiting.size) await sender.postNext().catch(() => { server.fault = ""; });
}

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

async function readAll(receiver) {
  while (await receiver.readNext());
}

test("messages arrive once and in order through every failure and restart", async () => {
  const server = new Server();
  const client = lineup("http://lineup.example/", "key", { fetch: server.fetch });
  const file = newFile();
  let sender = new Sender(client, { file, log });
  const faults = ["away", "lost", "busy", "proxy 404", "proxy 400", "proxy 502", "proxy of JSON 404", "proxy of JSON 400", "problem 404", "lost", ""];
  for (const fault of faults) {
    say(sender, `before ${fault}`);
    server.fault = fault;
    await sender.postNext().catch(() => {});
    sender.journal.close();
    sender = new Sender(client, { file, log });
    say(sender, `after ${fault}`);
    await postAll(sender, server);
  }
  assert.deepEqual(server.bodies(), faults.flatMap((fault) => [`before ${fault}`, `after ${fault}`]));
  const times = [...server.taken.values()].map(({ occurred_at: at }) => at);
  assert.deepEqual(times, times.toSorted());
});

test("a line that was cut off does no harm, and an id counts once", async () => {
  const server = new Server();
  const client = lineup("http://lineup.example", "key", { fetch: server.fetch });
  const file = newFile();
  const first = new Sender(client, { file, log });
  say(first, "one", { id: "m-1" });
  say(first, "one", { id: "m-1" });
  first.journal.close();
  appendFileSync(file, '{"event": {"id": "m-2", "bo');
  const sender = new Sender(client, { file, log });
  assert.deepEqual([...sender.journal.waiting.keys()], ["m-1"]);
  say(sender, "two");
  await postAll(sender, server);
  assert.deepEqual(server.bodies(), ["one", "two"]);
  assert.equal(readFileSync(file, "utf8").split("\n").at(-1), "");
});

test("an event that does not fit on the disk is not kept, and harms no other one", (context) => {
  const client = lineup("http://lineup.example", "key", { fetch: new Server().fetch });
  const file = newFile();
  const first = new Sender(client, { file, log });
  say(first, "one");
  const { writeSync } = fs;
  let calls = 0;
  const full = context.mock.method(fs, "writeSync", (/** @type {number} */ to, /** @type {any} */ bytes, offset = 0, _length = 0, at = null) => {
    calls += 1;
    if (calls % 2) return writeSync(to, Buffer.from(bytes), offset, 5, at);
    throw new Error("ENOSPC");
  });
  syncBuiltinESMExports();
  assert.throws(() => say(first, "two"), /ENOSPC/);
  assert.throws(() => new Journal(file), /ENOSPC/);
  full.mock.restore();
  syncBuiltinESMExports();
  say(first, "three");
  first.journal.close();
  const sender = new Sender(client, { file, log });
  assert.deepEqual([...sender.journal.waiting.values()].map(({ body }) => body), ["one", "three"]);
});

test("nothing is sent after the end", async () => {
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: new Server().fetch }), { log }).start();
  await sender.stop();
  assert.throws(() => say(sender, "one"), /stopped/);
});

test("a file has one journal, by whatever path", () => {
  const file = newFile();
  const folder = join(mkdtempSync(join(tmpdir(), "lineup-client-")), "link");
  symlinkSync(dirname(file), folder);
  const first = Journal.open(join(folder, "bot.jsonl"));
  assert.equal(Journal.open(file), first);
  assert.equal(Journal.open(relative(process.cwd(), file)), first);
});

test("a receiver goes on when the sender with its file has stopped", async () => {
  const server = new Server();
  const client = lineup("http://lineup.example", "key", { fetch: server.fetch });
  const file = newFile();
  const sender = new Sender(client, { file, log });
  const receiver = new Receiver(client, SECRET, { file, log });
  await sender.stop();
  server.outgoing = [made(1)];
  await readAll(receiver);
  await receiver.stop();
  const next = new Receiver(client, SECRET, { file, log });
  assert.deepEqual([...next.journal.seqs], [["evt_1", started]]);
});

test("a handler of presence asks for it, and gets each event of a person once", async () => {
  const server = new Server();
  const receiver = new Receiver(lineup("http://lineup.example", "key", { fetch: server.fetch }), SECRET, { log });
  const got = [];
  await readAll(receiver.on("message.created", () => {}));
  assert.deepEqual(server.included, []);
  receiver.on("presence.customer", ({ data }) => got.push(data.status)).on("presence.team", ({ data }) => got.push(data.online));
  const about = (type, seq, data) => ({ type, id: `evt_${type}_${seq}`, seq, data });
  server.outgoing = [about("presence.customer", 5, { customer: "c-7", status: "online" }), about("presence.team", 4, { online: true }),
    about("presence.customer", 5, { customer: "c-8", status: "away" }), about("presence.customer", 5, { customer: "c-7", status: "online" }),
    about("presence.customer", 9, { customer: "c-7", status: "offline" })];
  await readAll(receiver);
  assert.deepEqual(server.included, ["presence.customer", "presence.team"]);
  assert.deepEqual(got, ["online", true, "away", "offline"]);
});

test("a handler of presence that is added right after the start is asked for from the first call", async () => {
  const server = new Server();
  const receiver = new Receiver(lineup("http://lineup.example", "key", { fetch: server.fetch }), SECRET, { log }).start();
  receiver.on("presence.team", () => {});
  while (!receiver.journal.cursor) await turn();
  await receiver.stop();
  assert.deepEqual(server.included, ["presence.team"]);
});

test("times never go back", () => {
  const client = lineup("http://lineup.example", "key", { fetch: new Server().fetch });
  const file = newFile();
  const future = new Date(Date.now() + 3_600_000).toISOString();
  const first = new Sender(client, { file, log });
  say(first, "one", { occurred_at: future });
  first.journal.close();
  const sender = new Sender(client, { file, log });
  say(sender, "two");
  // Given times count, too, as times; one that Lineup refuses does not.
  const given = ["2099-12-31T23:00:00-02:00", "2026-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "soon"];
  for (const at of given) say(sender, at, { occurred_at: at });
  say(sender, "three");
  const wanted = [future, future, ...given, "2100-01-01T01:00:00.000Z"];
  assert.deepEqual([...sender.journal.waiting.values()].map(({ occurred_at: at }) => at), wanted);
});

test("an id or a time without a value is one that is left out", async () => {
  const server = new Server();
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: server.fetch }), { log });
  const ids = [undefined, null, ""].map((none) => say(sender, "hello", { id: none, occurred_at: none }));
  await postAll(sender, server);
  assert.deepEqual([...server.taken.keys()], ids);
  for (const { id, occurred_at: at } of server.taken.values()) assert.ok(id && Date.parse(at) >= started);
});

test("what is refused is told and delays nothing; a batch that is too large is halved", async () => {
  const server = new Server();
  const refused = [];
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: server.fetch }), { refused: (...given) => refused.push(given), log });
  say(sender, "before");
  say(sender, "wrong", { id: "m-wrong" });
  say(sender, "after");
  await postAll(sender, server);
  assert.deepEqual(server.bodies(), ["before", "after"]);
  assert.deepEqual(refused.map(([{ id }, { status }]) => [id, status]), [["m-wrong", 422]]);
  for (let number = 0; number < 20; number += 1) say(sender, "x".repeat(3_000));
  say(sender, "y".repeat(30_000), { id: "m-large" });
  server.calls = 0;
  await postAll(sender, server);
  assert.equal(server.taken.size, 22);
  assert.equal(refused.at(-1)[0].id, "m-large");
  assert.ok(server.calls < 30, String(server.calls));
});

test("an error of refused() is logged, and delays nothing", async () => {
  const server = new Server();
  const logged = [];
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: server.fetch }), {
    refused: async () => { throw new Error("no table"); }, log: (text) => logged.push(text),
  });
  say(sender, "wrong");
  say(sender, "after");
  await sender.postNext();
  assert.equal(sender.journal.waiting.size, 0);
  assert.match(logged[0], /no table/);
});

test("an edit of a message that is not stored yet is posted again, for an hour, and delays nothing", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const server = new Server();
  const refused = [];
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: server.fetch }), { refused: ({ id }) => refused.push(id), log });
  const edit = (message) => sender.send({ type: "message.edited", id: `of-${message}`, thread: "t-1", message, body: "edited" });
  edit("m-1");
  edit("m-2");
  say(sender, "one");
  assert.equal(await sender.postNext(), true);
  assert.equal(await sender.postNext(), false);
  assert.deepEqual([server.bodies(), server.calls], [["one"], 1]);
  server.taken.set("m-1", {});
  for (let seconds = 0; seconds <= 3600; seconds += 30) {
    context.mock.timers.tick(30_000);
    assert.deepEqual(refused, []);
    await sender.postNext();
    if (!sender.journal.waiting.size) break;
  }
  assert.ok(server.taken.has("of-m-1"));
  assert.deepEqual(refused, ["of-m-2"]);
});

test("a batch above the rate of the key is halved until Lineup takes it", async () => {
  const server = new Server();
  server.rate = 3;
  const sender = new Sender(lineup("http://lineup.example", "key", { fetch: server.fetch }), { log });
  for (let number = 0; number < 20; number += 1) say(sender, `${number}`);
  for (let turn = 0; turn < 30; turn += 1) await sender.postNext().catch(() => {});
  assert.deepEqual(server.bodies(), Array.from({ length: 20 }, (_, number) => `${number}`));
});

test("answers are handed over in order and once, also over a restart and with an old cursor", async () => {
  const server = new Server();
  const client = lineup("http://lineup.example", "key", { fetch: server.fetch });
  const file = newFile();
  server.outgoing = [1, 2, 3, 4, 5].map((number) => made(number));
  const got = [];
  let fails = 2;
  const handler = ({ data: { body } }) => {
    if (Number(body) === 3 && fails) {
      fails -= 1;
      throw new Error("not now");
    }
    got.push(body);
  };
  let receiver = new Receiver(client, SECRET, { file, log }).on("message.created", handler);
  await assert.rejects(readAll(receiver), /not now/);
  receiver.journal.close();
  receiver = new Receiver(client, SECRET, { file, log }).on("message.created", handler);
  await assert.rejects(readAll(receiver), /not now/);
  await readAll(receiver);
  assert.deepEqual(got, ["1", "2", "3", "4", "5"]);
  receiver.journal.add({ cursor: "of another key" });
  server.outgoing.push(made(6));
  await readAll(receiver);
  assert.deepEqual(got, ["1", "2", "3", "4", "5", "6"]);
});

test("an answer is handed over though its thread counts anew, and what cannot come again is forgotten", async () => {
  const server = new Server();
  const client = lineup("http://lineup.example", "key", { fetch: server.fetch });
  const file = newFile();
  writeFileSync(file, '{"seq":["t-1",7]}\n{"cursor":""}\n');
  const got = [];
  let receiver = new Receiver(client, SECRET, { file, log }).on("message.created", ({ id }) => got.push(id));
  server.outgoing = [made(1, { daysAgo: 32 }), made(2), made(1, { id: "evt_after" }), made(2)];
  await readAll(receiver);
  assert.deepEqual(got, ["evt_1", "evt_2", "evt_after"]);
  receiver.journal.close();
  receiver = new Receiver(client, SECRET, { file, log });
  assert.deepEqual([...receiver.journal.seqs.keys()], ["evt_2", "evt_after"]);
});

test("a call that is cut off and a handler that fails are logged, and end nothing", async () => {
  const logged = [];
  const receiver = new Receiver(lineup("http://lineup.example", "key", { fetch: new Server().fetch }), SECRET, { log: (text) => logged.push(text) })
    .on("admin.typing", () => { throw new Error("not now"); });
  const server = createServer(receiver.listener);
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const asked = once(server, "request");
  const socket = connect(port, "127.0.0.1", () => socket.write("POST / HTTP/1.1\r\nHost: bot\r\nContent-Length: 100\r\n\r\n0123456789"));
  const [, response] = await asked;
  socket.destroy();
  await once(response, "close");
  const { headers, body } = signed("evt_1");
  assert.equal((await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status, 204);
  assert.match(logged[0], /aborted/);
  assert.match(logged[1], /not now/);
  server.close();
});

test("only what Lineup signed lately is taken, and once", async () => {
  const got = [];
  const receiver = new Receiver(lineup("http://lineup.example", "key", { fetch: new Server().fetch }), SECRET, { log })
    .on("admin.typing", (event) => got.push(event.id));
  const server = createServer(receiver.listener);
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const status = async ({ headers, body }, method = "POST") => (
    await fetch(`http://127.0.0.1:${port}/hook`, { method, headers, ...(method === "POST" && { body }) })).status;
  const good = signed("evt_1");
  assert.deepEqual([await status(good), await status(good)], [204, 204]);
  const other = signed("evt_2");
  const wrong = [
    signed("evt_2", { secret: `whsec_${"B".repeat(32)}` }), signed("evt_2", { at: new Date(Date.now() - 360_000) }),
    signed("evt_2", { at: new Date(Date.now() + 360_000) }), { ...other, body: other.body.replace("evt_2", "evt_3") },
    { ...other, headers: { ...other.headers, "webhook-id": "evt_3" } }, { ...other, headers: { ...other.headers, "webhook-signature": "v1" } },
    { ...other, headers: { ...other.headers, "webhook-timestamp": "x" } }, { ...other, headers: {} }, { headers: {}, body: "" },
  ];
  for (const call of wrong) assert.equal(await status(call), 401, JSON.stringify(call));
  assert.equal(await status(other, "GET"), 405);
  assert.equal(await status({ headers: {}, body: "x".repeat(2_000_000) }), 413);
  assert.deepEqual(got, ["evt_1"]);
  server.close();
});

test("a call that is never answered ends, and is made again", async () => {
  const server = createServer(() => {});
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const sender = new Sender(lineup(`http://127.0.0.1:${port}`, "key", { answerMs: 50 }), { log });
  say(sender, "one");
  await assert.rejects(sender.postNext(), { name: "Error", message: /Timeout/ });
  assert.equal(sender.journal.waiting.size, 1);
  server.closeAllConnections();
  server.close();
});

test("a caller may give a call up", async () => {
  const fetch = (_request, { signal }) => new Promise((_resolve, reject) => { signal.addEventListener("abort", () => reject(signal.reason)); });
  const client = lineup("http://lineup.example", "key", { fetch });
  const given = new AbortController();
  const call = client.GET("/threads/{thread}", { params: { path: { thread: "t-1" } }, signal: given.signal });
  given.abort(new Error("given up"));
  await assert.rejects(call, /given up/);
});

test("work goes on in the background, waits when Lineup asks for it, and stops", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const server = new Server();
  const client = lineup("http://lineup.example", "key", { fetch: server.fetch });
  const texts = [];
  const sender = new Sender(client, { log: (text) => texts.push(text) }).start();
  server.fault = "busy";
  say(sender, "one");
  while (!texts.length) await turn();
  server.fault = "";
  say(sender, "two");
  context.mock.timers.tick(1_999);
  await turn();
  assert.equal(server.calls, 1);
  context.mock.timers.tick(1);
  while (sender.journal.waiting.size) await turn();
  server.fault = "busy";
  say(sender, "three");
  while (texts.length < 2) await turn();
  await sender.stop();
  assert.deepEqual(server.bodies(), ["one", "two"]);
});
