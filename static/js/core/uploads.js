// Files chosen for messages: being sent, uploaded, or refused. A reply and a note have their own files, like
// their own texts.

const UPLOADS_MAX = 2; // at once: other calls of the page need connections, too
const KEPT_MS = 23 * 3600 * 1000; // the server removes files that belong to no message after a day

// states of an item: waiting, sending, done, failed (can be retried), refused
export class Uploads {
  #of = new Map(); // thread → items
  #last = 0;

  // send(threadId, file, {progress, signal}): uploads, resolves to {file: {id, name, type, size}};
  // discard(id): removes the file from the server; kept(threadId, files): stores files for after a reload;
  // changed(threadId): the thread's files have changed.
  /** @param {UploadsOptions} options */
  constructor({ send, discard, kept, changed, limits, now = Date.now }) {
    this.send = send;
    this.discard = discard;
    this.kept = kept;
    this.changed = changed;
    this.limits = limits;
    this.now = now;
  }

  /** @param {number} threadId @param {boolean} isPrivate @returns {UploadItem[]} */
  of(threadId, isPrivate) { return this.#all(threadId).filter((item) => item.private === isPrivate); }

  // Returns whether files are being sent, whether one has failed, and how many are uploaded.
  /** @param {number} threadId @param {boolean} isPrivate */
  stateOf(threadId, isPrivate) {
    const items = this.of(threadId, isPrivate);
    return {
      isBusy: items.some(isUnderWay),
      hasFailed: items.some(({ state }) => state === "failed"),
      count: items.filter(({ state }) => state === "done").length,
    };
  }

  /** @param {number} threadId @param {boolean} isPrivate @param {Iterable<File>} files */
  add(threadId, isPrivate, files) {
    let count = this.of(threadId, isPrivate).filter(({ state }) => state !== "refused").length;
    for (const file of files) {
      const problem = this.#problemOf(file, count);
      if (!problem) count += 1;
      this.#put(threadId, {
        key: this.#key(), private: isPrivate, name: file.name, size: file.size, type: file.type,
        file, id: null, part: 0, problem, state: problem ? "refused" : "waiting", at: this.now(),
        abort: null,
      });
    }
    this.#next(threadId);
    this.changed(threadId);
  }

  /** @param {number} threadId @param {string} key */
  remove(threadId, key) {
    const item = this.#all(threadId).find((each) => each.key === key);
    if (!item) return;
    this.#drop(threadId, [item]);
    item.abort?.abort();
    if (item.id) this.discard(item.id);
    this.#next(threadId);
  }

  /** @param {number} threadId @param {string} key */
  retry(threadId, key) {
    const item = this.#all(threadId).find((each) => each.key === key);
    if (item?.state !== "failed") return;
    Object.assign(item, { state: "waiting", problem: null, part: 0 });
    this.#next(threadId);
    this.changed(threadId);
  }

  // Returns the uploaded files for a message, and removes them here; drops refused ones.
  /** @param {number} threadId @param {boolean} isPrivate @returns {KeptFile[]} */
  take(threadId, isPrivate) {
    const items = this.of(threadId, isPrivate).filter((item) => !isUnderWay(item));
    this.#drop(threadId, items);
    return items.filter(({ state }) => state === "done").map(keptOf);
  }

  // The text is moved to the other kind, and its files with it.
  /** @param {number} threadId @param {boolean} isPrivate */
  move(threadId, isPrivate) {
    for (const item of this.#all(threadId)) item.private = isPrivate;
    this.#keep(threadId);
    this.changed(threadId);
  }

  // Takes files of an earlier page, another window or an unsent message; files being sent here stay.
  /** @param {number} threadId @param {KeptFile[]} files */
  restore(threadId, files) {
    const known = new Map(this.#all(threadId).map((item) => [item.id ?? item.key, item]));
    const fresh = files.filter(({ at }) => this.now() - at < KEPT_MS);
    const done = fresh.map((file) => known.get(file.id) ?? {
      ...file, key: this.#key(), file: null, part: 1, problem: null, state: "done", abort: null,
    });
    const others = this.#all(threadId).filter(({ state }) => state !== "done");
    this.#of.set(threadId, [...done, ...others]);
    this.changed(threadId);
  }

  /** @param {number} threadId @param {KeptFile[]} files */
  putBack(threadId, files) {
    const done = this.#all(threadId).filter(({ state }) => state === "done").map(keptOf);
    this.restore(threadId, [...files, ...done]);
    this.#keep(threadId);
  }

  #key() { return `f${(this.#last += 1)}`; }
  #all(threadId) { return this.#of.get(threadId) ?? []; }
  #put(threadId, item) { this.#of.set(threadId, [...this.#all(threadId), item]); }

  #drop(threadId, items) {
    this.#of.set(threadId, this.#all(threadId).filter((item) => !items.includes(item)));
    this.#keep(threadId);
    this.changed(threadId);
  }

  #problemOf({ size }, count) {
    if (size > this.limits.file_bytes) return "too_large";
    if (!size) return "empty";
    return count >= this.limits.message_files ? "too_many" : null;
  }

  #next(threadId) {
    const items = this.#all(threadId);
    const free = UPLOADS_MAX - items.filter(({ state }) => state === "sending").length;
    for (const item of items.filter(({ state }) => state === "waiting").slice(0, free)) {
      this.#upload(threadId, item);
    }
  }

  async #upload(threadId, item) {
    item.state = "sending";
    item.abort = new AbortController();
    const progress = (part) => {
      item.part = part;
      this.changed(threadId);
    };
    try {
      const { file } = await this.send(threadId, item.file, { progress, signal: item.abort.signal });
      if (item.abort.signal.aborted) return void this.discard(file.id);
      Object.assign(item, file, { state: "done", part: 1, file: null });
    } catch (error) {
      if (item.abort.signal.aborted) return;
      Object.assign(item, { state: "failed", problem: error });
    }
    this.#keep(threadId);
    this.#next(threadId);
    this.changed(threadId);
  }

  #keep(threadId) {
    const done = this.#all(threadId).filter(({ state }) => state === "done");
    this.kept(threadId, done.map(keptOf));
  }
}

const isUnderWay = ({ state }) => state === "waiting" || state === "sending";
const keptOf = ({ id, name, type, size, private: isPrivate, at }) => ({
  id, name, type, size, private: isPrivate, at,
});

// Sends a message as soon as its files are uploaded.
export class WaitingSend {
  #after = null; // the next step of the press on Send that waits

  // send(after): sends the message in the composer
  constructor({ thread, attaching, send }) {
    this.thread = thread;
    this.attaching = attaching;
    this.send = send;
    this.state = ""; // "waits" or "failed", for the line beside the button
  }

  // Whether a press on Send must wait: files are being sent, or one has failed.
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

  // Another thread or kind of message is shown: the waiting message is not sent.
  stop() {
    this.#after = null;
    this.state = "";
  }
}
