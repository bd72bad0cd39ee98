// Holds a reply once while it may be one too many: something came that was not read yet, or a
// colleague is writing, too. What was told once does not hold it again.

export class SendGuard {
  held = null; // {threadId, unread, writers}: why the reply of this thread was held

  /** @param {SendGuardParts} parts */
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
