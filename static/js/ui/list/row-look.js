// What a row shows besides its own data: the sort, the language, the admin, its marks.

export class RowLook {
  /** @param {RowLookParts} parts */
  constructor({
    lists, thread, presence, picks, unsent, language, adminId, sortsByWait,
  }) {
    this.lists = lists;
    this.thread = thread;
    this.presence = presence;
    this.picks = picks;
    this.unsent = unsent;
    this.language = language;
    this.adminId = adminId;
    this.sortsByWait = sortsByWait;
  }

  // The thread that is open, whose head shows times as its row does.
  get openId() { return this.thread.id; }

  // The same for all rows of one painting.
  /** @param {number} now */
  at(now) {
    const { view, sort } = this.lists.list;
    const { t, words } = this.language;
    const byWait = this.sortsByWait.includes(sort);
    return { view, sort, byWait, now, t, words, presence: this.presence, adminId: this.adminId };
  }

  /** @param {number} id */
  of(id) {
    const { listing } = this.lists;
    return {
      current: id === this.thread.id,
      active: id === listing.activeId,
      picked: this.picks.has(id),
      own: this.unsent?.part?.markOf(id) ?? "",
      fresh: listing.fresh.has(id),
      mark: listing.painted.markOf(id),
    };
  }
}
