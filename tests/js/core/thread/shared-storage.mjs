// Storage shared by the windows of a test; each knows the changes that events have told it: these come
// a little later, and never to a frozen page.

export class SharedStorage {
  kept = new Map();
  views = [];

  // delayMs(): until an event comes; timers: the clock of the test.
  constructor({ timers, delayMs }) {
    Object.assign(this, { timers, delayMs });
  }

  // heard(key): called in a window when another one has changed what is under the key.
  open(heard) {
    const view = new View(this, heard);
    this.views.push(view);
    return view;
  }

  // Nothing that the window writes from now on is stored.
  close(view) { this.views = this.views.filter((other) => other !== view); }

  put(key, text, from) {
    if (!this.views.includes(from)) return;
    if (text === null) this.kept.delete(key);
    else this.kept.set(key, text);
    for (const view of this.views) {
      if (view !== from) this.timers.setTimeout(() => view.told(key), this.delayMs());
    }
  }
}

class View {
  isFrozen = false;

  constructor(shared, heard) {
    Object.assign(this, { shared, heard });
    this.texts = new Map(shared.kept);
  }

  keys() { return [...this.texts.keys()]; }
  getItem(key) { return this.texts.get(key) ?? null; }
  isCurrent(key) { return this.getItem(key) === (this.shared.kept.get(key) ?? null); }

  setItem(key, text) {
    this.texts.set(key, text);
    this.shared.put(key, text, this);
  }

  removeItem(key) {
    this.texts.delete(key);
    this.shared.put(key, null, this);
  }

  async refresh() {
    const keys = [...new Set([...this.keys(), ...this.shared.kept.keys()])];
    const changed = keys.filter((key) => !this.isCurrent(key));
    for (const key of changed) this.look(key);
    return changed;
  }

  look(key) {
    const text = this.shared.kept.get(key);
    if (text === undefined) this.texts.delete(key);
    else this.texts.set(key, text);
  }

  told(key) {
    if (this.isFrozen || this.isCurrent(key)) return;
    this.look(key);
    this.heard(key);
  }
}
