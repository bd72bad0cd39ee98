// How far the server is with computing the due times anew, asked every second until it is done.

import { delayMs } from "../backoff.js";

const EVERY_MS = 1000;

export class Recompute {
  /** @type {{done: number, of: number} | null} */
  progress = null;
  #run = 0;
  #timer = null;
  #failures = 0;

  // ask(): {recompute}; changed(): the progress is another; done(): there is none any more.
  /** @param {RecomputeParts} parts */
  constructor({ ask, changed, done = () => {}, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.done = done;
    this.timers = timers;
  }

  // From what an answer brought, or by asking soon: a change that was just saved has not begun yet.
  /** @param {{done: number, of: number} | null} progress */
  watch(progress, { soon = false } = {}) {
    this.stop();
    this.#take(progress, soon);
  }

  stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
  }

  #take(progress, again) {
    const ended = this.progress !== null && progress === null;
    this.progress = progress;
    this.changed();
    if (ended) this.done();
    if (progress !== null || again) this.#later(EVERY_MS);
  }

  #later(ms) {
    const run = this.#run;
    this.#timer = this.timers.setTimeout(() => this.#ask(run), ms);
  }

  async #ask(run) {
    try {
      const { recompute } = await this.ask();
      this.#failures = 0;
      if (run === this.#run) this.#take(recompute, false);
    } catch {
      if (run !== this.#run) return;
      this.#later(delayMs(this.#failures));
      this.#failures += 1;
    }
  }
}
