// The lists that were shown: the current one is live; the others stay as they were left.

import { Archive } from "./archive.js";
import { Listing } from "./listing.js";
import { ListSync } from "./sync.js";
import { listKey } from "../route.js";

const KEPT_MAX = 8;
const WATCH_GATHER_MS = 80;
const WATCH_PAUSE_MS = 1000;
// After a frame, the rows on screen are reported at a random moment within this time: all dashboards get
// the frame at once, and must not all call at once.
const WATCH_SPREAD_MS = 2000;

export class Lists {
  current = null; // {listing, sync}
  #kept = new Map();
  #watched = new Set(); // as the server knows them
  #onScreen = new Set();
  #watchTimer = null;
  #watchDueAt = 0;
  #isMoved = false; // whether a frame moved the list since the last look
  #watchedAt = -Infinity;
  #connected = false;

  /** @param {ListsOptions} options */
  constructor({
    call, rows, fetcher, limits, mayMove, changed, archived, now = Date.now, timers = globalThis,
    random = Math.random,
  }) {
    this.call = call;
    this.rows = rows;
    this.fetcher = fetcher;
    this.limits = limits;
    this.mayMove = mayMove;
    this.changed = changed;
    this.archived = archived;
    this.now = now;
    this.timers = timers;
    this.random = random;
  }

  get listing() { return this.current.listing; }
  get sync() { return this.current.sync; }
  // {view, sort}; and `query` for a query that is not saved
  get list() { return this.listing.list; }
  // The number of threads on the list, also while its rows are held; null before it was read.
  /** @returns {CountedList | null} */
  get counted() {
    if (!this.current || this.sync.state === "refused" || !this.sync.order) return null;
    return { view: this.list.view, total: this.sync.order.total, isCurrent: this.sync.isCurrent };
  }
  // Whether the list shows a notice instead of rows.
  get isWithoutRows() {
    return this.listing.ready && this.sync.state !== "refused" ? this.listing.painted.total === 0
      : this.sync.building !== null || ["refused", "failed"].includes(this.sync.state);
  }

  /** @param {ListName} list */
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

