// The archived threads after a live list, which were closed long ago; read in parts from the server.
// They are not live: those on screen are fetched again now and then.

import { lowerBound } from "./order.js";

const PART = 50;
// When a list is opened again, so many are read again; further ones when they come into view.
const REFRESHED_MAX = 500;
const CHECKED_MS = 20_000;
const CHECKED_AT_ONCE = 100;
const RETRY_MS = 3000;

export class Archive {
  days = 0; // age in days from which threads are archived
  #ids = [];
  #scores = [];
  #where = new Map(); // id → score
  #next; // [score, id] after which more may follow; undefined: nothing was read yet; null: the end
  #loading = false;
  #retryAt = 0;
  #checkedAt = new Map(); // id → when it was last known to be archived
  #checking = new Set();
  #waiting = []; // changes that are applied when the list may move again
  #left = []; // ids that left the live list, to be checked
  #outdated = false; // whether to refresh after the current request

  /** @param {ArchiveOptions} options */
  constructor({ load, isLive, isHeld, take, changed, now = Date.now, timers = globalThis }) {
    this.load = load;
    this.isLive = isLive;
    this.isHeld = isHeld;
    this.take = take;
    this.changed = changed;
    this.now = now;
    this.timers = timers;
  }

  get length() { return this.#ids.length; }
  get begun() { return this.#next !== undefined; }
  get whole() { return this.#next === null; }
  /** @param {number} index */
  idAt(index) { return this.#ids[index]; }
  /** @param {number} index */
  scoreAt(index) { return this.#scores[index]; }
  /** @param {number} id */
  has(id) { return this.#where.has(id); }

  /** @param {number} id */
  indexOf(id) {
    const score = this.#where.get(id);
    return score === undefined ? -1 : this.#rank(score, id);
  }

  // Reads the next part, and repaints the list.
  async more() {
    if (this.#loading || this.whole || this.now() < this.#retryAt) return;
    this.#loading = true;
    const answer = await this.#ask({ after: this.#next, limit: PART });
    if (answer) this.#append(answer);
    this.#loaded();
  }

  // Reads up to `parts` parts until the thread is found. Resolves to whether it was found.
  /** @param {number} id */
  async through(id, parts = 20) {
    for (let read = 0; read < parts && !this.has(id) && !this.whole; read += 1) await this.more();
    return this.has(id);
  }

  // Asks whether these threads are archived and on the list; adds or removes them.
  /** @param {number[]} ids */
  async check(ids) {
    const asked = ids.filter((id) => !this.#checking.has(id));
    for (let at = 0; at < asked.length; at += CHECKED_AT_ONCE) {
      await this.#check(asked.slice(at, at + CHECKED_AT_ONCE));
    }
  }

  // After a change of the live list: its threads are not archived; those that left may be.
  /** @param {Frame} frame */
  follow({ set, del }) {
    if (!this.begun && !this.#loading) return;
    const live = set.map(([id]) => id).filter((id) => this.has(id));
    if (live.length) this.#change({ del: live });
    this.#left.push(...del);
    this.#checkLeft();
  }

  // Takes the ids that are on screen.
  /** @param {number[]} ids */
  look(ids) {
    this.#checkLeft();
    const due = this.now() - CHECKED_MS;
    const mine = ids.filter((id) => this.has(id));
    const old = mine.filter((id) => (this.#checkedAt.get(id) ?? 0) <= due);
    if (old.length) this.check(old);
  }

  // Returns the ms until something on screen must be fetched again; null if nothing must.
  /** @param {number[]} ids */
  wait(ids) {
    const times = ids.filter((id) => this.has(id)).map((id) => this.#checkedAt.get(id) ?? 0);
    return times.length ? Math.max(1000, Math.min(...times) + CHECKED_MS - this.now()) : null;
  }

  // Reads the known part again after the live list was read again: changes in between are unknown.
  async refresh() {
    this.#outdated = this.#loading;
    if (!this.begun || this.#loading) return;
    this.#loading = true;
    const wanted = Math.min(this.length, REFRESHED_MAX);
    const read = { ids: [], scores: [], next: undefined };
    do {
      const answer = await this.#ask({ after: read.next, limit: 2 * PART });
      if (!answer) break;
      read.ids.push(...answer.ids);
      read.scores.push(...answer.scores);
      read.next = answer.next;
    } while (read.next && read.ids.length < wanted);
    if (read.next !== undefined) this.#change({ read });
    this.#loaded();
  }

  // The list may move again.
  settle() {
    for (const change of this.#waiting.splice(0)) this.#apply(change);
  }

  #loaded() {
    this.#loading = false;
    if (this.#outdated) this.refresh();
    this.#checkLeft();
    this.changed();
    if (this.#retryAt > this.now()) this.timers.setTimeout(() => this.changed(), RETRY_MS);
  }

  #checkLeft() {
    if (this.#loading || this.now() < this.#retryAt || !this.begun) return;
    this.check(this.#left.splice(0));
  }

  async #check(ids) {
    for (const id of ids) this.#checking.add(id);
    const answer = await this.#ask({ ids });
    for (const id of ids) this.#checking.delete(id);
    if (!answer) return void this.#left.push(...ids);
    const set = answer.ids.map((id, at) => [id, answer.scores[at]]);
    const del = ids.filter((id) => !answer.ids.includes(id) && this.has(id));
    if (set.length || del.length) this.#change({ set, del });
    return undefined;
  }

  async #ask(asked) {
    try {
      const answer = await this.load(asked);
      this.days = answer.days;
      for (const id of answer.ids) this.#checkedAt.set(id, this.now());
      this.take(answer.rows);
      return answer;
    } catch {
      this.#retryAt = this.now() + RETRY_MS;
      return null;
    }
  }

  #append({ ids, scores, next }) {
    ids.forEach((id, at) => this.#put(id, scores[at]));
    this.#next = next;
  }

  #change(change) {
    if (this.isHeld()) this.#waiting.push(change);
    else this.#apply(change);
    this.changed();
  }

  #apply({ set = [], del = [], read = null }) {
    if (read) {
      this.#ids = [];
      this.#scores = [];
      this.#where.clear();
      this.#append(read);
    }
    for (const id of del) this.#remove(id);
    for (const [id, score] of set) {
      this.#remove(id);
      if (this.#reaches(score, id)) this.#put(id, score);
    }
  }

  // Whether a position is in the part read so far; a later one will come with its own part.
  #reaches(score, id) {
    if (this.whole) return true;
    const [lastScore, lastId] = this.#next;
    return score < lastScore || (score === lastScore && id <= lastId);
  }

  #put(id, score) {
    if (this.#where.has(id) || this.isLive(id)) return;
    const at = this.#rank(score, id);
    this.#ids.splice(at, 0, id);
    this.#scores.splice(at, 0, score);
    this.#where.set(id, score);
  }

  #remove(id) {
    const at = this.indexOf(id);
    if (at < 0) return;
    this.#ids.splice(at, 1);
    this.#scores.splice(at, 1);
    this.#where.delete(id);
  }

  #rank(score, id) { return lowerBound(this.#scores, this.#ids, this.length, score, id); }
}
