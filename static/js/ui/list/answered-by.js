// Who answered the threads that left a held list: asked for once, when the row shows it.

const LOOKED_AT = 5; // of the newest messages

export class AnsweredBy {
  #names = new Map(); // id → name, "" until it is known

  /** @param {AnsweredByParts} parts */
  constructor({ lists, rows, api, painter }) {
    this.lists = lists;
    this.rows = rows;
    this.api = api;
    this.painter = painter;
  }

  // The name or "". Asks for it if the row on screen has left the list.
  /** @param {number} id */
  nameOf(id) {
    const { listing, list } = this.lists;
    if (!listing.painted.held || listing.painted.markOf(id) !== "left") {
      this.#names.delete(id);
      return "";
    }
    const row = this.rows.get(id);
    const answered = list.view === "not_respond" && row?.open && row.waiting_since === null;
    if (answered && !this.#names.has(id)) this.#learn(id);
    return this.#names.get(id) ?? "";
  }

  async #learn(id) {
    this.#names.set(id, "");
    const answer = await this.api.newest(id, LOOKED_AT).catch(() => ({ messages: [] }));
    const reply = answer.messages.findLast(({ role, private: note }) => role === "admin" && !note);
    const name = reply?.author?.name;
    if (name && this.#names.has(id)) this.#names.set(id, name);
    this.painter.ask("list");
  }
}
