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

  /** @param {ReadingParts} parts */
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
