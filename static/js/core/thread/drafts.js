// Unsent text, kept per thread in this browser: a reply and a note beside each other.

const KEPT_MAX = 200;
const KEPT_MS = 30 * 24 * 3600 * 1000;
const NONE = { body: "", private: false, aside: "", seen: null, files: [] };

export class Drafts {
  #kept = new Map(); // thread → {body, private, aside, seen, at}
  #unsaved = new Set(); // threads whose draft could not be kept

  // If storage is full or forbidden, drafts are lost with the page. changed(): a draft came or went.
  /** @param {DraftsParts} parts */
  constructor({ storage, adminId, changed = () => {}, now = Date.now }) {
    this.storage = storage;
    this.prefix = `lineup:draft:${adminId}:`;
    this.changed = changed;
    this.now = now;
    this.#restore();
  }

  // What stands in the composer: {body, private}
  /** @param {number} threadId */
  get(threadId) {
    const { body, private: isPrivate } = this.#of(threadId);
    return { body, private: isPrivate };
  }

  // The text of the other kind: of the note while a reply is written, and the other way round.
  /** @param {number} threadId */
  asideOf(threadId) { return this.#of(threadId).aside; }
  // The uploaded files of both kinds.
  /** @param {number} threadId @returns {KeptFile[]} */
  filesOf(threadId) { return this.#of(threadId).files; }
  // The newest message that counted as read when the draft began, or null.
  /** @param {number} threadId */
  seenOf(threadId) { return this.#of(threadId).seen; }
  /** @param {number} threadId */
  has(threadId) { return Boolean(this.#kept.has(threadId) && textOf(this.#of(threadId))); }
  // Whether closing the page would lose a draft.
  get unsaved() { return this.#unsaved.size > 0; }

  // Every draft, the latest first.
  get list() {
    return [...this.#kept].filter(([, kept]) => textOf(kept))
      .map(([threadId, kept]) => ({ threadId, ...kept, body: textOf(kept), private: isNote(kept) }))
      .sort((a, b) => b.at - a.at);
  }

  // Returns whether it is kept; what is left out of the draft stays as it is.
  /** @param {number} threadId @param {Partial<Draft>} draft */
  put(threadId, draft) {
    const had = this.has(threadId);
    const before = this.#of(threadId);
    const kept = { ...before, private: false, ...draft };
    const same = before.body === kept.body && before.aside === kept.aside
      && before.files === kept.files;
    kept.at = same ? before.at ?? this.now() : this.now();
    const isEmpty = !kept.body && !kept.aside && !kept.files.length;
    if (isEmpty) this.#kept.delete(threadId);
    else this.#kept.set(threadId, kept);
    const isKept = this.#write(threadId, isEmpty ? null : kept);
    if (had !== this.has(threadId)) this.changed();
    return isKept;
  }

  // The text in the composer was sent or thrown away.
  /** @param {number} threadId */
  drop(threadId) { this.put(threadId, { body: "", private: false, seen: null }); }

  // Another window changed what is kept under this key. Returns the thread, or null.
  /** @param {string | null} key */
  taken(key) {
    if (!key?.startsWith(this.prefix)) return null;
    const threadId = Number(key.slice(this.prefix.length));
    const kept = this.#read(key);
    if (kept) this.#kept.set(threadId, kept);
    else this.#kept.delete(threadId);
    this.changed();
    return threadId;
  }

  #of(threadId) { return this.#kept.get(threadId) ?? NONE; }

  #write(threadId, kept) {
    try {
      if (kept) this.storage.setItem(this.prefix + threadId, JSON.stringify(kept));
      else this.storage.removeItem(this.prefix + threadId);
      this.#unsaved.delete(threadId);
      return true;
    } catch {
      if (kept) this.#unsaved.add(threadId);
      return false;
    }
  }

  #read(key) {
    try {
      const kept = JSON.parse(this.storage.getItem(key));
      return kept && { ...NONE, ...kept, private: kept.private === true };
    } catch {
      return null;
    }
  }

  // Takes what is kept; the oldest go.
  #restore() {
    try {
      const keys = this.storage.keys().filter((key) => key.startsWith(this.prefix));
      const dated = keys.map((key) => [key, this.#read(key)])
        .sort(([, a], [, b]) => (b?.at ?? 0) - (a?.at ?? 0));
      dated.forEach(([key, kept], index) => {
        const isOld = !kept || index >= KEPT_MAX || this.now() - kept.at > KEPT_MS;
        if (isOld) this.storage.removeItem(key);
        else this.#kept.set(Number(key.slice(this.prefix.length)), kept);
      });
    } catch {
      // Storage is forbidden here: there is nothing to restore.
    }
  }
}

// What a list of drafts shows of it: its text, else the names of its files.
function textOf({ body, aside, files }) {
  if (body.trim()) return body;
  return aside.trim() ? aside : files.map(({ name }) => name).join(", ");
}

function isNote(kept) {
  if (!kept.body.trim() && !kept.aside.trim()) return kept.files[0].private;
  return kept.private !== !kept.body.trim();
}
