// An admin's preferences, stored on the server a moment after the last change, or on leaving the page.

const SEND_AFTER_MS = 400;
const RETRY_MS = 5000;

export const FOLLOW = ["off", "after_reply", "always"];
export const DENSITIES = ["comfortable", "compact"];
export const THEMES = ["system", "light", "dark"];
export const SEND_KEYS = ["ctrl_enter", "enter"];
export const LIST_PX = { least: 360, most: 560, step: 20 };

const DEFAULTS = {
  saved: null, sorts: {}, follow: "off", density: "comfortable", send_key: "ctrl_enter",
  single_keys: true, customer_panel: true, list_width: null, notify_own: true, notify_text: true,
};
const NOTIFY = { sound: false, desktop: false, title: true, views: ["not_respond"] };

export class Prefs {
  #unsent = {};
  #timer = null;

  /** @param {PrefsOptions} options */
  constructor({ kept, send, timers = globalThis }) {
    this.kept = { ...DEFAULTS, ...kept };
    this.send = send;
    this.timers = timers;
  }

  get notify() { return { ...NOTIFY, ...this.kept.notify }; }
  /** @param {string} view */
  sortOf(view) { return this.kept.sorts[view] ?? "arrival"; }

  change(changes) {
    Object.assign(this.kept, changes);
    Object.assign(this.#unsent, changes);
    this.#schedule(SEND_AFTER_MS);
  }

  // The place where the admin was last.
  get place() { return this.kept.place ?? this.kept.view; }

  // Stores the place that is shown, and its sort.
  /** @param {ListName} list */
  keep({ view, sort }) {
    const { sorts, saved } = this.kept;
    if (this.place === view && sorts[view] === sort && !saved) return;
    this.change({ place: view, ...(saved && { saved: null }), sorts: { ...sorts, [view]: sort } });
  }

  // Stores the list of a saved view. The view's own sort is not stored, because it may change.
  /** @param {ListName} list @param {string} ownSort */
  keepSaved({ view, sort }, ownSort) {
    const saved = { view, ...(sort !== ownSort && { sort }) };
    if (JSON.stringify(saved) !== JSON.stringify(this.kept.saved)) this.change({ saved });
  }

  #schedule(ms) {
    this.timers.clearTimeout(this.#timer);
    this.#timer = this.timers.setTimeout(() => this.flush(), ms);
  }

  async flush() {
    const changes = this.#unsent;
    if (!Object.keys(changes).length) return;
    this.timers.clearTimeout(this.#timer);
    this.#unsent = {};
    try {
      await this.send(changes);
    } catch (error) {
      if (error.status >= 400 && error.status < 500) return;
      // As they are by now: a newer one may have been stored meanwhile.
      for (const name in changes) this.#unsent[name] = this.kept[name];
      this.#schedule(RETRY_MS);
    }
  }
}
