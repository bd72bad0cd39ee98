import assert from "node:assert/strict";
import { test } from "node:test";

import { Acts } from "../../../static/js/core/thread/messages.js";

// The modules of the page add listeners when they are imported.
globalThis.addEventListener = () => {};
const { missingParts } = await import("../../../static/js/ui/thread/printout.js");

// A server of messages 1 to `count` that gives so many at once, and says whether there are more.
function server(count, most) {
  const between = (from, to) => Array.from(
    { length: Math.max(0, to - from + 1) }, (_, at) => ({ id: from + at, at: from + at }),
  );
  return (where, id) => {
    const messages = where === "before" ? between(Math.max(1, id - most), id - 1)
      : between(id + 1, Math.min(count, id + most));
    const more = messages.length > 0 && messages[0].id > 1;
    return { messages, more, later: messages.length > 0 && messages.at(-1).id < count, acts: [{ id, at: id }] };
  };
}

function whole(ids, { more, later }, answer) {
  const given = { list: ids.map((id) => ({ id, at: id })), more, later, acts: new Acts() };
  const parts = missingParts(given, answer);
  for (let step = parts.next(); !step.done;) step = parts.next(step.value);
  return given;
}

test("a printout has every message once and in order, from the end or from the middle", () => {
  for (const [ids, sides] of [
    [[1000], { more: true, later: false }], [[400, 401], { more: true, later: true }],
    [[1], { more: false, later: true }],
  ]) {
    const { list, more, later, acts } = whole(ids, sides, server(1000, 200));
    assert.deepEqual(list.map(({ id }) => id), Array.from({ length: 1000 }, (_, at) => at + 1));
    assert.ok(!more && !later && acts.list.length > 0);
  }
});

test("a server that promises more and gives none is not asked without end", () => {
  const { list } = whole([5], { more: true, later: true }, () => ({ messages: [], more: true, later: true }));
  assert.equal(list.length, 1);
});
