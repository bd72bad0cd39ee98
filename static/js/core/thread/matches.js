// The messages of the open thread that a search found: the shown one, and the marks in each.

const WAIT_MS = 300; // messages within this time are searched together

export class Matches {
  query = "";
  total = 0;
  state = "none"; // none, asking, done, failed
  currentId = null; // the message that is shown
  #threadId = null;
  #list = []; // [{id, at, marks}], the newest of `total` matches, oldest first
  #marks = new Map(); // message id → marks
  #run = 0;
  #timer = null;

  // ask(threadId, query): asks the server; show(messageId): scrolls there; changed(): paints.
  /** @param {MatchesOptions} options */
  constructor({ ask, show, changed, timers = globalThis }) {
    this.ask = ask;
    this.show = show;
    this.changed = changed;
    this.timers = timers;
  }

  get shown() { return this.state !== "none"; }
  // The number of the shown match from 1; 0 if it no longer matches.
  get place() {
    const index = this.#list.findIndex(({ id }) => id === this.currentId);
    return index < 0 ? 0 : this.total - this.#list.length + index + 1;
  }

  /** @param {number} messageId @returns {[number, number][]} in code points */
  marksOf(messageId) { return this.#marks.get(messageId) ?? []; }

  // Opens a result of a search.
  /** @param {number} threadId @param {{query: string, messageId: number}} found */
  begin(threadId, { query, messageId }) {
    if (threadId !== this.#threadId || query !== this.query) this.#clear("asking");
    this.#threadId = threadId;
    this.query = query;
    this.currentId = messageId;
    return this.#look(true);
  }

  // Another thread was opened, or the thread was closed.
  /** @param {number | null} threadId */
  opened(threadId) {
    if (this.shown && threadId !== this.#threadId) this.leave();
  }

  leave() {
    this.#clear("none");
    this.#threadId = null;
    this.query = "";
    this.currentId = null;
    this.changed();
  }

  // The messages of the thread may have changed.
  lookAgain() {
    if (this.shown) this.#timer ??= this.timers.setTimeout(() => this.#look(false), WAIT_MS);
  }

  // step: 1 for the next match, -1 for the previous one; after the last comes the first. Returns the
  // match, or null.
  /** @param {number} step */
  step(step) {
    const { length } = this.#list;
    if (!length) return null;
    const at = this.#list.findIndex(({ id }) => id === this.currentId);
    const match = this.#list[at < 0 ? length - 1 : (at + step + length) % length];
    this.currentId = match.id;
    this.show(match.id);
    this.changed();
    return match;
  }

  #clear(state) {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
    this.#timer = null;
    this.#list = [];
    this.#marks.clear();
    this.total = 0;
    this.state = state;
  }

  async #look(goes) {
    this.#timer = null;
    this.#run += 1;
    const run = this.#run;
    try {
      const { matches, total } = await this.ask(this.#threadId, this.query);
      if (run !== this.#run) return;
      this.#list = matches;
      this.#marks = new Map(matches.map(({ id, marks }) => [id, marks]));
      this.total = total;
      this.state = "done";
      if (goes) this.show(this.currentId); // the marks may be far below the message's beginning
    } catch {
      if (run === this.#run && this.state !== "done") this.state = "failed";
    }
    this.changed();
  }
}

// Returns where the body and the name of each attachment begin in a message's text, in code points.
/** @param {{body: string, attachments?: Attachment[]}} message @returns {number[]} */
export function offsetsOf({ body, attachments }) {
  const offsets = [];
  let at = 0;
  for (const text of [body, ...(attachments ?? []).map(({ name }) => name)]) {
    offsets.push(at);
    if (text) at += [...text].length + 1;
  }
  return offsets;
}
