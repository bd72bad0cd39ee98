// Finds threads in the list that is shown: the open one, and the next with unanswered messages.

const FETCH_ROWS = 100; // in one request
const SEARCH_ROWS = 1000; // rows looked through at most

export class ThreadFinder {
  /** @param {ThreadFinderParts} parts */
  constructor({
    lists, thread, listPane, rows, api, prefs, toasts, language, neighbours, open, goList,
  }) {
    this.lists = lists;
    this.thread = thread;
    this.listPane = listPane;
    this.rows = rows;
    this.api = api;
    this.prefs = prefs;
    this.toasts = toasts;
    this.language = language;
    this.neighbours = neighbours;
    this.open = open;
    this.goList = goList;
  }

  // Scrolls to the open thread, loading the list as far as needed; says if it is not on this list.
  async showInList({ quiet = false } = {}) {
    const { id } = this.thread;
    const { sync, listing } = this.lists.current;
    if (id === null) return;
    await sync.ready();
    let found = await sync.through(id);
    if (found === false) found = await this.#archived(listing, id);
    if (listing !== this.lists.listing || id !== this.thread.id) return;
    if (found) {
      if (listing.painted.indexOf(id) < 0) listing.commit();
      this.listPane.showThread(id);
    } else if (found === false) this.#notHere(quiet);
  }

  // An archived thread of this list is looked for among those that follow it.
  async #archived({ archive }, id) {
    if (this.thread.row?.open !== false) return false;
    const { ids } = await this.api.archive(this.lists.list, { ids: [id] }).catch(() => ({ ids: [] }));
    return ids.length > 0 && archive.through(id);
  }

  // step: 1 for the next one below, -1 above.
  /** @param {number} step */
  async nextUnread(step) {
    const { listing } = this.lists;
    const { rows } = this;
    if (!listing.ready) return;
    const { painted } = listing;
    const start = this.#startOf(painted, listing.activeId ?? this.thread.id ?? -1, step);
    let index = start < 0 && step < 0 ? painted.length - 1 : start + step;
    for (let seen = 0; seen < SEARCH_ROWS && index >= 0 && index < painted.length; seen += 1) {
      const id = painted.idAt(index);
      if (id !== undefined && !rows.get(id)) await this.#fetchFrom(painted, index, step);
      if (listing !== this.lists.listing) return;
      if (rows.get(id)?.unanswered > 0) {
        this.listPane.activate(index);
        this.open(listing.activeId);
        return;
      }
      index += step;
    }
    this.toasts.show(this.language.t("unread.none"));
  }

  // A reply may have moved the open thread: the search goes on where it was.
  #startOf(painted, id, step) {
    const beside = this.neighbours.beside(id, step);
    return beside === null ? painted.indexOf(id) : painted.indexOf(beside) - step;
  }

  async #fetchFrom(painted, index, step) {
    const ids = Array.from({ length: FETCH_ROWS }, (_, ahead) => painted.idAt(index + ahead * step))
      .filter((id) => id !== undefined && !this.rows.get(id));
    const answer = await this.api.rows(ids).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.rows.put(row);
  }

  #notHere(quiet) {
    const { t } = this.language;
    const { list } = this.lists;
    const view = this.thread.row?.open === false ? "history" : "arrival";
    const text = t("toast.not_here", { view: t(`view.${list.view}`) });
    const elsewhere = view !== list.view || list.filter !== "all";
    const action = elsewhere ? {
      text: t("toast.open_in", { view: t(`view.${view}`) }),
      run: () => {
        this.goList({ view, sort: this.prefs.sortOf(view), filter: "all" });
        this.showInList({ quiet: true });
      },
    } : null;
    if (!quiet || action) this.toasts.show(text, action);
  }
}
