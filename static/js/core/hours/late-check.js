// How many threads would be late: asked once nothing has changed for a moment; late answers are dropped.

const WAIT_MS = 400;

export class LateCheck {
  state = "none"; // none, asking, done, refused
  /** @type {LatePreview | null} */
  answer = null; // stays while the next one is asked for
  error = null;
  #run = 0;
  #timer = null;

  // ask(policies): {waiting, late_now, late_after, newly_late}
  /** @param {LateCheckParts} parts */
  constructor({ ask, changed, timers = globalThis }) {
    this.ask = ask;
    this.changed = changed;
    this.timers = timers;
  }

  // policies: all of them, in order; null where there is nothing to ask yet.
  /** @param {object[] | null} policies */
  look(policies, waitMs = WAIT_MS) {
    this.stop();
    this.error = null;
    this.state = policies ? "asking" : "none";
    if (!policies) this.answer = null;
    else this.#timer = this.timers.setTimeout(() => this.#ask(policies), waitMs);
    this.changed();
  }

  stop() {
    this.#run += 1;
    this.timers.clearTimeout(this.#timer);
  }

  async #ask(policies) {
    const run = this.#run;
    let answer = null;
    let error = null;
    try {
      answer = await this.ask(policies);
    } catch (problem) {
      error = problem;
    }
    if (run !== this.#run) return;
    Object.assign(this, { answer, error, state: error ? "refused" : "done" });
    this.changed();
  }
}
