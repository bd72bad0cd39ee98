// Sends heartbeats of a customer to a chat's server; for any chat page, without dependencies.
//
//   const presence = new PresenceClient({ beat: ({ active }) => post("/beat", { active }) });
//   presence.connect();
//   presence.disconnect(); // removes its timers and listeners

const BEAT_MS = 25_000;
const IDLE_MS = 300_000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart"];

export class PresenceClient {
  connected = false;
  active = true;
  #page;
  #timer = null;
  #signAt = 0;
  #failures = 0;

  // beat({active}) → promise: sends a heartbeat. leave(): the page is closing.
  // changed({active}): the customer became idle or active.
  // failed(error, inARow): a heartbeat failed.
  constructor({
    beat, leave = () => {}, changed = () => {}, failed = () => {},
    beatMs = BEAT_MS, idleMs = IDLE_MS, page = globalThis.window, now = () => Date.now(),
  }) {
    Object.assign(this, { beat, leave, changed, failed, beatMs, idleMs, now });
    this.#page = page;
  }

  connect() {
    if (this.connected) return;
    this.connected = true;
    this.#signAt = this.now();
    this.active = this.#isActive();
    for (const name of SIGNS) {
      this.#page.addEventListener(name, this.#sign, { passive: true, capture: true });
    }
    this.#page.document.addEventListener("visibilitychange", this.#look);
    this.#beat();
  }

  disconnect() {
    if (!this.connected) return;
    this.connected = false;
    this.#page.clearTimeout(this.#timer);
    for (const name of SIGNS) this.#page.removeEventListener(name, this.#sign, { capture: true });
    this.#page.document.removeEventListener("visibilitychange", this.#look);
    this.leave();
  }

  #isActive() {
    const seen = this.#page.document.visibilityState === "visible";
    return seen && this.now() - this.#signAt < this.idleMs;
  }

  #sign = () => {
    this.#signAt = this.now();
    if (!this.active) this.#look();
  };

  // A change is sent at once. Otherwise the next heartbeat repeats the state.
  #look = () => {
    const active = this.#isActive();
    if (active === this.active) return;
    this.active = active;
    this.changed({ active });
    this.#beat();
  };

  async #beat() {
    this.#page.clearTimeout(this.#timer);
    this.#timer = this.#page.setTimeout(() => this.#again(), this.beatMs);
    try {
      await this.beat({ active: this.active });
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.connected) this.failed(error, this.#failures);
    }
  }

  #again() {
    const before = this.active;
    this.#look();
    if (this.active === before) this.#beat();
  }
}
