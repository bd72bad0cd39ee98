// The messages of one thread, oldest first by (at, id), and the painted part of them. The list has no
// gaps; messages that come in behind a gap are kept until it is closed.

const PAINTED_MAX = 150;
const STEP = 50;

const after = (a, b) => a.at - b.at || a.id - b.id;

export class Messages {
  list = [];
  more = false; // the server has older ones
  later = false; // the server has later ones
  from = 0; // index of the first painted message
  #byId = new Map();
  #behind = new Map(); // id → message that came in behind the gap

  get painted() { return this.list.slice(this.from, this.end); }
  get end() { return Math.min(this.list.length, this.from + PAINTED_MAX); }
  get atNewest() { return this.isAtEnd && !this.later; }
  // Whether the last loaded message is painted.
  get isAtEnd() { return this.end === this.list.length; }
  get oldest() { return this.list.length ? this.list[0] : null; }
  get newest() { return this.list.at(-1) ?? null; }
  // The time up to which acts belong to the painted messages, in ms; null: no limit.
  get untilMs() {
    if (this.atNewest) return null;
    return this.isAtEnd ? this.newest.at + 1 : this.list[this.end].at;
  }
  // The time of the first painted message; null if nothing is before it.
  get sinceMs() { return this.from > 0 || this.more ? this.painted[0]?.at ?? null : null; }
  // The messages that came in behind the gap.
  get behind() { return [...this.#behind.values()]; }
  get newestId() { return this.list.reduce((most, { id }) => Math.max(most, id), 0); }
  /** @param {number} id */
  has(id) { return this.#byId.has(id); }
  /** @param {number} id */
  get(id) { return this.#byId.get(id); }

  // Takes the newest messages after the thread was opened or the connection was lost. If they do not overlap
  // with the known ones, drops these, because a gap between would be invisible. Returns whether they
  // overlap.
  /** @param {Message[]} messages */
  reset(messages, more) {
    const joins = messages.some(({ id }) => this.has(id));
    const { atNewest } = this;
    if (!joins) this.#clear();
    if (!this.list.length || (messages.length && after(messages[0], this.oldest) < 0)) this.more = more;
    messages.forEach((message) => this.#put(message));
    this.#joined();
    if (!joins || atNewest) this.toNewest();
    return joins;
  }

  // Replaces the known messages by a part of the conversation from `GET messages?around=`.
  replace({ messages, more, later }) {
    const known = this.later ? [] : this.list;
    const before = new Map(this.#byId);
    this.#clear();
    messages.forEach((message) => this.#put(current(before.get(message.id), message)));
    this.more = more;
    this.later = later;
    // Includes messages that came in after the part was read.
    known.filter((message) => after(message, this.newest) > 0)
      .forEach((message) => this.#behind.set(message.id, message));
    if (!later) this.#joined();
  }

  // Takes the messages after the last one.
  /** @param {Message[]} messages */
  append(messages, later) {
    messages.forEach((message) => this.#put(message));
    this.later = later;
    if (!later) this.#joined();
    this.newer();
  }

  // Paints a part with this message in the middle.
  /** @param {number} id */
  show(id) {
    const index = this.list.findIndex((message) => message.id === id);
    if (index >= this.from && index < this.end) return;
    this.from = Math.min(Math.max(0, index - Math.floor(PAINTED_MAX / 2)), this.#lastFrom);
  }

  // Takes a new message, or one that was edited. Returns whether it was unknown. One before the first known
  // message is loaded with those between.
  /** @param {Message} message */
  add(message) {
    const { atNewest } = this;
    if (this.more && this.oldest && after(message, this.oldest) < 0) return false;
    if (this.later && !this.has(message.id) && after(message, this.newest) > 0) {
      const isNew = !this.#behind.has(message.id);
      this.#behind.set(message.id, message);
      return isNew;
    }
    const fresh = this.#put(message);
    if (atNewest) this.toNewest();
    return fresh;
  }

  // Takes a state of delivery. Returns whether the message is loaded.
  /** @param {number} id */
  deliver(id, delivery) {
    const message = this.#byId.get(id);
    if (message) this.#put({ ...message, delivery });
    const waiting = this.#behind.get(id);
    if (waiting) this.#behind.set(id, current(waiting, { ...waiting, delivery }));
    return message !== undefined;
  }

  /** @param {Message[]} messages */
  prepend(messages, more) {
    const { length } = this.list;
    messages.forEach((message) => this.#put(message));
    this.more = more;
    this.from += this.list.length - length;
    this.older();
  }

  // Paints older messages. Returns false if they must be loaded first.
  older() {
    if (this.from === 0) return false;
    this.from = Math.max(0, this.from - STEP);
    return true;
  }

  newer() { this.from = Math.min(this.from + STEP, this.#lastFrom); }
  toNewest() { this.from = this.#lastFrom; }

  get #lastFrom() { return Math.max(0, this.list.length - PAINTED_MAX); }

  #clear() {
    this.list = [];
    this.#byId.clear();
    this.from = 0;
    this.later = false;
  }

  // The gap is closed.
  #joined() {
    this.later = false;
    this.#behind.forEach((message) => this.#put(message));
    this.#behind.clear();
  }

  #put(message) {
    const before = this.#byId.get(message.id);
    const known = before !== undefined;
    if (known) this.list = this.list.filter(({ id }) => id !== message.id);
    message = current(before, message);
    this.#byId.set(message.id, message);
    let index = this.list.length;
    while (index > 0 && after(this.list[index - 1], message) > 0) index -= 1;
    this.list.splice(index, 0, message);
    return !known;
  }
}

// Returns the message with the later edit and delivery of both states: answers may arrive in another order than
// they were read.
/** @param {Message | undefined} before @param {Message} message @returns {Message} */
function current(before, message) {
  if (before?.edit?.v > (message.edit?.v ?? 0)) message = { ...before, delivery: message.delivery };
  return before?.delivery?.v > message.delivery?.v ? { ...message, delivery: before.delivery } : message;
}

// The acts on one thread, by (at, id).
export class Acts {
  list = [];
  #ids = new Set();

  // Returns whether the act was unknown: it may be both loaded and pushed.
  /** @param {Act} act */
  add(act) {
    if (this.#ids.has(act.id)) return false;
    this.#ids.add(act.id);
    this.list = [...this.list, act].sort(after);
    return true;
  }

  /** @param {Act[]} acts */
  put(acts) { acts.forEach((act) => this.add(act)); }

  clear() {
    this.list = [];
    this.#ids.clear();
  }

  // Returns the acts from `since` on and before `until`, in ms; null: no limit.
  between(since, until) {
    return this.list.filter(({ at }) => (since === null || at >= since)
      && (until === null || at < until));
  }
}
