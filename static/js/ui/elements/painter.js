// Gathers repaints: each part that asked for it is painted once in the next frame. After a frame that
// took long, the next one waits: in a flood of messages the page leaves the processor to others.

const QUICK_MS = 16; // of a frame after which nothing waits
const REST_MAX_MS = 250; // else the next one waits as long as this one took, at most so long

export class Painter {
  #paints = new Map();
  #dirty = new Set();
  #asked = false; // a frame is asked for, or what follows it is being waited for

  constructor(page = window) {
    this.page = page;
  }

  /** @param {string} name */
  add(name, paint) { this.#paints.set(name, paint); }

  // The parts are no longer in the page.
  stop() { this.#paints.clear(); }

  ask(...names) {
    for (const name of names) this.#dirty.add(name);
    if (!this.#asked) this.#frame();
  }

  askAll() { this.ask(...this.#paints.keys()); }

  #frame() {
    this.#asked = true;
    this.page.requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    const { page } = this;
    const names = [...this.#dirty];
    this.#dirty.clear();
    const begun = page.performance.now();
    // After the browser has laid out and drawn what was painted.
    page.setTimeout(() => this.#rest(page.performance.now() - begun));
    for (const name of names) this.#paints.get(name)?.();
  }

  #rest(tookMs) {
    const ms = tookMs > QUICK_MS ? Math.min(tookMs, REST_MAX_MS) : 0;
    const go = () => {
      this.#asked = false;
      if (this.#dirty.size) this.#frame();
    };
    if (ms) this.page.setTimeout(go, ms);
    else go();
  }
}
