// Estimates which messages of the open thread the admin has read. Messages on screen when the draft began
// count as read; later ones count after they were readable for long enough.

const LEAST_MS = 3000;
const MOST_MS = 10_000;
const CHARACTER_MS = 40; // 25 characters a second

/** @param {Message} message */
export const readingMs = ({ body }) => (
  Math.min(MOST_MS, Math.max(LEAST_MS, (body?.length ?? 0) * CHARACTER_MS)));

export class Reading {
  base = null; // the newest message that counted as read when the draft began; null without a draft
  #shownMs = new Map(); // message id → ms for which it was readable
  #tooEarly = false; // the draft began before the conversation was on screen

  /** @param {ReadingOptions} options */
  constructor({ thread, adminId }) {
    this.thread = thread;
    this.adminId = adminId;
  }

  // A draft begins, or a stored one continues. base: stored with the draft, null for a new one.
  /** @param {number | null} base */
  begin(base = null) {
    this.base = base ?? this.thread.shownId;
    this.#tooEarly = !this.base && this.thread.state !== "ready";
    this.#shownMs.clear();
  }

  // If nothing was known of the thread, the messages shown first count as read.
  settle() {
    if (this.#tooEarly && this.thread.seenId) this.begin();
  }

  // The draft has ended.
  end() {
    this.base = null;
    this.#tooEarly = false;
    this.#shownMs.clear();
  }

  // The messages since the draft began that were not readable for long enough: of the customer, and public
  // ones of colleagues.
  get unread() {
    if (this.base === null) return [];
    return this.thread.messages.list.filter((message) => this.#isUnread(message));
  }

  // The newest message up to which all are read.
  get seenId() {
    if (this.base === null) return this.thread.seenId;
    const ids = this.thread.messages.list.map(({ id }) => id);
    const first = Math.min(...this.unread.map(({ id }) => id), Infinity);
    return Math.max(this.base, ...ids.filter((id) => id < first));
  }

  // These messages were readable for this time: on screen, in a window with the focus.
  /** @param {number[]} ids @param {number} ms */
  shown(ids, ms) {
    for (const id of ids) this.#shownMs.set(id, (this.#shownMs.get(id) ?? 0) + ms);
  }

  #isUnread(message) {
    const { id, role, author } = message;
    if (id <= this.base || message.private) return false;
    const stops = role === "client" || (role === "admin" && author?.id !== this.adminId);
    return stops && (this.#shownMs.get(id) ?? 0) < readingMs(message);
  }
}

// Holds a reply once if it may be superfluous: an unread message came in, or the colleague who has the thread is
// writing. Anybody else's draft holds nothing: of two answers the first press wins, and its message holds the second
// one. A reason that was told once does not hold it again.
export class SendGuard {
  held = null; // {threadId, unread, writers}: why the reply of this thread is held

  /** @param {SendGuardOptions} options */
  constructor({ reading, writers, assigneeOf }) {
    this.reading = reading;
    this.writers = writers;
    this.assigneeOf = assigneeOf;
  }

  // Whether a reply needs one more press; `held` has the reasons.
  /** @param {number} threadId */
  holds(threadId) {
    const reasons = this.#reasons(threadId);
    const known = this.held?.threadId === threadId ? this.held : { unread: [], writers: [] };
    const isNew = (kind) => reasons[kind].some(({ id }) => !known[kind].some((one) => one.id === id));
    if (!isNew("unread") && !isNew("writers")) return false;
    this.held = reasons;
    return true;
  }

  // Returns the newest message that the admin has read, or was told of when the reply was held.
  /** @param {number} threadId */
  seenId(threadId) {
    const told = this.held?.threadId === threadId ? this.held.unread : [];
    return Math.max(this.reading.seenId, ...told.map(({ id }) => id));
  }

  // Updates the reasons: fewer after messages were read, or colleagues stopped writing.
  /** @param {number | null} threadId */
  look(threadId) {
    this.writers.look(threadId);
    if (!this.held) return null;
    const { unread, writers } = this.#reasons(this.held.threadId);
    if (this.held.threadId !== threadId || (!unread.length && !writers.length)) this.held = null;
    return this.held;
  }

  release() { this.held = null; }

  #reasons(threadId) {
    const assigneeId = this.assigneeOf(threadId)?.id;
    const writers = this.writers.of(threadId).filter(({ id }) => id === assigneeId);
    return { threadId, unread: this.reading.unread, writers };
  }
}

// The colleagues who are writing a reply in the open thread, or stopped in the middle of one a moment ago.
const PAUSE_MS = 30_000;

export class Writers {
  #threadId = null;
  #known = new Map(); // admin → {at: last typing, field: where}

  /** @param {WritersOptions} options */
  constructor({ presence, now }) {
    this.presence = presence;
    this.now = now;
  }

  /** @param {number} threadId */
  of(threadId) {
    this.look(threadId);
    return this.presence.others(threadId).filter(({ id, mode }) => {
      const { at = -Infinity, field = "" } = this.#known.get(id) ?? {};
      const isPaused = mode === "editing" && this.now() - at < PAUSE_MS;
      return field !== "note" && (mode === "typing" || isPaused);
    });
  }

  // Presence has changed, or another thread was opened.
  /** @param {number | null} threadId */
  look(threadId) {
    if (threadId !== this.#threadId) this.#known.clear();
    this.#threadId = threadId;
    if (threadId === null) return;
    for (const { id, mode } of this.presence.others(threadId)) {
      if (mode === "typing") this.#note(id, { at: this.now() });
    }
  }

  // Takes `thread:cursor`: notes and replies have different fields.
  cursor({ thread_id: threadId, admin_id: adminId, cursor: { field } }) {
    if (threadId === this.#threadId && field !== "messages") this.#note(adminId, { field });
  }

  // Returns "reply" or "note", or "" if it is not known where the colleague writes.
  /** @param {number} adminId */
  fieldOf(adminId) { return this.#known.get(adminId)?.field ?? ""; }

  #note(adminId, change) { this.#known.set(adminId, { ...this.#known.get(adminId), ...change }); }
}
