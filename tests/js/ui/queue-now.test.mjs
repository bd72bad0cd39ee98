import assert from "node:assert/strict";
import { test } from "node:test";

import { QueueNow } from "../../../static/js/ui/thread/queue-now.js";
import { CHOICES, Clock, pageOf, settled } from "../support.mjs";

// The texts of a template, and its functions in their order.
function read(value, found = { text: "", acts: [] }) {
  if (typeof value === "function") found.acts.push(value);
  else if (Array.isArray(value)) for (const each of value) read(each, found);
  else if (value?.strings) {
    value.strings.forEach((text, index) => {
      found.text += text;
      read(value.values[index], found);
    });
  } else if (["string", "number"].includes(typeof value)) found.text += value;
  return found;
}

function desk(numbers) {
  const clock = new Clock();
  const done = [];
  const t = Object.assign((key, { minutes, from, to, count } = {}) => (
    `<${[key, minutes ?? "", from ?? "", to ?? "", count ?? ""].join(" ").trim()}>`), { number: (count) => `=${count}=` });
  const answer = { over: [{ minutes: 10, count: 5 }, { minutes: 30, count: 2 }] };
  const calls = [];
  const page = pageOf({
    totals: { of: (place) => numbers[place] }, language: { t }, timers: clock, now: clock.now, choices: CHOICES,
    thread: { id: null }, painter: { ask: (name) => done.push(name) },
    api: { queue: async () => { calls.push(clock.now()); return answer; } },
    navigation: { openQuery: (query, { sort }) => done.push([query, sort]), goView: (place) => done.push(place) },
  });
  return { clock, done, calls, answer, queue: new QueueNow(page) };
}

test("the waiting threads are told by their age, together as many as the badge says, and each is a press away", async () => {
  const { done, queue } = desk({ not_respond: 9, mine: 3, mentions: 1 });
  queue.content();
  await settled();
  assert.deepEqual(done, ["messages"], "painted again with the answer");
  const { text, acts } = read(queue.content());
  assert.match(text, /queue\.waiting +9/);
  assert.deepEqual([...text.matchAll(/=(\d+)=/g)].map(([, count]) => Number(count)), [4, 3, 2, 3, 1]);
  done.length = 0;
  acts.forEach((act) => act());
  const whole = CHOICES.viewQueries.not_respond;
  assert.deepEqual(done, [
    [`${whole} waits:<10m`, "longest_wait"], [`${whole} waits:>10m waits:<30m`, "longest_wait"],
    [`${whole} waits:>30m`, "longest_wait"], "mine", "mentions",
  ]);
});

test("the server is asked once a minute, sooner after a change, and never while nobody waits", async () => {
  const numbers = { not_respond: 9 };
  const { clock, calls, done, queue } = desk(numbers);
  queue.content();
  await settled();
  for (let painting = 0; painting < 20; painting += 1) queue.content();
  await clock.turn(59_000);
  assert.equal(calls.length, 1);
  done.length = 0;
  await clock.turn(1000);
  assert.deepEqual(done, ["messages"], "the waits have grown");
  queue.content();
  assert.equal(calls.length, 2);
  await settled();
  numbers.not_respond = 10;
  queue.content();
  assert.equal(calls.length, 2, "not at each change");
  await clock.turn(5000);
  queue.content();
  assert.equal(calls.length, 3);
  await settled();
  numbers.not_respond = 0;
  assert.match(read(queue.content()).text, /empty\.not_respond/);
  await clock.turn(120_000);
  queue.content();
  assert.equal(calls.length, 3);
});

test("a number of before the change makes none negative", async () => {
  const numbers = { not_respond: 9 };
  const { queue } = desk(numbers);
  queue.content();
  await settled();
  numbers.not_respond = 1;
  const counts = [...read(queue.content()).text.matchAll(/=(\d+)=/g)].map(([, count]) => Number(count));
  assert.deepEqual(counts, [0, 0, 1]);
});
