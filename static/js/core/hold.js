// Whether the order on screen may move: live, held while someone aims at it, or paused by them.

export const HOLD_MS = {
  pointer: 5000, // since the pointer last moved over the list
  leave: 300, // since it left
  key: 3000, // since a key walked the list
  scroll: 150, // since scrolling ended
};
// While a reply is typed the live order moves at most this often.
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

  constructor(times = HOLD_MS) {
    this.times = times;
  }

  pointerMoved(now) { this.#pointerUntil = now + this.times.pointer; }
  pointerLeft(now) { this.#pointerUntil = Math.min(this.#pointerUntil, now + this.times.leave); }
  pointerDown() { this.#down = true; }
  pointerUp() { this.#down = false; }
  keyed(now) { this.#keyUntil = now + this.times.key; }
  scrolled(now) { this.#scrollUntil = now + this.times.scroll; }
  typed(now) { this.#typingUntil = now + TYPING_MS; }
  menu(open) { this.#menu = open; }
  pause(on) { this.#paused = on; }
  // Rows are picked for an act on many: nothing but the end of that lets go.
  pick(on) { this.#picked = on; }

  get paused() { return this.#paused; }

  // "live", "held" or "paused".
  state(now) {
    if (this.#paused) return "paused";
    return this.#down || this.#menu || this.#picked || now < this.#until ? "held" : "live";
  }

  // Milliseconds until a timer may end the hold; null where only an act does, or none holds.
  wait(now) {
    if (this.#paused || this.#down || this.#menu || this.#picked || now >= this.#until) return null;
    return this.#until - now;
  }

  // How long the view is to stay between two commits while live.
  pace(now) { return now < this.#typingUntil ? TYPING_PACE_MS : 0; }

  // The press on "n new": whatever held lets go, the pause too.
  release() {
    this.#pointerUntil = this.#keyUntil = this.#scrollUntil = 0;
    this.#down = this.#menu = this.#paused = false;
  }

  get #until() { return Math.max(this.#pointerUntil, this.#keyUntil, this.#scrollUntil); }
}
