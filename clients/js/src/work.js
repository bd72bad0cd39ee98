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
  #stops = () => {};
  #isWoken = false;

  // work(): resolves to whether there may be more. pauseMs: it is called at least so often. After an error it waits longer each time,
  // also if it is woken.
  /** @param {() => Promise<boolean>} work @param {number} pauseMs @param {(error: unknown) => void} failed */
  constructor(work, pauseMs, failed) {
    this.work = work;
    this.pauseMs = pauseMs;
    this.failed = failed;
  }

  // Not at once: the caller may have more to say, such as a receiver's handlers.
  start() { this.#running ??= new Promise((resolve) => { setImmediate(resolve); }).then(() => this.#run()); }

  wake() {
    this.#isWoken = true;
    this.#wakes();
  }

  /** Ends after the call under way. */
  async stop() {
    this.#ends = true;
    this.#stops();
    await this.#running;
  }

  async #run() {
    while (!this.#ends) {
      this.#isWoken = false;
      let ms = this.pauseMs;
      let hasFailed = false;
      try {
        while (!this.#ends && await this.work()) this.#failures = 0;
        this.#failures = 0;
      } catch (error) {
        this.failed(error);
        ms = Math.min(MOST_MS, FIRST_MS * 2 ** this.#failures) * (0.5 + Math.random() / 2);
        if (error instanceof Unavailable) ms = Math.max(ms, error.retryAfterMs);
        this.#failures += 1;
        hasFailed = true;
      }
      await this.#pause(ms, hasFailed);
    }
  }

  /** @param {number} ms @param {boolean} hasFailed */
  #pause(ms, hasFailed) {
    if (this.#ends || (this.#isWoken && !hasFailed)) return null;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, undefined);
      this.#stops = () => { clearTimeout(timer); resolve(undefined); };
      this.#wakes = hasFailed ? () => {} : this.#stops;
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
