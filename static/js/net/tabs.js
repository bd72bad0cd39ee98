// The tabs of one admin: one of them leads, and all know whether somebody looks at any.

export class Tabs {
  leads = false;
  #others = new Map(); // tab → when it last said that it is looked at
  #channel = null;

  constructor({ name, page = document }) {
    this.page = page;
    this.id = crypto.randomUUID();
    // The lock is held until the tab goes; then the next one gets it.
    if (navigator.locks) {
      navigator.locks.request(name, () => {
        this.leads = true;
        return new Promise(() => {});
      }).catch(() => {});
    } else this.leads = true;
    this.#listen(name);
  }

  // Whether some tab is before the admin's eyes.
  get lookedAt() {
    return this.page.visibilityState === "visible" || [...this.#others.values()].some(Boolean);
  }

  #listen(name) {
    if (!globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      if (!this.#others.has(data.id) && !data.gone) this.#say();
      if (data.gone) this.#others.delete(data.id);
      else this.#others.set(data.id, data.visible);
    };
    this.page.addEventListener("visibilitychange", () => this.#say());
    addEventListener("pagehide", () => this.#say(true));
    this.#say();
  }

  #say(gone = false) {
    const visible = this.page.visibilityState === "visible";
    this.#channel.postMessage({ id: this.id, visible, gone });
  }
}
