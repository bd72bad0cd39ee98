// Unsent text, kept per thread in the browser's storage.

const KEPT_MAX = 200;
const KEPT_MS = 30 * 24 * 3600 * 1000;

export class Drafts {
  // storage: like localStorage; it may be full or forbidden, then drafts live as long as the page.
  constructor({ storage, adminId, now = Date.now }) {
    this.storage = storage;
    this.prefix = `lineup:draft:${adminId}:`;
    this.now = now;
    this.memory = new Map();
    this.#prune();
  }

  // {body, private}
  get(threadId) {
    const known = this.memory.get(threadId) ?? this.#read(this.prefix + threadId);
    return { body: known?.body ?? "", private: known?.private === true };
  }

  put(threadId, draft) {
    const kept = { body: draft.body, private: draft.private === true, at: this.now() };
    this.memory.set(threadId, kept);
    try {
      if (kept.body) this.storage.setItem(this.prefix + threadId, JSON.stringify(kept));
      else this.storage.removeItem(this.prefix + threadId);
      return true;
    } catch {
      return false;
    }
  }

  drop(threadId) { this.put(threadId, { body: "", private: false }); }

  #read(key) {
    try {
      return JSON.parse(this.storage.getItem(key));
    } catch {
      return null;
    }
  }

  #prune() {
    try {
      const keys = Object.keys(this.storage).filter((key) => key.startsWith(this.prefix));
      const dated = keys.map((key) => [this.#read(key)?.at ?? 0, key]).sort((a, b) => b[0] - a[0]);
      dated.forEach(([at, key], index) => {
        if (index >= KEPT_MAX || this.now() - at > KEPT_MS) this.storage.removeItem(key);
      });
    } catch {
      // Storage is forbidden here: there is nothing to prune.
    }
  }
}
