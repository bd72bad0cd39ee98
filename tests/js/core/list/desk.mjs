// A ListSync in front of a server of one list.

import { ListSync } from "../../../../static/js/core/list/sync.js";
import { Clock, LIMITS, ListServer } from "../../support.mjs";

const LIST = { view: "arrival", sort: "arrival", filter: "all" };

// A ListSync before a ListServer, with a line that can be cut, slowed and made to fail.
export function desk(entries) {
  const clock = new Clock();
  const server = new ListServer(entries);
  const calls = [];
  const line = { up: true, failing: false, status: 503, held: null };
  const answers = {
    "list:open": ({ limit }) => server.open(limit),
    "list:sync": (given) => server.sync(given),
    "list:more": ({ after, limit, through }) => (
      through === undefined ? server.more(after, limit) : server.through(after, through)),
    "list:close": () => ({}),
  };
  const call = async (name, given) => {
    calls.push(name);
    if (!line.up) throw new Error("no answer");
    if (line.failing) throw Object.assign(new Error("no"), { problem: { status: line.status } });
    const answer = answers[name](given);
    if (line.held) await line.held;
    return answer;
  };
  const heard = [];
  const listener = Object.fromEntries(
    ["before", "reset", "applied", "extended", "state"].map((name) => [name, () => heard.push(name)]),
  );
  const sync = new ListSync({
    list: LIST, call, listener, moreMax: LIMITS.list_ids, now: clock.now, timers: clock, random: () => 0,
  });
  const push = (from = sync.order.version) => sync.frame(server.frame(from));
  return { clock, server, calls, line, heard, sync, push };
}

export const numbers = (count) => Array.from({ length: count }, (_, index) => [index + 1, index]);
export const ids = (sync) => Array.from(sync.order.ids());
