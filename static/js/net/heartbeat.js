// Reports that this window is open, visible and in use: at each ping, and at once on a change.

import { randomId } from "../browser.js";

const USED = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "input", "focus"];
// Input after this long is reported at once: the server may count this window as away.
const LONG_MS = 60_000;
const DEVICE = "lineup:device";

export class Heartbeat {
  #usedAt;

  /** @param {HeartbeatParts} parts */
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

  // Answers a ping. No timer of our own: in hidden windows timers may run once a minute only.
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

// "tablet" for the tablets whose browsers call themselves those of computers; null otherwise.
/** @param {Navigator} browser */
export function deviceType(browser) {
  return /Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1 ? "tablet" : null;
}

// A random id, the same for all windows of this browser; null where nothing can be kept.
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
