// The saved views that this admin may see, in the admin's own order. The order includes the server's own
// views, which the page shows as places, in an order of its own.

import { isSaved } from "../route.js";
import { delayMs } from "../time.js";

// Several moves within this time are sent once.
const ORDER_AFTER_MS = 500;

export class SavedViews {
  /** @type {SavedView[]} */
  list = [];
  #known = new Map(); // id → the last known state of the view, including deleted ones
  #all = null; // ids of all views in the server's order; null before the first reading
  #order = null; // ids in the order of moves here, until the server has stored it
  #orderTimer = null;
  #retry = null;
  #failures = 0;
  #wanted = false;
  #loading = false;
  #own = 0; // grows with each change by this admin: a reading that began before may be outdated

  // ask() → {views}; send(ids) stores the order;
  // named(id, name) is called for each view; changed([{was, now}]) for added, removed and edited views;
  // refused(error) if the order was not stored.
  /** @param {SavedViewsOptions} options */
  constructor({
    ask, send, named, changed, refused, timers = globalThis, random = Math.random,
  }) {
    this.ask = ask;
    this.send = send;
    this.named = named;
    this.changed = changed;
    this.refused = refused;
    this.timers = timers;
    this.random = random;
  }

  // Returns undefined if there is no such view, or no longer.
  /** @param {string} id @returns {SavedView | undefined} */
  of(id) { return this.list.find((view) => view.id === id); }

  // Returns the last known state of the view, also after it was deleted.
  /** @param {string} id @returns {SavedView | undefined} */
  last(id) { return this.#known.get(id); }

  // Reads the views from the server; calls during a reading cause one more.
  async load() {
    this.#wanted = true;
    if (this.#loading) return;
    this.#loading = true;
    this.timers.clearTimeout(this.#retry);
    while (this.#wanted) {
      this.#wanted = false;
      await this.#read();
    }
    this.#loading = false;
  }

  async #read() {
    const own = this.#own;
    try {
      const { views } = await this.ask();
      this.#failures = 0;
      if (own === this.#own) this.take(views);
      else this.#wanted = true;
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 429) return;
      const ms = delayMs(this.#failures, { random: this.random });
      this.#failures += 1;
      this.#retry = this.timers.setTimeout(() => this.load(), ms);
    }
  }

  // Takes a view that was saved here, before the next reading.
  /** @param {SavedView} view */
  put(view) {
    const was = this.of(view.id);
    this.#own += 1;
    if (was) this.list = this.list.map((each) => (each === was ? { ...was, ...view } : each));
    else this.list.push(view);
    this.#know(view);
    this.changed([{ was, now: view, own: true }]);
  }

  // Removes a view that was deleted here.
  /** @param {string} id */
  drop(id) {
    const was = this.of(id);
    this.#own += 1;
    this.list = this.list.filter((view) => view !== was);
    if (was) this.changed([{ was, now: undefined, own: true }]);
  }

  #know(view) {
    this.#known.set(view.id, view);
    this.named(view.id, view.name);
  }

  // views: all of them, or only saved ones, as they come with the page.
  /** @param {SavedView[]} views */
  take(views) {
    this.#learn(views);
    const before = new Map(this.list.map((view) => [view.id, view]));
    this.list = views.filter(({ id }) => isSaved(id));
    this.#arrange();
    const changes = [];
    for (const now of this.list) {
      const was = before.get(now.id);
      before.delete(now.id);
      this.#know(now);
      if (!was || !isEqual(was, now)) changes.push({ was, now });
    }
    for (const was of before.values()) changes.push({ was, now: undefined });
    this.changed(changes);
  }

  // Takes the order of all views, if all are there.
  #learn(views) {
    const ids = views.map(({ id }) => id);
    if (!ids.every(isSaved)) this.#all = ids;
  }

  // Moves a view to a place; sends the order after the last of several moves. Returns whether it moved.
  /** @param {string} id @param {number} to */
  move(id, to) {
    const from = this.list.findIndex((view) => view.id === id);
    const at = Math.min(Math.max(0, to), this.list.length - 1);
    if (from < 0 || from === at) return false;
    const [view] = this.list.splice(from, 1);
    this.list.splice(at, 0, view);
    this.#order = this.list.map((each) => each.id);
    this.timers.clearTimeout(this.#orderTimer);
    this.#orderTimer = this.timers.setTimeout(() => this.#sendOrder(), ORDER_AFTER_MS);
    return true;
  }

  async #sendOrder() {
    const order = this.#order;
    try {
      if (!this.#all) this.#learn((await this.ask()).views);
      await this.send(this.#withBuiltIn());
    } catch (error) {
      this.refused(error);
    }
    if (order !== this.#order) return; // it was moved again
    this.#order = null;
    this.load();
  }

  // Returns all views: the saved ones in the order here, the built-in ones at their places.
  #withBuiltIn() {
    const all = this.#all ?? [];
    const saved = [...new Set([...this.list.map(({ id }) => id), ...all.filter(isSaved)])];
    return [...all.map((id) => (isSaved(id) ? saved.shift() : id)), ...saved];
  }

  // Sorts by the unsent order of moves here; views that are not in it come last.
  #arrange() {
    if (!this.#order) return;
    const places = new Map(this.#order.map((id, place) => [id, place]));
    const placeOf = ({ id }) => places.get(id) ?? places.size;
    this.list.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

const isEqual = (a, b) => ["name", "query", "sort", "owner", "timezone"].every((field) => a[field] === b[field]);

const DESK = "desk:";

// Returns the desk that owns the view; "" if no desk does.
/** @param {string} owner */
export const deskOf = (owner) => (owner.startsWith(DESK) ? owner.slice(DESK.length) : "");

// Returns the owners that a supervisor may choose: desks only if there are several, or one owns the view.
/** @param {string[]} desks @param {string} owner @returns {string[]} */
export function ownersOf(desks, owner) {
  const several = desks.length > 1 ? desks.map((name) => `${DESK}${name}`) : [];
  return ["me", ...new Set(deskOf(owner) ? [...several, owner] : several), "all"];
}

// Whether the admin may edit the view: everybody edits their own, supervisors also those of others.
/** @param {SavedView} view @param {Admin} admin */
export const mayEdit = ({ owner }, { role }) => owner === "me" || role === "supervisor";
