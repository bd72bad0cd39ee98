// Passes on which threads are on screen, so that their rows and states are kept current.

export class VisibleRows {
  /** @param {VisibleRowsParts} parts */
  constructor({ lists, thread, rows, presence }) {
    this.lists = lists;
    this.thread = thread;
    this.rows = rows;
    this.presence = presence;
  }

  // ids: the threads painted; end: one past the last index painted, loaded or not.
  /** @param {number[]} ids @param {number} end */
  show(ids, end) {
    const { id } = this.thread;
    this.lists.sync.need(end);
    this.lists.listing.needs(ids, end);
    const open = id === null || ids.includes(id) ? [] : [id];
    this.lists.look([...ids, ...open]);
    this.#watchPresence([...open, ...ids]);
  }

  #watchPresence(ids) {
    const customers = ids.map((id) => this.rows.get(id)?.customer?.id).filter(Boolean);
    this.presence.want("customer", "rows", customers);
    this.presence.onScreen(ids);
  }
}
