// The values that a row shows besides its own data: the sort, the language, the admin, its marks.

import { PageModule } from "../elements/page-module.js";

export class RowLook extends PageModule {
  // The open thread; its head shows times like its row.
  get openId() { return this.data.thread.id; }

  // Values that are the same for all rows of one painting.
  /** @param {number} now */
  at(now) {
    const { view, sort } = this.data.lists.list;
    const { t, words } = this.ui.language;
    const byWait = this.data.sortsByWait.includes(sort);
    return { view, sort, byWait, now, t, words, presence: this.data.presence, adminId: this.data.adminId };
  }

  // An unsent reply is more urgent than a mention, and that more than a draft.
  #markOf(id) {
    const own = this.acts.unsent?.part?.markOf(id) ?? "";
    return own === "unsent" ? own : this.ui.notifier.part?.markOf(id) || own;
  }

  /** @param {number} id */
  of(id) {
    const { listing } = this.data.lists;
    return {
      current: id === this.data.thread.id,
      active: id === listing.activeId,
      picked: this.ui.picks.has(id),
      own: this.#markOf(id),
      fresh: listing.fresh.has(id),
      mark: listing.painted.markOf(id),
    };
  }
}
