// What this window does in the open thread: away, viewing, editing or typing, told when it changes.

const TYPING_MS = 4000; // after the last key; the server forgets after 6 s by itself
const AGAIN_MS = 2500; // typing is told again while it goes on
const CURSOR_MS = 150;

export class ThreadMode {
  #threadId = null;
  #focused = true;
  #draft = false;
  #typedAt = -Infinity;
  #told = "viewing";
  #toldAt = -Infinity;
  #cursor = null; // in the composer
  #reading = null; // at the last message in view
  #toldCursor = null;
  #timer = null;

  // tell(name, data); watched(threadId): whether a colleague is there to see the cursor.
  constructor({ tell, watched, now = Date.now, timers = globalThis }) {
    Object.assign(this, { tell, watched, now, timers });
  }

  // The thread was opened, or opened anew after the connection was lost.
  joined(threadId) {
    this.#threadId = threadId;
    this.#told = "viewing";
    this.#toldCursor = null;
    this.#check();
  }

  left() {
    this.#threadId = null;
    this.#reading = null;
    this.#typedAt = -Infinity;
  }

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

  // The thread is read down to this message.
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
    const again = mode === "typing" && now - this.#toldAt >= AGAIN_MS;
    const moved = this.#moved() && now - this.#toldAt >= CURSOR_MS;
    if (mode !== this.#told || again || moved) this.#say(mode, now);
    if (mode === "typing") this.#later(this.#typedAt + TYPING_MS - now);
    else if (this.#moved()) this.#later(CURSOR_MS);
  }

  #say(mode, now) {
    const data = { id: this.#threadId, mode };
    // Where somebody types is always said: of a reply the customer learns, of a note never.
    if (this.#where && (mode === "typing" || this.#moved())) data.cursor = this.#where;
    this.#told = mode;
    this.#toldAt = now;
    this.#toldCursor = JSON.stringify(this.#where);
    this.tell("thread:mode", data);
  }

  #moved() {
    return this.#where !== null && this.watched(this.#threadId)
      && JSON.stringify(this.#where) !== this.#toldCursor;
  }

  #later(ms) {
    this.#timer = this.timers.setTimeout(() => this.#check(), Math.max(20, ms));
  }
}
