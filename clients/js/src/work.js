// Work in the background of a chatbot, and the file with what must outlive the process.

import { Unavailable } from "./api.js";
import { Journal } from "./journal.js";

const FIRST_MS = 500;
const MOST_MS = 30_000;

export class Worker {
  #ends = false;
  #failures = 0;
  /** @type {Promise<void> | null} */
  #running = null;
  #wakes = () => {};
  #isWoken = false;

  // work(): resolves to whether there may be more. pauseMs: it is called at least so often.
  /** @param {() => Promise<boolean>} work @param {number} pauseMs @param {(error: unknown) => void} failed */
  constructor(work, pauseMs, failed) {
    this.work = work;
    this.pauseMs = pauseMs;
    this.failed = failed;
  }

  start() { this.#running ??= this.#run(); }

  wake() {
    this.#isWoken = true;
    this.#wakes();
  }

  /** Ends after the call under way. */
  async stop() {
    this.#ends = true;
    this.wake();
    await this.#running;
  }

  async #run() {
    while (!this.#ends) {
      this.#isWoken = false;
      let ms = this.pauseMs;
      try {
        while (!this.#ends && await this.work()) this.#failures = 0;
        this.#failures = 0;
      } catch (error) {
        this.failed(error);
        ms = Math.min(MOST_MS, FIRST_MS * 2 ** this.#failures) * (0.5 + Math.random() / 2);
        if (error instanceof Unavailable) ms = Math.max(ms, error.retryAfterMs);
        this.#failures += 1;
      }
      await this.#pause(ms);
    }
  }

  /** @param {number} ms */
  #pause(ms) {
    if (this.#isWoken) return null;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, undefined);
      this.#wakes = () => { clearTimeout(timer); resolve(undefined); };
    });
  }
}

/** A journal, and work that goes on from `start` to `stop`. */
export class Background {
  /** @param {{name: string, file: string, pauseMs: number, log(text: string): void}} given @param {() => Promise<boolean>} work */
  constructor({ name, file, pauseMs, log }, work) {
    this.journal = Journal.open(file);
    this.worker = new Worker(work, pauseMs, (error) => log(`${name}: ${error}`));
  }

  start() {
    this.worker.start();
    return this;
  }

  /** Ends after the call under way. */
  async stop() {
    await this.worker.stop();
    this.journal.close();
  }
}
