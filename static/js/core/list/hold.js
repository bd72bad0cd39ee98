// Whether the order on screen may move: live, held while the admin aims at it, or paused by the admin.

const HOLD_MS = {
  pointer: 5000, // since the pointer last moved over the list
  leave: 300, // since the pointer left the list
  key: 3000, // since a key moved through the list
  scroll: 150, // since scrolling ended
};
// The shortest time between two moves of the order while a reply is typed.
export const TYPING_PACE_MS = 1000;
const TYPING_MS = 3000;

export class Hold {
  #pointerUntil = 0;
  #keyUntil = 0;
  #scrollUntil = 0;
  #typingUntil = 0;
  #down = false;
  #menu = false;
  #paused = false;
  #picked = false;
  #resting = false;

  constructor(times = HOLD_MS) {
    this.times = times;
  }

  /** @param {number} now */
  pointerMoved(now) { this.#pointerUntil = now + this.times.pointer; }
  /** @param {number} now */
  pointerLeft(now) { this.#pointerUntil = Math.min(this.#pointerUntil, now + this.times.leave); }
  pointerDown() { this.#down = true; }
  pointerUp() { this.#down = false; }
  /** @param {number} now */
  keyed(now) { this.#keyUntil = now + this.times.key; }
  /** @param {number} now */
  scrolled(now) { this.#scrollUntil = now + this.times.scroll; }
  /** @param {number} now */
  typed(now) { this.#typingUntil = now + TYPING_MS; }
  /** @param {boolean} open */
  menu(open) { this.#menu = open; }
  /** @param {boolean} on */
  pause(on) { this.#paused = on; }
  // While rows are selected, the order is held. Their bar replaces the header: its open menu goes without an event.
  /** @param {boolean} on */
  pick(on) {
    this.#picked = on;
    this.#menu &&= !on;
  }

  // Holds while a resting pointer is on a row that would move, until the pointer moves, or the admin uses
  // something else.
  /** @param {boolean} on */
  rest(on) { this.#resting = on; }

  get paused() { return this.#paused; }

  // Returns "live", "held" or "paused".
  /** @param {number} now */
  state(now) {
    if (this.#paused) return "paused";
    return this.#lasts || now < this.#until ? "held" : "live";
  }

  // Returns the ms until the hold ends by itself; null if only an action ends it, or nothing is held.
  /** @param {number} now */
  wait(now) { return this.#paused || this.#lasts || now >= this.#until ? null : this.#until - now; }

  // Returns the shortest time in ms between two moves while live.
  /** @param {number} now */
  pace(now) { return now < this.#typingUntil ? TYPING_PACE_MS : 0; }

  // A press on "n new" ends every hold, including the pause.
  release() {
    this.#pointerUntil = this.#keyUntil = this.#scrollUntil = 0;
    this.#down = this.#menu = this.#paused = this.#resting = false;
  }

  get #lasts() { return this.#down || this.#menu || this.#picked || this.#resting; }

  get #until() { return Math.max(this.#pointerUntil, this.#keyUntil, this.#scrollUntil); }
}

// Decides whether the order on screen may move: never while it is held, slowly while a reply is typed.
export class Movement {
  #committedAt = 0;

  /** @param {MovementOptions} options */
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

  // Returns the ms until the order may move without an action of the admin, or null.
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
    this.painter.ask("list", "header", "banner");
  }

  /** @param {boolean} open */
  menuOpen(open) {
    this.hold.menu(open);
    this.painter.ask("list", "header");
  }
}