  // Reads lists again after their saved view got other threads, or their saved sort another order.
  /** @param {string} view */
  renew(view) { this.#renew((list) => list.view === view); }
  /** @param {string} sort */
  renewSort(sort) { this.#renew((list) => list.sort === sort); }

  #renew(isMeant) {
    for (const [key, { listing }] of this.#kept) if (isMeant(listing.list)) this.#kept.delete(key);
    if (!this.current || !isMeant(this.current.listing.list)) return;
    this.#kept.set(this.current.key, this.current);
    this.current.sync.reopen();
  }

  // Called when a list no longer exists, because its view was deleted.
  /** @param {Partial<ListName> & {problem: Problem}} gone */
  gone(gone) {
    if (listKey(gone) === this.current?.key) this.sync.refuse(gone.problem);
  }

  // Takes the head of a list that came with the page; does nothing if another list is shown.
  /** @param {ListName & OpenAnswer} head */
  begin(head) {
    if (listKey(head) === this.current.key) this.sync.begin(head);
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

  /** @param {Frame} frame */
  frame(frame) {
    const kept = this.#kept.get(listKey(frame));
    if (kept && kept === this.current) kept.sync.frame(frame);
  }

  // Watches the rows of these threads, and fetches missing ones.
  /** @param {number[]} ids */
  look(ids) {
    const isScrolled = !this.#isMoved && ids.some((id) => !this.#onScreen.has(id));
    this.#isMoved = false;
    this.#onScreen = new Set(ids);
    this.rows.trim(this.#onScreen);
    this.fetcher.want(ids.filter((id) => this.rows.wanted(id)));
    if (this.#connected) this.#scheduleWatch(isScrolled ? 0 : WATCH_SPREAD_MS);
  }

  #make(key, list) {
    const listing = new Listing({
      list,
      rows: this.rows,
      mayMove: this.mayMove,
      forgetMissing: (id) => this.fetcher.forgetMissing(id),
      archive: new Archive({
        load: (asked) => this.archived(list, asked),
        isLive: (id) => listing.painted.isLive(id),
        isHeld: () => listing.painted?.held === true,
        take: (taken) => taken.forEach((row) => this.rows.put(row)),
        changed: () => this.changed(),
        now: this.now,
        timers: this.timers,
      }),
    });
    const { call, limits: { list_ids: moreMax }, now, timers } = this;
    const sync = new ListSync({ list, call, moreMax, now, timers, listener: this.#listener(key) });
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
      before: forKept(({ listing }, frame) => listing.before(frame)),
      reset: forKept(({ listing, sync }, answer) => {
        answer.rows.forEach(({ id }) => this.#watched.add(id));
        listing.reset(sync.order, answer);
      }),
      applied: forKept(({ listing }, answer, changes) => {
        this.#isMoved = true;
        listing.applied(answer, changes);
      }),
      extended: forKept(({ listing }) => listing.extended()),
      state: forKept(() => {}),
    };
  }

  // A list that is no longer current gets no frames: held changes are painted.
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

  #scheduleWatch(spreadMs = 0) {
    const now = this.now();
    const soonest = Math.max(now + WATCH_GATHER_MS, this.#watchedAt + WATCH_PAUSE_MS);
    if (this.#watchTimer !== null && (spreadMs || soonest >= this.#watchDueAt)) return;
    this.timers.clearTimeout(this.#watchTimer);
    this.#watchDueAt = soonest + this.random() * spreadMs;
    this.#watchTimer = this.timers.setTimeout(() => {
      this.#watchTimer = null;
      this.#watch();
    }, this.#watchDueAt - now);
  }

  async #watch() {
    const wanted = [...this.#onScreen].slice(0, this.limits.watched_ids);
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

// The threads beside the open thread when it was opened. A reply moves the thread away, and the admin
// continues where it was.
const KEPT = 200; // on each side

export class Neighbours {
  #threadId = null;
  #byListing = new Map(); // listing → {below, above}: ids, the nearest first

  /** @param {NeighboursOptions} options */
  constructor({ lists, thread }) {
    this.lists = lists;
    this.thread = thread;
  }

  // Remembers the neighbours of a thread that was just opened, or is shown on another list.
  look() {
    const { id } = this.thread;
    const listing = this.lists.current?.listing;
    if (id !== this.#threadId) {
      this.#threadId = id;
      this.#byListing.clear();
    }
    if (id === null || !listing?.ready || this.#byListing.has(listing)) return;
    const index = listing.painted.indexOf(id);
    if (index >= 0) this.#byListing.set(listing, around(listing.painted, index));
  }

  // Returns the nearest thread below that is still on the list, else the nearest above, else null.
  /** @param {number} id */
  next(id) { return this.beside(id, 1) ?? this.beside(id, -1); }

  // step: 1 for the nearest thread below that is still on the list, -1 for above; null if there is none.
  /** @param {number} id @param {number} step */
  beside(id, step) {
    const { listing, listing: { painted } } = this.lists.current;
    const known = id === this.#threadId ? this.#byListing.get(listing) : undefined;
    const ids = known?.[step > 0 ? "below" : "above"] ?? [];
    const stays = (other) => painted.indexOf(other) >= 0 && painted.markOf(other) !== "left";
    return ids.find(stays) ?? null;
  }
}

function around(view, index) {
  const ids = (step) => Array.from({ length: KEPT }, (_, place) => view.idAt(index + step * (place + 1)))
    .filter((id) => id !== undefined);
  return { below: ids(1), above: ids(-1) };
}

// Reports the threads on screen, so that their rows and presence are kept current.
export class VisibleRows {
  /** @param {VisibleRowsOptions} options */
  constructor({ lists, thread, rows, presence }) {
    this.lists = lists;
    this.thread = thread;
    this.rows = rows;
    this.presence = presence;
  }

  // ids: the painted threads; end: one past the last painted index, loaded or not.
  /** @param {number[]} ids @param {number} end */
  show(ids, end) {
    const { id } = this.thread;
    this.lists.sync.need(end);
    this.lists.listing.needs(ids, end);
    const open = id === null || ids.includes(id) ? [] : [id];
    this.lists.look([...ids, ...open]);
    this.#watchPresence([...open, ...ids]);
  }

  #watchPresence(ids) {
    const customers = ids.map((id) => this.rows.get(id)?.customer?.id).filter(Boolean);
    this.presence.want("customer", "rows", customers);
    this.presence.onScreen(ids);
  }
}
