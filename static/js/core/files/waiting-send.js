// A message whose files are still on their way is sent as soon as they are uploaded.

export class WaitingSend {
  #after = null; // what follows, of the press on Send that waits

  // send(after): sends what the composer holds
  constructor({ thread, attaching, send }) {
    this.thread = thread;
    this.attaching = attaching;
    this.send = send;
    this.state = ""; // "waits" or "failed", for the line beside the button
  }

  // Whether a press on Send has to wait: files are on their way, or one was not uploaded.
  /** @param {number} threadId @param {boolean} isPrivate @param {string} after */
  holds(threadId, isPrivate, after) {
    const { isBusy, hasFailed } = this.attaching.uploads.stateOf(threadId, isPrivate);
    this.#after = isBusy ? after : null;
    this.state = isBusy ? "waits" : hasFailed ? "failed" : "";
    return isBusy || hasFailed;
  }

  // The files of a thread have changed.
  /** @param {number} threadId @param {boolean} isPrivate */
  look(threadId, isPrivate) {
    if (!this.state || threadId !== this.thread.id) return;
    const { isBusy, hasFailed } = this.attaching.uploads.stateOf(threadId, isPrivate);
    if (isBusy) return;
    const after = this.#after;
    this.#after = null;
    this.state = hasFailed ? "failed" : "";
    if (after !== null && !hasFailed) this.send(after);
  }

  // Another thread or kind of message is shown: nothing is sent behind its back.
  stop() {
    this.#after = null;
    this.state = "";
  }
}
