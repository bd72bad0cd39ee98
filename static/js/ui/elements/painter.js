// Gathers repaints: each part that asked for one is painted once in the next frame. After a slow frame the
// next one waits, so that a flood of messages does not take the whole processor.

const QUICK_MS = 16; // after a frame as quick as this nothing waits
const REST_MAX_MS = 250; // else the next frame waits as long as this one took, up to this time

export class Painter {
  #paints = new Map();
  #dirty = new Set();
  #asked = false; // whether a frame, or the rest after one, is pending

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
    // Measured after the browser has laid out and drawn the frame.
    page.setTimeout(() => this.#rest(page.performance.now() - begun));
    const errors = [];
    for (const name of names) {
      try {
        this.#paints.get(name)?.();
      } catch (error) {
        errors.push(error); // the other parts are painted all the same
      }
    }
    if (errors.length) throw errors[0];
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
