// The order of one list as the server sends it: the ids and scores that were loaded so far.

// With more changes at once than this, a merge is cheaper than single moves.
const MERGE_FROM = 48;
// The number of recent changes that are remembered, to correct an older answer of `list:more`.
const RECENT_MAX = 4096;

function grown(array, size) {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
}

export class Order {
  #ids = new Float64Array(1024);
  #scores = new Float64Array(1024);
  #length = 0;
  #where = new Map(); // id → score, for threads in the head
  #recent = new Map(); // id → {version, score | null}, latest last
  #recentFrom = 0; // `recent` is complete for later versions than this
  #waiting = null; // an answer of list:more with a version that we have not reached

  /** @param {ListAnswer} parts */
  constructor({ epoch, version, total, ids, scores }) {
    this.epoch = epoch;
    this.version = version;
    this.total = total;
    // The head is complete up to and including `bound`; null means to the end of the list.
    this.bound = null;
    this.changes = []; // changes by the last frame: {id, was, now, left}
    this.#recentFrom = version;
    this.#append(ids, scores);
    this.#setBound(ids, scores);
  }

  get length() { return this.#length; }
  get whole() { return this.bound === null; }
  get waiting() { return this.#waiting !== null; }
  /** @param {number} index */
  idAt(index) { return this.#ids[index]; }
  /** @param {number} index */
  scoreAt(index) { return this.#scores[index]; }
  /** @param {number} id */
  has(id) { return this.#where.has(id); }
  /** @param {number} id */
  scoreOf(id) { return this.#where.get(id); }
  ids() { return this.#ids.slice(0, this.#length); }
  scores() { return this.#scores.slice(0, this.#length); }

  // Returns the index of the thread, or -1 if it is not in the head.
  /** @param {number} id */
  indexOf(id) {
    const score = this.#where.get(id);
    return score === undefined ? -1 : this.rank(score, id);
  }

  /** @param {number} score @param {number} id */
  rank(score, id) { return lowerBound(this.#scores, this.#ids, this.#length, score, id); }

  // Applies a `list:order` frame or a `list:sync` answer. Returns "applied", "old" (known) or "sync" (a gap).
  /** @param {Frame} frame */
  apply(frame) {
    if (frame.epoch !== this.epoch || frame.from > this.version) return "sync";
    if (frame.version <= this.version) return "old";
    this.version = frame.version;
    this.total = frame.total;
    this.#remember(frame);
    this.changes = this.#changesOf(frame);
    if (this.changes.length < MERGE_FROM) for (const change of this.changes) this.#move(change);
    else this.#merge(this.changes);
    this.#takeWaiting();
    this.#closeIfWhole();
    return "applied";
  }

  // Takes the answer of a `list:more` that began at our bound. Returns "applied", "wait" (it is newer, and is
  // applied once frames bring us there), "again" (older than we remember) or "sync".
  more(answer) {
    if (answer.epoch !== this.epoch) return "sync";
    if (this.whole) return "applied";
    if (answer.version > this.version) {
      this.#waiting = answer;
      return "wait";
    }
    if (answer.version < this.#recentFrom) return "again";
    this.#extend(answer);
    this.#closeIfWhole();
    return "applied";
  }

  #remember({ set, del, version }) {
    for (const [id, score] of set) this.#note(id, version, score);
    for (const id of del) this.#note(id, version, null);
    for (const [id, { version: oldest }] of this.#recent) {
      if (this.#recent.size <= RECENT_MAX) break;
      this.#recent.delete(id);
      this.#recentFrom = Math.max(this.#recentFrom, oldest);
    }
  }

  #note(id, version, score) {
    this.#recent.delete(id);
    this.#recent.set(id, { version, score });
  }

  #changesOf({ set, del }) {
    const changes = [];
    for (const id of del) {
      changes.push({ id, was: this.#where.get(id), now: undefined, left: true });
    }
    for (const [id, score] of set) {
      const now = this.#inside(score, id) ? score : undefined;
      changes.push({ id, was: this.#where.get(id), now, left: false });
    }
    return changes;
  }

  #inside(score, id) { return this.bound === null || !before(this.bound.score, this.bound.id, score, id); }

  #move({ id, now }) {
    const was = this.#where.get(id);
    if (was === now) return;
    if (was !== undefined) this.#remove(was, id);
    if (now !== undefined) this.#insert(now, id);
  }

  #remove(score, id) {
    const index = this.rank(score, id);
    this.#ids.copyWithin(index, index + 1, this.#length);
    this.#scores.copyWithin(index, index + 1, this.#length);
    this.#length -= 1;
    this.#where.delete(id);
  }

  #insert(score, id) {
    const index = this.rank(score, id);
    this.#reserve(this.#length + 1);
    this.#ids.copyWithin(index + 1, index, this.#length);
    this.#scores.copyWithin(index + 1, index, this.#length);
    this.#ids[index] = id;
    this.#scores[index] = score;
    this.#length += 1;
    this.#where.set(id, score);
  }

  // Applies many changes in one pass over the head.
  #merge(changes) {
    const last = new Map(changes.map((change) => [change.id, change.now]));
    const coming = [...last].filter(([, score]) => score !== undefined);
    coming.sort(([idA, a], [idB, b]) => a - b || idA - idB);
    const ids = this.ids();
    const scores = this.scores();
    this.#length = 0;
    this.#where = new Map();
    let next = 0;
    for (let index = 0; index < ids.length; index += 1) {
      if (last.has(ids[index])) continue;
      while (next < coming.length
             && before(coming[next][1], coming[next][0], scores[index], ids[index])) {
        this.#push(...coming[next]);
        next += 1;
      }
      this.#push(ids[index], scores[index]);
    }
    for (; next < coming.length; next += 1) this.#push(...coming[next]);
  }

  #push(id, score) {
    this.#reserve(this.#length + 1);
    this.#ids[this.#length] = id;
    this.#scores[this.#length] = score;
    this.#length += 1;
    this.#where.set(id, score);
  }

  #append(ids, scores) {
    this.#reserve(this.#length + ids.length);
    for (let index = 0; index < ids.length; index += 1) this.#push(ids[index], scores[index]);
  }

  #setBound(ids, scores) {
    const last = ids.length - 1;
    this.bound = this.#length >= this.total || last < 0
      ? null : { score: scores[last], id: ids[last] };
  }

  #takeWaiting() {
    const answer = this.#waiting;
    if (!answer || answer.version > this.version) return;
    this.#waiting = null;
    if (!this.whole && answer.version >= this.#recentFrom) this.#extend(answer);
  }

  // Entries that changed after the answer was written are placed by the later change. An empty answer after
  // the bound means the end of the list; an empty answer up to a thread (with `rank`) means nothing.
  #extend({ ids, scores, version, rank }) {
    const last = ids.length - 1;
    if (last < 0 && rank !== undefined) return;
    const { bound } = this;
    this.bound = last < 0 ? null : { score: scores[last], id: ids[last] };
    for (let index = 0; index <= last; index += 1) {
      const later = this.#recent.get(ids[index]);
      if (later && later.version > version) continue;
      if (!this.#where.has(ids[index])) this.#push(ids[index], scores[index]);
    }
    for (const [id, later] of this.#recent) {
      if (later.version <= version || later.score === null || this.#where.has(id)) continue;
      const beyond = before(bound.score, bound.id, later.score, id);
      if (beyond && this.#inside(later.score, id)) this.#insert(later.score, id);
    }
  }

  #closeIfWhole() {
    if (this.#length >= this.total) this.bound = null;
  }

  #reserve(length) {
    if (length <= this.#ids.length) return;
    const size = Math.max(length, this.#ids.length * 2);
    this.#ids = grown(this.#ids, size);
    this.#scores = grown(this.#scores, size);
  }
}

// The order of all lists: lower scores first; equal scores, lower ids first.
/** @param {number} scoreA @param {number} idA @param {number} scoreB @param {number} idB */
export const before = (scoreA, idA, scoreB, idB) =>
  scoreA < scoreB || (scoreA === scoreB && idA < idB);

// Returns how many of the first `length` entries come before (score, id).
/** @param {ArrayLike<number>} scores @param {ArrayLike<number>} ids @param {number} length @param {number} score @param {number} id */
export function lowerBound(scores, ids, length, score, id) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(scores[middle], ids[middle], score, id)) low = middle + 1;
    else high = middle;
  }
  return low;
}
