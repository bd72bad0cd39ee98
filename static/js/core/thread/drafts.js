// Unsent texts, stored per thread in this browser: a reply and a note at the same time. Several windows
// may show a draft until something is typed in one of them. From then on the draft belongs to that
// window, and typing in another window begins another draft.

const KEPT_MAX = 200;
const KEPT_MS = 30 * 24 * 3600 * 1000;
const NONE = { body: "", private: false, aside: "", seen: null, files: [], token: null };
/** @type {DraftWriter} */
const NOBODY = { isTouched: () => false, save() {}, show() {} };

export class Drafts {
  #kept = new Map(); // key → {body, private, aside, seen, files, token, at}
  // thread → {key, since, isClaimed}: the draft that this window shows, and since when it belongs to it
  #own = new Map();
  #foreign = new Set(); // keys of drafts in which other windows type
  #unsaved = new Set(); // keys of drafts that could not be stored
  // The composer: tells whether something was typed in the shown draft; saves it, or shows it again.
  writer = NOBODY;

  // If storage is full or forbidden, drafts are lost with the page. channel: to the other windows, or
  // null; changed(): called after a draft came, went or is shown elsewhere.
  /** @param {DraftsOptions} options */
  constructor({
    storage, adminId, changed = () => {}, now = Date.now, clock = Date.now, channel = null, newId,
  }) {
    this.storage = storage;
    this.prefix = `lineup:draft:${adminId}:`;
    this.changed = changed;
    this.now = now;
    this.clock = clock; // one for all windows
    this.newId = newId;
    this.id = newId(); // of this window
    this.channel = channel;
    if (channel) channel.onmessage = ({ data }) => this.#heard(data);
    this.#restore();
  }

  // Returns the text of the composer: {body, private}.
  /** @param {number} threadId */
  get(threadId) {
    const { body, private: isPrivate } = this.#shown(threadId);
    return { body, private: isPrivate };
  }

