// Which colleagues are writing a reply in the open thread, or stopped a moment ago in the middle of one.

const PAUSE_MS = 30_000;

export class Writers {
  #threadId = null;
  #known = new Map(); // admin → {at: when they last typed, field: where they write}

  /** @param {WritersParts} parts */
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
