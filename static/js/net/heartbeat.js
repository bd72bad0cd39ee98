// Reports whether this window is open, visible and in use: at each ping, and at once after a change.

import { randomId } from "../browser.js";

const USED = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "input", "focus"];
// Input after a longer pause is reported at once: the server may count this window as away.
const LONG_MS = 60_000;
const DEVICE = "lineup:device";

export class Heartbeat {
  #usedAt;

  /** @param {HeartbeatOptions} options */
  constructor({ tell, focused, left, now = Date.now, window: page = window }) {
    this.tell = tell;
    this.focused = focused;
    this.left = left;
    this.now = now;
    this.page = page;
    this.#usedAt = now();
    for (const name of USED) {
      page.addEventListener(name, () => this.#used(), { passive: true, capture: true });
    }
    for (const name of ["focus", "blur"]) page.addEventListener(name, () => this.#look());
    page.document.addEventListener("visibilitychange", () => this.#look());
    page.addEventListener("pagehide", () => this.left());
  }

  get visible() { return this.page.document.visibilityState === "visible"; }

  // Answers a ping. It has no timer of its own, because in hidden windows timers may run once a minute.
  pong() { this.tell("presence:pong", this.report); }

  get report() {
    const idle = Math.max(0, Math.round(this.now() - this.#usedAt));
    return { visible: this.visible, idle_ms: idle };
  }

  #look() {
    this.focused(this.visible && this.page.document.hasFocus());
    if (this.visible !== this.wasVisible) this.pong();
    this.wasVisible = this.visible;
  }

  #used() {
    const now = this.now();
    const long = now - this.#usedAt >= LONG_MS;
    this.#usedAt = now;
    if (long) this.pong();
  }
}

// Returns "tablet" for tablets with the User-Agent of a computer; null otherwise.
/** @param {Navigator} browser */
export function deviceType(browser) {
  return /Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1 ? "tablet" : null;
}

// Returns a random id, the same in all windows of this browser; null if it cannot be stored.
/** @param {Pick<Storage, "getItem" | "setItem">} storage */
export function deviceId(storage) {
  try {
    const known = storage.getItem(DEVICE);
    if (known) return known;
    const made = randomId();
    storage.setItem(DEVICE, made);
    return made;
  } catch {
    return null;
  }
}

// Notices a silent server although the connection looks alive, such as when its process hangs.
const LOOK_MS = 500;
const QUIET_MS = 5000; // after this silence the server is asked
// After this further silence it is shown; then the call gives up and reconnects, within 10 s of the last sign.
const PATIENCE_MS = 3000;

export class Liveness {
  silentSince = null; // the time of the last sign, while the server does not answer
  #askedAt = null;

  // ask(): a call that the server answers at once; changed(): called when silentSince has changed.
  /** @param {LivenessOptions} options */
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

// Detects that the machine slept, the network came back or the window became visible.
const TICK_MS = 2000;
const SLEPT_MS = 10_000;
// In background tabs timers may run only once a minute.
const SLEPT_HIDDEN_MS = 75_000;

// on.slept(): the clock jumped; on.back(): it is worth trying to connect at once.
export function watch({ on, window: page = window, now = Date.now }) {
  const visible = () => page.document.visibilityState === "visible";
  let last = now();
  let wasVisible = visible();
  const look = () => {
    const gap = now() - last;
    const limit = wasVisible && visible() ? SLEPT_MS : SLEPT_HIDDEN_MS;
    last = now();
    wasVisible = visible();
    if (gap > limit) on.slept();
  };
  const back = () => {
    look();
    if (visible()) on.back();
  };
  const timer = page.setInterval(look, TICK_MS);
  page.addEventListener("online", back);
  page.addEventListener("focus", back);
  page.addEventListener("pageshow", back);
  page.document.addEventListener("visibilitychange", back);
  page.document.addEventListener("resume", on.slept);
  return () => page.clearInterval(timer);
}
