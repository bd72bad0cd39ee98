// Who answered the threads that left a list while it was held: asked for once, as it is shown.

const LOOKED_AT = 5; // of the newest messages

export class Leavers {
  #names = new Map(); // id → name, "" while nobody knows

  constructor(desk) {
    this.desk = desk;
  }

  // The name, where it is known. Asks for it where the row on screen has left.
  nameOf(id) {
    const { listing, rows, place } = this.desk;
    if (!listing.view.held || listing.view.markOf(id) !== "left") {
      this.#names.delete(id);
      return "";
    }
    const row = rows.get(id);
    const answered = place.page === "not_respond" && row?.open && row.waiting_since === null;
    if (answered && !this.#names.has(id)) this.#learn(id);
    return this.#names.get(id) ?? "";
  }

  async #learn(id) {
    this.#names.set(id, "");
    const answer = await this.desk.api.newest(id, LOOKED_AT).catch(() => ({ messages: [] }));
    const reply = answer.messages.findLast(({ role, private: note }) => role === "admin" && !note);
    const name = reply?.author?.name;
    if (name && this.#names.has(id)) this.#names.set(id, name);
    this.desk.ask("list");
  }
}
