// Whether the order on screen may move: never while it is held, slowly while a reply is typed.

export class Movement {
  #committedAt = 0;

  /** @param {MovementParts} parts */
  constructor({ hold, lists, now, painter, announce, language }) {
    this.hold = hold;
    this.lists = lists;
    this.now = now;
    this.painter = painter;
    this.announce = announce;
    this.language = language;
  }

  mayMove(now = this.now()) {
    if (this.hold.state(now) !== "live") return false;
    return now - this.#committedAt >= this.hold.pace(now);
  }

  committed() { this.#committedAt = this.now(); }

  // Milliseconds until the order may move again without an action of the admin, or null.
  /** @param {number} now */
  wait(now) {
    const pace = this.hold.pace(now);
    const held = this.lists.listing.painted?.held;
    const typing = held && pace ? this.#committedAt + pace - now : null;
    return this.hold.wait(now) ?? (typing === null ? null : Math.max(0, typing));
  }

  togglePause() {
    this.hold.pause(!this.hold.paused);
    this.announce(this.language.t(this.hold.paused ? "announce.paused" : "announce.live"));
    this.painter.ask("list", "header");
  }

  /** @param {boolean} open */
  menuOpen(open) {
    this.hold.menu(open);
    this.painter.ask("list", "header");
  }
}
