// What an admin chose, kept on the server; sent a moment after the last change.

const SEND_AFTER_MS = 400;
const RETRY_MS = 5000;

export class Prefs {
  #unsent = {};
  #timer = null;

  constructor({ kept, send, timers = globalThis }) {
    this.kept = { sorts: {}, filters: {}, ...kept };
    this.send = send;
    this.timers = timers;
  }

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
