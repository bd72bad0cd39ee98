// Which messages of the open thread its admin can have read. Those on screen when the draft began
// count as read; those that came since, after they were readable for long enough.

const LEAST_MS = 3000;
const MOST_MS = 10_000;
const CHARACTER_MS = 40; // 25 characters a second

/** @param {Message} message */
export const readingMs = ({ body }) => (
  Math.min(MOST_MS, Math.max(LEAST_MS, (body?.length ?? 0) * CHARACTER_MS)));

export class Reading {
  base = null; // the newest message that counted as read when the draft began; null without a draft
  #shownMs = new Map(); // message id → how long it was readable
  #tooEarly = false; // the draft began before the conversation was on screen

  /** @param {ReadingOptions} options */
  constructor({ thread, adminId }) {
    this.thread = thread;
    this.adminId = adminId;
  }

  // A draft begins, or one that was kept goes on. base: kept with it, null for a new one.
  /** @param {number | null} base */
  begin(base = null) {
    this.base = base ?? this.thread.shownId;
    this.#tooEarly = !this.base && this.thread.state !== "ready";
    this.#shownMs.clear();
  }

  // Of a thread of which nothing was known, what is shown first counts as read.
  settle() {
    if (this.#tooEarly && this.thread.seenId) this.begin();
  }

  // There is no draft any more.
  end() {
    this.base = null;
    this.#tooEarly = false;
    this.#shownMs.clear();
  }

  // Messages that came since the draft began and were not readable for long enough: of the customer,
  // and public ones of colleagues.
  get unread() {
    if (this.base === null) return [];
    return this.thread.messages.list.filter((message) => this.#isUnread(message));
  }

  // The newest message up to which everything was read.
  get seenId() {
    if (this.base === null) return this.thread.seenId;
    const ids = this.thread.messages.list.map(({ id }) => id);
    const first = Math.min(...this.unread.map(({ id }) => id), Infinity);
    return Math.max(this.base, ...ids.filter((id) => id < first));
  }

  // These messages were readable for so long: on screen, in a window that has the focus.
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

// Holds a reply once while it may be one too many: something came that was not read yet, or a
// colleague is writing, too. What was told once does not hold it again.
export class SendGuard {
  held = null; // {threadId, unread, writers}: why the reply of this thread was held

  /** @param {SendGuardOptions} options */
  constructor({ reading, writers }) {
    this.reading = reading;
    this.writers = writers;
  }

  // Whether a reply has to wait for one more press; `held` says why.
  /** @param {number} threadId */
  holds(threadId) {
    const reasons = this.#reasons(threadId);
    const known = this.held?.threadId === threadId ? this.held : { unread: [], writers: [] };
    const isNew = (kind) => reasons[kind].some(({ id }) => !known[kind].some((one) => one.id === id));
    if (!isNew("unread") && !isNew("writers")) return false;
    this.held = reasons;
    return true;
  }

  // The newest message that the admin has read, or was told of when the reply was held.
  /** @param {number} threadId */
  seenId(threadId) {
    const told = this.held?.threadId === threadId ? this.held.unread : [];
    return Math.max(this.reading.seenId, ...told.map(({ id }) => id));
  }

  // What still holds the reply: less than was told when messages were read, or writers stopped.
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
    return { threadId, unread: this.reading.unread, writers: this.writers.of(threadId) };
  }
}

// Which colleagues are writing a reply in the open thread, or stopped a moment ago in the middle of one.
const PAUSE_MS = 30_000;

export class Writers {
  #threadId = null;
  #known = new Map(); // admin → {at: when they last typed, field: where they write}

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

  // `thread:cursor`: a note is written elsewhere than a reply.
  cursor({ thread_id: threadId, admin_id: adminId, cursor: { field } }) {
    if (threadId === this.#threadId && field !== "messages") this.#note(adminId, { field });
  }

  #note(adminId, change) { this.#known.set(adminId, { ...this.#known.get(adminId), ...change }); }
}
