// The messages of one thread, oldest first, by (at, id), and the part of them that is painted.

const PAINTED_MAX = 150;
const STEP = 50;

const after = (a, b) => a.at - b.at || a.id - b.id;

export class Messages {
  list = [];
  more = false; // the server has older ones
  from = 0; // first painted
  #byId = new Map();

  get painted() { return this.list.slice(this.from, this.end); }
  get end() { return Math.min(this.list.length, this.from + PAINTED_MAX); }
  get atNewest() { return this.end === this.list.length; }
  get oldest() { return this.list.length ? this.list[0] : null; }
  get newestId() { return this.list.reduce((most, { id }) => Math.max(most, id), 0); }
  has(id) { return this.#byId.has(id); }

  // Newest ones, as the thread is opened or again after a gap. Where they do not reach back to what
  // is here, the older ones are dropped: a hole would look like silence.
  reset(messages, more) {
    const joins = messages.some(({ id }) => this.has(id));
    const { atNewest } = this;
    if (!joins) this.#clear();
    if (!this.list.length) this.more = more;
    messages.forEach((message) => this.#put(message));
    if (!joins || atNewest) this.toNewest();
  }

  // One that came in. Returns whether it is new.
  add(message) {
    const { atNewest } = this;
    const fresh = this.#put(message);
    if (atNewest) this.toNewest();
    return fresh;
  }

  // Returns whether the message is here.
  deliver(id, delivery) {
    const message = this.#byId.get(id);
    if (message) this.#put({ ...message, delivery });
    return message !== undefined;
  }

  prepend(messages, more) {
    const { length } = this.list;
    messages.forEach((message) => this.#put(message));
    this.more = more;
    this.from += this.list.length - length;
    this.older();
  }

  // Paints further up. Returns false where the server has to be asked.
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
  }

  #put(message) {
    const before = this.#byId.get(message.id);
    const known = before !== undefined;
    if (known) this.list = this.list.filter(({ id }) => id !== message.id);
    // What was read earlier may come later.
    if (before?.delivery?.v > message.delivery?.v) message = { ...message, delivery: before.delivery };
    this.#byId.set(message.id, message);
    let index = this.list.length;
    while (index > 0 && after(this.list[index - 1], message) > 0) index -= 1;
    this.list.splice(index, 0, message);
    return !known;
  }
}
