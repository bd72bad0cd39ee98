// Drives the browser's reducer from another program: JSON lines in, one JSON line out for each.
//
//   {"op": "open", "list": KEY, "answer": {…}}    the answer to list:open
//   {"op": "frame", "list": KEY, "frame": {…}}    a list:order frame
//   {"op": "sync", "list": KEY, "answer": {…}}    the answer to list:sync
//   {"op": "more", "list": KEY, "answer": {…}}    the answer to list:more that began at the bound
//   {"op": "dump", "list": KEY}
//
// Out: {"result", "epoch", "version", "total", "bound": [score, id] | null, "ids", "scores"}; ids and
// scores in answer to a dump alone. result: "opened", "applied", "old", "sync" (ask list:sync),
// "resync" (open again), "wait", "again", "dump", or "error" with "message".

import { createInterface } from "node:readline";

import { Order } from "../../static/js/core/list/order.js";

const orders = new Map();

const ops = {
  open({ list, answer }) {
    orders.set(list, new Order(answer));
    return "opened";
  },
  frame: ({ list, frame }) => orders.get(list).apply(frame),
  sync: ({ list, answer }) => (answer.resync ? "resync" : orders.get(list).apply(answer)),
  more: ({ list, answer }) => orders.get(list).more(answer),
  dump: () => "dump",
};

function state(order, withEntries) {
  const { epoch, version, total, bound } = order;
  const entries = withEntries
    ? { ids: Array.from(order.ids()), scores: Array.from(order.scores()) } : {};
  return { epoch, version, total, bound: bound && [bound.score, bound.id], ...entries };
}

function answer(line) {
  const command = JSON.parse(line);
  if (!ops[command.op]) return { result: "error", message: `no such op: ${command.op}` };
  if (command.op !== "open" && !orders.has(command.list)) {
    return { result: "error", message: `not open: ${command.list}` };
  }
  const result = ops[command.op](command);
  return { result, ...state(orders.get(command.list), command.op === "dump") };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}
