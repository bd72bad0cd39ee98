// Gathers repaints: each part that asked for it is painted once in the next frame.

export class Painter {
  #parts = new Map();
  #dirty = new Set();
  #asked = false;

  constructor(page = window) {
    this.page = page;
  }

  /** @param {string} name */
  add(name, paint) { this.#parts.set(name, paint); }

  // The parts are no longer in the page.
  stop() { this.#parts.clear(); }

  ask(...names) {
    for (const name of names) this.#dirty.add(name);
    if (this.#asked) return;
    this.#asked = true;
    this.page.requestAnimationFrame(() => this.#paint());
  }

  askAll() { this.ask(...this.#parts.keys()); }

  #paint() {
    this.#asked = false;
    const names = [...this.#dirty];
    this.#dirty.clear();
    for (const name of names) this.#parts.get(name)?.();
  }
}