  // Returns the text of the other kind: the note while a reply is written, and the other way round.
  /** @param {number} threadId */
  asideOf(threadId) { return this.#shown(threadId).aside; }
  // Returns the uploaded files of both kinds.
  /** @param {number} threadId @returns {KeptFile[]} */
  filesOf(threadId) { return this.#shown(threadId).files; }
  // Returns the newest message that counted as read when the draft began, or null.
  /** @param {number} threadId */
  seenOf(threadId) { return this.#shown(threadId).seen; }
  // Returns the token of a message of this kind that was taken back; null for others.
  /** @param {number} threadId @param {boolean} isPrivate */
  tokenOf(threadId, isPrivate) { return this.#shown(threadId)[isPrivate ? "noteToken" : "token"] ?? null; }
  // Returns the id of the suggestion that was taken over into the reply, or undefined.
  /** @param {number} threadId */
  suggestionOf(threadId) { return this.#shown(threadId).suggestion; }
  /** @param {number} threadId */
  has(threadId) {
    return [...this.#kept].some(([key, kept]) => this.#threadOf(key) === threadId && textOf(kept));
  }

  // Returns the latest draft of the thread that this window does not show, or undefined.
  /** @param {number} threadId */
  otherOf(threadId) { return this.#of(threadId).find(({ key }) => key !== this.#own.get(threadId)?.key); }

  // Whether closing the page would lose a draft.
  get unsaved() { return this.#unsaved.size > 0; }

  // All drafts, the latest first.
  get list() {
    return [...this.#kept].filter(([, kept]) => textOf(kept))
      .map(([key, kept]) => ({
        key, threadId: this.#threadOf(key), ...kept, body: textOf(kept), private: isNote(kept),
      }))
      .sort((a, b) => b.at - a.at);
  }

  // Shows the latest draft of the thread in which no other window types; without one, begins a new draft.
  /** @param {number} threadId */
  open(threadId) {
    if (this.#own.has(threadId)) return;
    const free = this.#of(threadId).find(({ key }) => !this.#foreign.has(key));
    if (!free) return;
    this.#own.set(threadId, { key: free.key, since: 0, isClaimed: false });
    this.#tell("ask", free.key);
  }

  // Something was typed in the shown draft: it belongs to this window now.
  /** @param {number} threadId */
  claim(threadId) {
    const own = this.#own.get(threadId);
    if (!own || own.isClaimed) return;
    Object.assign(own, { since: this.clock(), isClaimed: true });
    this.#tell("mine", own.key, own.since);
  }

  // The thread is no longer shown: other windows may continue its draft.
  /** @param {number} threadId */
  leave(threadId) {
    const own = this.#own.get(threadId);
    this.#own.delete(threadId);
    if (own) this.#tell("free", own.key);
  }

  // Shows this draft here, in place of another one, and no longer in another window.
  /** @param {number} threadId @param {string} key */
  take(threadId, key) {
    if (this.#own.get(threadId)?.key === key) return;
    this.writer.save(threadId);
    this.leave(threadId);
    this.#foreign.delete(key);
    this.#own.set(threadId, { key, since: 0, isClaimed: false });
    this.#tell("take", key);
    this.writer.show(threadId);
  }

  // The page is closed, or is shown again after it was frozen.
  /** @param {boolean} isShown */
  page(isShown) {
    for (const own of this.#own.values()) {
      own.isClaimed = false;
      this.#tell(isShown ? "ask" : "free", own.key);
    }
  }

  // Returns whether the draft is stored; members left out of `draft` stay.
  /** @param {number} threadId @param {Partial<Draft>} draft */
  put(threadId, draft) {
    const had = this.has(threadId);
    const before = this.#shown(threadId);
    const kept = { ...before, ...draft };
    const same = before.body === kept.body && before.aside === kept.aside
      && before.files === kept.files;
    kept.at = same ? before.at ?? this.now() : this.now();
    const isEmpty = !kept.body && !kept.aside && !kept.files.length;
    const key = this.#keyFor(threadId, isEmpty);
    if (key === null) return true;
    if (isEmpty) this.#kept.delete(key);
    else this.#kept.set(key, kept);
    const isKept = this.#write(key, isEmpty ? null : kept);
    if (isEmpty) this.leave(threadId);
    if (had !== this.has(threadId)) this.changed();
    return isKept;
  }

  // The text in the composer was sent or discarded.
  /** @param {number} threadId */
  drop(threadId) {
    const isNote = this.#shown(threadId).private;
    const sent = isNote ? { noteToken: null } : { seen: null, token: null, suggestion: undefined };
    this.put(threadId, { body: "", ...sent });
  }

  // Another window changed the text stored under this key.
  /** @param {string | null} key */
  taken(key) {
    if (!key?.startsWith(this.prefix)) return;
    const threadId = this.#threadOf(key);
    const kept = this.#read(key);
    if (kept) this.#kept.set(key, kept);
    else this.#kept.delete(key);
    if (this.#own.get(threadId)?.key === key) this.#collide(threadId, !kept);
    this.changed();
  }

  // Takes a message of another window: it types in a draft (mine, take), no longer does (free), or asks.
  #heard({ kind, key, from, since }) {
    const threadId = this.#threadOf(key);
    const own = this.#own.get(threadId);
    const isOwn = own?.key === key;
    const isFirst = isOwn && own.isClaimed
      && (own.since < since || (own.since === since && this.id < from));
    if (kind === "ask" || (kind === "mine" && isFirst)) {
      if (isOwn && own.isClaimed) this.#tell("mine", key, own.since);
      return;
    }
    if (kind === "free") this.#foreign.delete(key);
    else this.#foreign.add(key);
    if (kind === "mine" && isOwn) this.#collide(threadId, true);
    if (kind === "take" && isOwn) {
      this.writer.save(threadId);
      this.#own.delete(threadId);
      this.writer.show(threadId);
    }
    this.changed();
  }

  // Another window types in the draft that is shown here. The text typed here stays, as a draft of its own
  // from now on.
  #collide(threadId, isLost) {
    const isTouched = this.writer.isTouched(threadId);
    if (isLost || isTouched) this.#own.delete(threadId);
    if (isTouched) this.writer.save(threadId);
    else this.writer.show(threadId);
  }

  // Returns the key for this window's draft of the thread; null if there is nothing to store. A text that
  // another window has stored meanwhile stays.
  #keyFor(threadId, isEmpty) {
    const own = this.#own.get(threadId);
    if (own && this.storage.isCurrent?.(own.key) !== false) {
      this.claim(threadId);
      return own.key;
    }
    this.#own.delete(threadId);
    if (isEmpty) return null;
    const key = `${this.prefix}${threadId}:${this.newId()}`;
    this.#own.set(threadId, { key, since: this.clock(), isClaimed: true });
    return key;
  }

  #tell(kind, key, since = 0) { this.channel?.postMessage({ kind, key, since, from: this.id }); }

  #threadOf(key) { return Number(key.slice(this.prefix.length).split(":")[0]); }

  #of(threadId) { return this.list.filter((draft) => draft.threadId === threadId); }

  #shown(threadId) { return this.#kept.get(this.#own.get(threadId)?.key) ?? NONE; }

  #write(key, kept) {
    try {
      if (kept) this.storage.setItem(key, JSON.stringify(kept));
      else this.storage.removeItem(key);
      this.#unsaved.delete(key);
      return true;
    } catch {
      if (kept) this.#unsaved.add(key);
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

  // Reads the stored drafts; drops the oldest ones.
  #restore() {
    try {
      const keys = this.storage.keys().filter((key) => key.startsWith(this.prefix));
      const dated = keys.map((key) => [key, this.#read(key)])
        .sort(([, a], [, b]) => (b?.at ?? 0) - (a?.at ?? 0));
      dated.forEach(([key, kept], index) => {
        const isOld = !kept || index >= KEPT_MAX || this.now() - kept.at > KEPT_MS;
        if (isOld) this.storage.removeItem(key);
        else this.#kept.set(key, kept);
      });
    } catch {
      // Storage is forbidden here: there is nothing to restore.
    }
  }
}

// Returns the text of a draft for a list: its own, else the names of its files.
function textOf({ body, aside, files }) {
  if (body.trim()) return body;
  return aside.trim() ? aside : files.map(({ name }) => name).join(", ");
}

function isNote(kept) {
  if (!kept.body.trim() && !kept.aside.trim()) return kept.files[0].private;
  return kept.private !== !kept.body.trim();
}
