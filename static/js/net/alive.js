// Says that this window is alive, looked at and used: when asked, and at once when that changes.

const USED = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "input", "focus"];
// Input after so long is told at once, for the server may count us as away.
const LONG_MS = 60_000;
const DEVICE = "lineup:device";

// tell(name, data), focused(whether the window has the focus), left() when the page is closed.
export class Alive {
  #usedAt;

  constructor({ tell, focused, left, now = Date.now, window: page = window }) {
    Object.assign(this, { tell, focused, left, now, page });
    this.#usedAt = now();
    for (const name of USED) {
      page.addEventListener(name, () => this.#used(), { passive: true, capture: true });
    }
    for (const name of ["focus", "blur"]) page.addEventListener(name, () => this.#look());
    page.document.addEventListener("visibilitychange", () => this.#look());
    page.addEventListener("pagehide", () => this.left());
  }

  get visible() { return this.page.document.visibilityState === "visible"; }

  // Answered where the question comes in: timers of hidden windows run once a minute only.
  pong() {
    const idle = Math.max(0, Math.round(this.now() - this.#usedAt));
    this.tell("presence:pong", { visible: this.visible, idle_ms: idle });
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

// The same for all windows of this browser.
export function deviceId(storage) {
  try {
    const known = storage.getItem(DEVICE);
    if (known) return known;
    const made = crypto.randomUUID();
    storage.setItem(DEVICE, made);
    return made;
  } catch {
    return null;
  }
}
