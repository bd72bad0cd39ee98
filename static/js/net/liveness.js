// Notices that the server says nothing though the connection looks alive, as when its process hangs.

const LOOK_MS = 500;
const QUIET_MS = 5000; // then it is asked
// Then its silence is shown, until the call gives up and reconnects: within 10 s of the last sign.
const PATIENCE_MS = 3000;

export class Liveness {
  silentSince = null; // when it was last heard, while it does not answer
  #askedAt = null;

  // ask(): a call that the server answers at once; changed(): silentSince did.
  /** @param {LivenessParts} parts */
  constructor({ connection, ask, changed, now, page = document, timers = globalThis }) {
    this.connection = connection;
    this.ask = ask;
    this.changed = changed;
    this.now = now;
    this.page = page;
    timers.setInterval(() => this.look(), LOOK_MS);
  }

  look() {
    const { connected, heardAt } = this.connection;
    const silent = connected ? this.now() - heardAt : 0;
    if (silent < QUIET_MS) this.#askedAt = null;
    // Nobody looks at a hidden window, and its timers are late.
    else if (this.#askedAt === null && this.page.visibilityState === "visible") this.#ask();
    const overdue = this.#askedAt !== null && this.now() - this.#askedAt >= PATIENCE_MS;
    this.#set(overdue ? heardAt : null);
  }

  #ask() {
    this.#askedAt = this.now();
    this.ask().catch(() => {}).then(() => this.look());
  }

  #set(since) {
    if (since === this.silentSince) return;
    this.silentSince = since;
    this.changed();
  }
}
