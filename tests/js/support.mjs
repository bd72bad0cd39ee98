// Helpers of the tests: seeded numbers, a clock turned by hand, a server of one list, fields of queries.

import { setFields } from "../../static/js/core/query/fields.js";

const durations = { kind: "duration", words: [] };
setFields({
  is: { kind: "word", words: ["open", "closed", "waiting"] },
  assigned: { kind: "admin", words: ["me", "none", "anyone"] },
  priority: { kind: "word", words: ["urgent", "high", "normal", "low"] },
  member: { kind: "word", words: ["0", "1", "2", "3", "4", "5", "none"] },
  source: { kind: "name", words: [] },
  desk: { kind: "name", words: [] },
  tag: { kind: "tag", words: ["none"] },
  lang: { kind: "language", words: ["none"] },
  last: { kind: "word", words: ["client", "admin", "bot"] },
  waits: durations,
  quiet: durations,
  age: durations,
  created: { kind: "day", words: [] },
});

export function seeded(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit) => Math.floor(random() * limit);
  return { random, below, one: (list) => list[below(list.length)] };
}

// The choices that the server writes into the page for its scripts.
export const CHOICES = {
  views: ["arrival", "not_respond", "snoozed", "mentions", "history"],
  viewQueries: {
    arrival: "is:open -is:snoozed", not_respond: "is:open is:waiting -is:snoozed", snoozed: "is:snoozed",
    mentions: "mentions:me", history: "is:closed",
  },
  sorts: [
    "arrival", "longest_wait", "unanswered_first", "member_status", "priority", "next_due", "soonest",
  ],
  priorities: ["urgent", "high", "normal", "low"],
};
export const LIMITS = { list_ids: 20_000, watched_ids: 500, row_ids: 200 };

// Timers that run when the clock is turned past them.
export class Clock {
  #jobs = [];
  #next = 1;
  time = 1_000_000;

  now = () => this.time;

  setTimeout = (run, ms = 0) => {
    const id = this.#next;
    this.#next += 1;
    this.#jobs.push({ id, at: this.time + ms, run });
    return id;
  };

  clearTimeout = (id) => { this.#jobs = this.#jobs.filter((job) => job.id !== id); };

  async turn(ms) {
    const end = this.time + ms;
    for (;;) {
      await settled();
      const [job] = this.#jobs.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id);
      if (!job) break;
      this.#jobs = this.#jobs.filter((other) => other !== job);
      this.time = Math.max(this.time, job.at);
      job.run();
    }
    this.time = end;
    await settled();
  }
}

// All promises that can run without time passing have run.
export const settled = () => new Promise((resolve) => { setImmediate(resolve); });

const byPlace = (a, b) => a[1] - b[1] || a[0] - b[0];

// A list as the server keeps it, slow and obvious; answers as docs/protocol.md says.
export class ListServer {
  epoch = "one";
  version = 1;
  scores = new Map();
  changes = new Map();

  constructor(entries = []) {
    for (const [id, score] of entries) this.scores.set(id, score);
  }

  get sorted() { return [...this.scores].sort(byPlace); }
  get ids() { return this.sorted.map(([id]) => id); }

  put(id, score) {
    if (score === null) this.scores.delete(id);
    else this.scores.set(id, score);
    this.version += 1;
    this.changes.set(id, this.version);
  }

  restart() {
    this.epoch += "+";
    this.version = 1;
    this.changes.clear();
  }

  open(limit) { return { ...this.#answer(this.sorted.slice(0, limit)), rows: [] }; }

  more([score, id], limit) {
    return this.#answer(this.sorted.filter((entry) => byPlace(entry, [id, score]) > 0).slice(0, limit));
  }

  through([score, id], target) {
    const { sorted } = this;
    const rank = sorted.findIndex(([other]) => other === target);
    const from = sorted.findIndex((entry) => byPlace(entry, [id, score]) > 0);
    const entries = rank < 0 ? [] : sorted.slice(from, rank + 21);
    return { ...this.#answer(entries), rank: rank < 0 ? null : rank };
  }

  frame(from) {
    const changed = [...this.changes].filter(([, version]) => version > from).map(([id]) => id);
    return {
      epoch: this.epoch, from, version: this.version, total: this.scores.size, rows: {},
      set: changed.filter((id) => this.scores.has(id)).map((id) => [id, this.scores.get(id)]).sort(byPlace),
      del: changed.filter((id) => !this.scores.has(id)),
    };
  }

  sync({ epoch, version }) {
    if (epoch !== this.epoch || version > this.version) return { resync: true };
    return { resync: false, ...this.frame(version) };
  }

  #answer(entries) {
    return {
      epoch: this.epoch, version: this.version, total: this.scores.size,
      ids: entries.map(([id]) => id), scores: entries.map(([, score]) => score),
    };
  }
}

// The four groups that main.js hands over, each with all of these.
export const pageOf = (given) => ({ ...given, data: given, net: given, ui: given, acts: given });
