// All lists that were looked at: the current one is live, the others wait where they were left.

import { Listing } from "./listing.js";
import { listKey } from "./route.js";
import { ListSync } from "./sync.js";

const KEPT_MAX = 8;
const WATCH_GATHER_MS = 80;
// While a list keeps moving: the rows near its top come with its frames, watched or not.
const WATCH_PAUSE_MS = 400;
const WATCH_MAX = 500;

// changed(): something to paint. opened(): another list is the current one.
export class Lists {
  current = null; // {listing, sync}
  #kept = new Map();
  #watched = new Set(); // as the server knows it
  #onScreen = new Set();
  #watchTimer = null;
  #watchedAt = -Infinity;
  #connected = false;

  constructor({ call, rows, fetcher, mayMove, changed, now = Date.now, timers = globalThis }) {
    Object.assign(this, { call, rows, fetcher, mayMove, changed, now, timers });
  }

  show(list) {
    const key = listKey(list);
    if (this.current?.key === key) return this.current;
    this.#leave();
    this.current = this.#kept.get(key) ?? this.#make(key, list);
    this.#kept.delete(key);
    this.#kept.set(key, this.current);
    this.#trim();
    this.current.sync.start(this.#connected);
    this.changed();
    return this.current;
  }

  connected() {
    this.#connected = true;
    this.#watched.clear();
    this.#watchedAt = -Infinity;
    this.current?.sync.connected();
    this.#scheduleWatch();
  }

  disconnected() {
    this.#connected = false;
    this.current?.sync.disconnected();
  }

  frame(frame) {
    const kept = this.#kept.get(listKey(frame));
    if (kept && kept === this.current) kept.sync.frame(frame);
  }

  // The threads whose rows are to be kept true, and those of them that are missing.
  look(ids) {
    this.#onScreen = new Set(ids);
    this.rows.trim(this.#onScreen);
    this.fetcher.want(ids.filter((id) => this.rows.wanted(id)));
    if (this.#connected) this.#scheduleWatch();
  }

  #make(key, list) {
    const listing = new Listing({
      list,
      rows: this.rows,
      mayMove: this.mayMove,
      forgetMissing: (id) => this.fetcher.forgetMissing(id),
    });
    const sync = new ListSync({
      list, call: this.call, now: this.now, timers: this.timers, listener: this.#listener(key),
    });
    return { key, listing, sync };
  }

  #listener(key) {
    const forKept = (act) => (...given) => {
      const kept = this.#kept.get(key);
      if (!kept) return;
      act(kept, ...given);
      this.changed();
    };
    return {
      before: forKept(({ listing }) => listing.before()),
      reset: forKept(({ listing, sync }, answer) => {
        answer.rows.forEach(({ id }) => this.#watched.add(id));
        listing.reset(sync.order, answer);
      }),
      applied: forKept(({ listing }, answer, changes) => listing.applied(answer, changes)),
      extended: forKept(({ listing }) => listing.extended()),
      state: forKept(() => {}),
    };
  }

  // An order that is no longer followed cannot be anchored on: it is shown as it stood.
  #leave() {
    if (!this.current) return;
    this.current.sync.stop();
    if (this.current.listing.ready) this.current.listing.commit();
    this.current.listing.news.clear();
    this.current.listing.moved.clear();
  }

  #trim() {
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) return;
      if (key !== this.current.key) this.#kept.delete(key);
    }
  }

  #scheduleWatch() {
    if (this.#watchTimer !== null) return;
    const pause = this.#watchedAt + WATCH_PAUSE_MS - this.now();
    this.#watchTimer = this.timers.setTimeout(() => {
      this.#watchTimer = null;
      this.#watch();
    }, Math.max(WATCH_GATHER_MS, pause));
  }

  async #watch() {
    const wanted = [...this.#onScreen].slice(0, WATCH_MAX);
    const add = wanted.filter((id) => !this.#watched.has(id));
    const del = [...this.#watched].filter((id) => !this.#onScreen.has(id));
    if (!this.#connected || (!add.length && !del.length)) return;
    this.#watched = new Set(wanted);
    this.#watchedAt = this.now();
    try {
      await this.call("threads:watch", { add, del });
    } catch {
      add.forEach((id) => this.#watched.delete(id));
    }
  }
}
