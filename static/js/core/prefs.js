// What an admin chose, kept on the server; sent a moment after the last change.

const SEND_AFTER_MS = 400;
const RETRY_MS = 5000;

export const FOLLOW = ["off", "after_reply", "always"];
export const DENSITIES = ["comfortable", "compact"];
export const SEND_KEYS = ["ctrl_enter", "enter"];
export const LIST_PX = { least: 320, most: 640, step: 20 };

const DEFAULTS = {
  sorts: {}, filters: {}, follow: "off", density: "comfortable", send_key: "ctrl_enter",
  single_keys: true, list_width: null,
};
const NOTIFY = { sound: false, desktop: false, title: true, pages: ["not_respond"] };

export class Prefs {
  #unsent = {};
  #timer = null;

  constructor({ kept, send, timers = globalThis }) {
    this.kept = { ...DEFAULTS, ...kept };
    this.send = send;
    this.timers = timers;
  }

  get notify() { return { ...NOTIFY, ...this.kept.notify }; }
  sortOf(page) { return this.kept.sorts[page] ?? "arrival"; }
  filterOf(page) { return this.kept.filters[page] ?? "all"; }

  change(changes) {
    Object.assign(this.kept, changes);
    Object.assign(this.#unsent, changes);
    this.#schedule(SEND_AFTER_MS);
  }

  place({ page, sort, filter }) {
    const { sorts, filters } = this.kept;
    if (this.kept.page === page && sorts[page] === sort && this.filterOf(page) === filter) return;
    this.change({
      page, sorts: { ...sorts, [page]: sort }, filters: { ...filters, [page]: filter },
    });
  }

  #schedule(ms) {
    this.timers.clearTimeout(this.#timer);
    this.#timer = this.timers.setTimeout(() => this.#flush(), ms);
  }

  async #flush() {
    const changes = this.#unsent;
    this.#unsent = {};
    try {
      await this.send(changes);
    } catch (error) {
      if (error.status >= 400 && error.status < 500) return;
      this.#unsent = { ...changes, ...this.#unsent };
      this.#schedule(RETRY_MS);
    }
  }
}
