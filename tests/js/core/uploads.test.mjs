import assert from "node:assert/strict";
import { test } from "node:test";

import {
  attachmentOf, isOwn, isShownPicture, sizeText,
} from "../../../static/js/core/file-texts.js";
import { Uploads, WaitingSend } from "../../../static/js/core/uploads.js";

const LIMITS = { file_bytes: 100, message_files: 3 };
const file = (name, size = 10) => ({ name, size, type: "text/plain" });
const settled = () => new Promise((resolve) => { setTimeout(resolve); });

function made(now = () => 1000) {
  const sent = []; // {name, progress, signal, done(), fail(error)}
  const kept = [];
  const discarded = [];
  const uploads = new Uploads({
    send: (threadId, { name, size }, more) => new Promise((resolve, reject) => {
      const answer = { id: `id-${name}`, name: name.toUpperCase(), type: "text/plain", size };
      sent.push({ name, ...more, done: () => resolve({ file: answer }), fail: reject });
    }),
    discard: (id) => discarded.push(id),
    kept: (threadId, files) => kept.push([threadId, files.map(({ id }) => id)]),
    changed: () => {},
    limits: LIMITS,
    now,
  });
  const shown = (isPrivate = false) => uploads.of(1, isPrivate).map(({ name, state }) => `${name} ${state}`);
  return { uploads, sent, kept, discarded, shown };
}

test("files are uploaded two at a time, and are called as the server calls them", async () => {
  const { uploads, sent, shown } = made();
  uploads.add(1, false, [file("a"), file("b"), file("c")]);
  assert.deepEqual(shown(), ["a sending", "b sending", "c waiting"]);
  sent[0].progress(0.5);
  assert.equal(uploads.of(1, false)[0].part, 0.5);
  sent[0].done();
  await settled();
  assert.deepEqual(shown(), ["A done", "b sending", "c sending"]);
});

test("what is too large, empty or one too many is refused by its name and sent never", async () => {
  const { uploads, sent } = made();
  uploads.add(1, false, [file("a", 101), file("b", 0), file("c", 100), file("d"), file("e"), file("f")]);
  assert.deepEqual(uploads.of(1, false).map(({ problem }) => problem),
    ["too_large", "empty", null, null, null, "too_many"]);
  assert.deepEqual(sent.map(({ name }) => name), ["c", "d"]);
  assert.deepEqual(uploads.stateOf(1, false), { isBusy: true, hasFailed: false, count: 0 });
});

test("what was written for the team keeps its files, and a reply has its own", async () => {
  const { uploads, sent, shown } = made();
  uploads.add(1, true, [file("secret")]);
  uploads.add(1, false, [file("public")]);
  sent.forEach(({ done }) => done());
  await settled();
  assert.deepEqual(uploads.take(1, false).map(({ name }) => name), ["PUBLIC"]);
  assert.deepEqual([shown(false), shown(true)], [[], ["SECRET done"]]);
  uploads.move(1, false);
  assert.deepEqual(shown(false), ["SECRET done"]);
});

test("a file that is removed while it is sent is aborted, and one that arrived is discarded", async () => {
  const { uploads, sent, discarded, shown, kept } = made();
  uploads.add(1, false, [file("a"), file("b")]);
  uploads.remove(1, uploads.of(1, false)[0].key);
  assert.ok(sent[0].signal.aborted);
  sent[0].done();
  sent[1].done();
  await settled();
  assert.deepEqual([shown(), discarded], [["B done"], ["id-a"]]);
  uploads.remove(1, uploads.of(1, false)[0].key);
  assert.deepEqual(discarded, ["id-a", "id-b"]);
  assert.deepEqual(kept.at(-1), [1, []]);
});

test("a failed upload is tried again when it is asked for", async () => {
  const { uploads, sent, shown } = made();
  uploads.add(1, false, [file("a")]);
  sent[0].fail({ status: 0 });
  await settled();
  assert.deepEqual(shown(), ["a failed"]);
  assert.ok(uploads.stateOf(1, false).hasFailed);
  uploads.retry(1, uploads.of(1, false)[0].key);
  assert.deepEqual(shown(), ["a sending"]);
  sent[1].done();
  await settled();
  assert.deepEqual(shown(), ["A done"]);
});

test("after a reload uploaded files are there, but not those that the server has removed", () => {
  const hour = 3600 * 1000;
  const { uploads, shown } = made(() => 30 * hour);
  const old = { id: "x", name: "old", type: "", size: 1, private: false, at: 6 * hour };
  uploads.restore(1, [old, { ...old, id: "y", name: "young", at: 10 * hour }]);
  assert.deepEqual(shown(), ["young done"]);
  uploads.restore(1, []);
  assert.deepEqual(shown(), [], "another window has sent it");
});

test("files of a message that is taken back stand before those that were chosen since", async () => {
  const { uploads, sent, shown, kept } = made();
  uploads.add(1, false, [file("new"), file("later")]);
  sent[0].done();
  await settled();
  const back = { id: "x", name: "back", type: "", size: 1, private: false, at: 900 };
  uploads.putBack(1, [back]);
  assert.deepEqual(shown(), ["back done", "NEW done", "later sending"]);
  assert.deepEqual(kept.at(-1), [1, ["x", "id-new"]]);
});

test("a message is sent once its files are uploaded, and not where one failed", async () => {
  for (const [end, calls, state] of [["done", ["next"], ""], ["fail", [], "failed"]]) {
    const { uploads, sent } = made();
    const thread = { id: 1 };
    const after = [];
    const waiting = new WaitingSend({
      thread, attaching: { uploads }, send: (what) => after.push(what),
    });
    uploads.changed = (threadId) => waiting.look(threadId, false);
    uploads.add(1, false, [file("a"), file("b")]);
    assert.ok(waiting.holds(1, false, "next"));
    assert.equal(waiting.state, "waits");
    sent[0].done();
    await settled();
    assert.deepEqual(after, []);
    sent[1][end]({ status: 0 });
    await settled();
    assert.deepEqual([after, waiting.state], [calls, state]);
  }
});

test("a message that waits for its files is not sent from another thread", async () => {
  const { uploads, sent } = made();
  const thread = { id: 1 };
  const after = [];
  const waiting = new WaitingSend({ thread, attaching: { uploads }, send: (what) => after.push(what) });
  uploads.changed = (threadId) => waiting.look(threadId, false);
  uploads.add(1, false, [file("a")]);
  waiting.holds(1, false, "stay");
  thread.id = 2;
  sent[0].done();
  await settled();
  assert.deepEqual(after, []);
});

test("sizes are said in words, and what is ours is told from what is not", () => {
  assert.deepEqual([1, 1500, 10 * 1024 * 1024].map((size) => sizeText(size, "en")),
    ["1 kB", "2 kB", "10 MB"]);
  const { url } = attachmentOf({ id: "a", type: "image/png", name: "a" });
  assert.ok(isOwn(url) && !isOwn("https://cdn.example/admin/api/files/a"));
  assert.deepEqual(["image/png", "image/svg+xml", null].map(isShownPicture), [true, false, false]);
});
