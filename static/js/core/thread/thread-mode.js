// The mode of this window in the open thread (away, viewing, editing, typing), sent when it changes.

const TYPING_MS = 4000; // after the last key; the server ends it after 6 s by itself
const AGAIN_MS = 2500; // interval of repeating it while typing goes on
const CURSOR_MS = 150;

export class ThreadMode {
  #threadId = null;
  #focused = true;
  #draft = false;
  #typedAt = -Infinity;
  #sent = "viewing";
  #sentAt = -Infinity;
  #cursor = null; // place in the composer
  #reading = null; // the last message in view
  #sentCursor = null;
  #timer = null;

  /** @param {ThreadModeOptions} options */
  constructor({ tell, watched, now = Date.now, timers = globalThis }) {
    this.tell = tell;
    this.watched = watched;
    this.now = now;
    this.timers = timers;
  }

  // The thread was opened, or opened again after the connection was lost.
  /** @param {number} threadId */
  joined(threadId) {
    this.#threadId = threadId;
    this.#sent = "viewing";
    this.#sentCursor = null;
    this.#check();
  }

  left() {
    this.#threadId = null;
    this.#reading = null;
    this.#typedAt = -Infinity;
  }

  /** @param {boolean} focused */
  focus(focused) {
    this.#focused = focused;
    this.#check();
  }

  draft({ hasText, typed = false, cursor = null }) {
    this.#draft = hasText;
    if (typed) this.#typedAt = hasText ? this.now() : -Infinity;
    this.#cursor = cursor;
    this.#check();
  }

  // The admin has read up to this message.
  /** @param {number} messageId */
  reads(messageId) {
    this.#reading = { message_id: messageId, field: "messages", position: 0 };
    this.#check();
  }

  get #where() { return (this.#draft && this.#cursor) || this.#reading; }

  get mode() {
    if (!this.#focused) return "away";
    if (this.now() - this.#typedAt < TYPING_MS) return "typing";
    return this.#draft ? "editing" : "viewing";
  }

  #check() {
    this.timers.clearTimeout(this.#timer);
    if (this.#threadId === null) return;
    const { mode } = this;
    const now = this.now();
    const again = mode === "typing" && now - this.#sentAt >= AGAIN_MS;
    const moved = this.#moved() && now - this.#sentAt >= CURSOR_MS;
    if (mode !== this.#sent || again || moved) this.#send(mode, now);
    if (mode === "typing") this.#later(this.#typedAt + TYPING_MS - now);
    else if (this.#moved()) this.#later(CURSOR_MS);
  }

  #send(mode, now) {
    const data = { id: this.#threadId, mode };
    // With typing the cursor is always sent: customers are told of replies, never of notes.
    if (this.#where && (mode === "typing" || this.#moved())) data.cursor = this.#where;
    this.#sent = mode;
    this.#sentAt = now;
    this.#sentCursor = JSON.stringify(this.#where);
    this.tell("thread:mode", data);
  }

  #moved() {
    return this.#where !== null && this.watched(this.#threadId)
      && JSON.stringify(this.#where) !== this.#sentCursor;
  }

  #later(ms) {
    this.#timer = this.timers.setTimeout(() => this.#check(), Math.max(20, ms));
  }
}
