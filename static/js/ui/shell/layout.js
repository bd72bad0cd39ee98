// Which pane a narrow screen shows, and what Esc and the back button leave.

export class Layout {
  panel = "list"; // "list" or "thread"
  #narrow = window.matchMedia("(max-width: 720px)");

  /** @param {LayoutParts} parts */
  constructor({ picks, search, painter, focusList }) {
    this.picks = picks;
    this.search = search;
    this.painter = painter;
    this.focusList = focusList;
  }

  get #onlyThread() { return this.panel === "thread" && this.#narrow.matches; }

  back() {
    if (this.picks.size) return this.picks.clear();
    if (this.search.shown && !this.#onlyThread) return this.search.back();
    if (this.#onlyThread) {
      this.panel = "list";
      this.painter.ask("shell");
    }
    return this.focusList();
  }
}
