// Finds threads in the current list: the open one, and the next with unanswered messages.

import { PageModule } from "../elements/page-module.js";

const FETCH_ROWS = 100; // rows in one request
const SEARCH_ROWS = 1000; // rows looked through at most

export class ThreadFinder extends PageModule {
  // Scrolls to the open thread, loading the list as far as needed; tells if it is not on this list.
  async showInList({ quiet = false } = {}) {
    const { id } = this.data.thread;
    const { listing } = this.data.lists;
    if (!quiet) this.#leavePast();
    const found = await this.#find(id);
    if (found) {
      if (listing.painted.indexOf(id) < 0) listing.commit();
      this.ui.listPane.showThread(id);
    } else if (found === false) this.#notHere(quiet);
  }

  // Closes the open thread if the list to which the admin went does not have it, but not under the hands of an
  // admin who writes in it. Its draft is kept.
  async leave() {
    if (await this.#find(this.data.thread.id) !== false) return;
    const { field, canSend } = this.ui.threadPane.part?.composer ?? {};
    if (canSend && field === document.activeElement) return;
    const isLost = document.getElementById("thread-pane").contains(document.activeElement);
    this.acts.navigation.leaveThread();
    if (isLost) this.ui.listPane.focus();
  }

  // Threads are found on the live list.
  #leavePast() { if (this.ui.past) this.acts.navigation.goPast(null); }

  // Loads the list up to the thread. Resolves to whether the list has it; to null if that is unknown, or if
  // another list or thread is open by then.
  async #find(id) {
    const { sync, listing } = this.data.lists.current;
    if (id === null) return null;
    await sync.ready();
    let found = await sync.through(id);
    if (found === false) found = await this.#archived(listing, id);
    return listing === this.data.lists.listing && id === this.data.thread.id ? found : null;
  }

  // Looks for the thread among the archived threads of this list.
  async #archived({ archive }, id) {
    if (this.data.thread.row?.open !== false) return false;
    const { ids } = await this.net.api.archive(this.data.lists.list, { ids: [id] }).catch(() => ({ ids: [] }));
    return ids.length > 0 && archive.through(id);
  }

  // step: 1 for the next thread below, -1 for above.
  /** @param {number} step */
  async nextUnread(step) {
    this.#leavePast();
    const { listing } = this.data.lists;
    const { rows } = this.data;
    if (!listing.ready) return;
    const { painted } = listing;
    const start = this.#startOf(painted, listing.activeId ?? this.data.thread.id ?? -1, step);
    let index = start < 0 && step < 0 ? painted.length - 1 : start + step;
    for (let seen = 0; seen < SEARCH_ROWS && index >= 0 && index < painted.length; seen += 1) {
      const id = painted.idAt(index);
      if (id !== undefined && !rows.get(id)) await this.#fetchFrom(painted, index, step);
      if (listing !== this.data.lists.listing) return;
      if (rows.get(id)?.unanswered > 0) {
        this.ui.listPane.activate(index);
        this.acts.open(listing.activeId);
        return;
      }
      index += step;
    }
    this.ui.toasts.show(this.ui.language.t("unread.none"));
  }

  // A reply may have moved the open thread: the search continues at its former place.
  #startOf(painted, id, step) {
    const beside = this.data.neighbours.beside(id, step);
    return beside === null ? painted.indexOf(id) : painted.indexOf(beside) - step;
  }

  async #fetchFrom(painted, index, step) {
    const ids = Array.from({ length: FETCH_ROWS }, (_, ahead) => painted.idAt(index + ahead * step))
      .filter((id) => id !== undefined && !this.data.rows.get(id));
    const answer = await this.net.api.rows(ids).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.data.rows.put(row);
  }

  #notHere(quiet) {
    const { t } = this.ui.language;
    const { list } = this.data.lists;
    const { row } = this.data.thread;
    const view = row?.open === false ? "history" : row?.snooze ? "snoozed" : "arrival";
    const text = t("toast.not_here", { view: t(`view.${list.view}`) });
    const action = view !== list.view ? {
      text: t("toast.open_in", { view: t(`view.${view}`) }),
      run: () => {
        this.acts.navigation.goView(view);
        this.showInList({ quiet: true });
      },
    } : null;
    if (!quiet || action) this.ui.toasts.show(text, action);
  }
}
