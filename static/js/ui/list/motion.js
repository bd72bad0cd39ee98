// Fades in rows that moved; where many move, rows change place without animation.

const MOST = 4;
const PER_SECOND = 4;
const MS = 160;
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Motion {
  #at = 0;
  #moves = 0;
  #perSecond = 0;

  /** @param {number} moves */
  restart(moves) {
    this.#moves = moves;
    this.#perSecond = 0;
  }

  // elements: of the rows that moved; moves: the list's count of moves so far.
  /** @param {HTMLElement[]} elements @param {number} moves @param {number} now */
  play(elements, moves, now) {
    if (now - this.#at >= 1000) {
      this.#perSecond = moves - this.#moves;
      this.#at = now;
      this.#moves = moves;
    }
    const speed = Math.max(this.#perSecond, moves - this.#moves);
    if (calm.matches || speed > PER_SECOND || elements.length > MOST) return;
    for (const element of elements) fade(element);
  }
}

const fade = (element) => element.animate(
  [{ opacity: 0.3, translate: "0 -8px" }, { opacity: 1, translate: "0 0" }],
  { duration: MS, easing: "cubic-bezier(.2,0,0,1)" },
);

/** @param {HTMLElement} element */
export function glow(element) {
  element.animate([{ backgroundColor: "var(--pulse)" }, {}], { duration: 600, easing: "ease-out" });
}
