// Arithmetic of the virtual list: rows in view, a scroll range longer than browsers allow.

export const ROW_PX = 64;
// Elements higher than some 16 to 33 million pixels are cut by browsers.
const SPACER_MAX_PX = 10_000_000;
// A scroll of more than this many screens at once is a drag of the thumb, not a turn of the wheel.
const JUMP_SCREENS = 6;

// First and one past the last index to paint.
/** @param {number} top @param {number} height @param {number} count */
export function range(top, height, count, overscan = 6, rowPx = ROW_PX) {
  const first = Math.max(0, Math.floor(top / rowPx) - overscan);
  const end = Math.min(count, Math.ceil((top + height) / rowPx) + overscan);
  return { first, end: Math.max(first, end) };
}

// The rows that are visible, at least in part.
/** @param {number} top @param {number} height @param {number} count */
export function inView(top, height, count, rowPx = ROW_PX) { return range(top, height, count, 0, rowPx); }

// The indexes of a range, and the active one wherever it is (-1: nowhere), from top to bottom.
/** @param {{first: number, end: number}} range @param {number} active */
export function indexesOf({ first, end }, active) {
  const indexes = Array.from({ length: end - first }, (_, place) => first + place);
  if (active >= 0 && active < first) indexes.unshift(active);
  if (active >= end) indexes.push(active);
  return indexes;
}

// Where to scroll so that the row is seen: as little as possible, or to the middle.
/** @param {number} index @param {number} top @param {number} height */
export function topFor(index, top, height, align = "nearest", rowPx = ROW_PX) {
  const rowTop = index * rowPx;
  if (align === "center") return Math.max(0, rowTop - (height - rowPx) / 2);
  if (rowTop < top) return rowTop;
  return Math.max(top, rowTop + rowPx - height);
}

// Translates between the list's own pixels and those of a spacer that may be shorter.
export class Scale {
  #real = 0;
  #shift = 0; // list pixels minus spacer pixels

  constructor(maxPx = SPACER_MAX_PX) {
    this.maxPx = maxPx;
    this.listPx = 0;
    this.viewPx = 0;
  }

  get spacerPx() { return Math.min(this.listPx, this.maxPx); }
  get scaled() { return this.listPx > this.maxPx; }
  get shift() { return this.#shift; }
  get real() { return this.#real; }
  get top() { return clamp(this.#real + this.#shift, this.#lastTop); }
  get #lastTop() { return Math.max(0, this.listPx - this.viewPx); }
  get #lastReal() { return Math.max(0, this.spacerPx - this.viewPx); }

  /** @param {number} listPx @param {number} viewPx */
  resize(listPx, viewPx) {
    const { top } = this;
    this.listPx = listPx;
    this.viewPx = viewPx;
    return this.moveTo(top);
  }

  // The browser scrolled: takes the new scrollTop. Returns the list's top.
  /** @param {number} real */
  scrolled(real) {
    const jump = Math.abs(real - this.#real) > this.viewPx * JUMP_SCREENS;
    this.#real = real;
    if (!this.scaled) this.#shift = 0;
    else if (jump || real <= 0 || real >= this.#lastReal) {
      this.#shift = this.#proportional(real) - real;
    }
    return this.top;
  }

  // We scroll: returns the scrollTop to set. While near, the spacer moves pixel by pixel.
  /** @param {number} top */
  moveTo(top) {
    const target = clamp(top, this.#lastTop);
    if (!this.scaled) {
      this.#shift = 0;
      this.#real = target;
      return target;
    }
    const real = target - this.#shift;
    this.#real = this.#fits(real, target) ? real : this.#inverse(target);
    this.#shift = target - this.#real;
    return this.#real;
  }

  // The scrollTop to set where drift would reach an end of the spacer too early, or null.
  recentre() {
    if (!this.scaled) return null;
    const { top } = this;
    if (this.#fits(this.#real, top)) return null;
    return this.moveTo(top);
  }

  // The spacer's ends are no nearer than the list's own, or far enough away.
  #fits(real, top) {
    const near = this.#nearPx;
    const below = this.#lastReal - real;
    const listBelow = this.#lastTop - top;
    const exact = (top > near || real === top) && (listBelow > near || below === listBelow);
    return exact && real >= Math.min(top, near) && below >= Math.min(listBelow, near);
  }

  // Near both ends the two run pixel by pixel; in between they are in proportion.
  get #nearPx() { return this.viewPx * JUMP_SCREENS; }
  get #ratio() { return (this.#lastTop - 2 * this.#nearPx) / (this.#lastReal - 2 * this.#nearPx); }

  #proportional(real) {
    const near = this.#nearPx;
    if (real <= near) return real;
    if (this.#lastReal - real <= near) return this.#lastTop - (this.#lastReal - real);
    return near + (real - near) * this.#ratio;
  }

  #inverse(top) {
    const near = this.#nearPx;
    if (top <= near) return top;
    if (this.#lastTop - top <= near) return this.#lastReal - (this.#lastTop - top);
    return near + (top - near) / this.#ratio;
  }
}

const clamp = (value, most) => Math.min(Math.max(0, value), most);
