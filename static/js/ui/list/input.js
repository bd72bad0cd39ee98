// The pointer over the list: holds the order while it is there, and finds the pressed thread.

import { onResize } from "../../browser.js";
import { Scale } from "../../core/list/window.js";

const SLOP_PX = 6;
const LONG_PRESS_MS = 450;

export class Pointer {
  inside = false;
  aims = false; // whether the pointer is inside, and neither keys nor another window were used since it moved
  y = 0; // px below the list's upper edge
  keyed = false; // whether the list was last used by a key
  #press = null; // {id, x, y}
  #timer = null; // of a long press
  #touched = false; // the last press was a finger's

  // pressed(id, event): a thread was pressed; pressedLong(id): a finger stayed on it; changed(): asks for a
  // repaint.
  /** @param {PointerOptions} options */
  constructor({ root, hold, now, pressed, pressedLong, changed }) {
    this.root = root;
    this.hold = hold;
    this.now = now;
    this.pressed = pressed;
    this.pressedLong = pressedLong;
    this.changed = changed;
    root.addEventListener("pointermove", (event) => this.#moved(event));
    root.addEventListener("pointerleave", () => this.#left());
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => this.#cancel());
    // Without this a long press would open the browser's menu.
    root.addEventListener("contextmenu", (event) => {
      if (event.pointerType !== "mouse" && this.#touched) event.preventDefault();
    });
    window.addEventListener("pointerup", () => this.#letGo());
    window.addEventListener("blur", () => this.#away());
    document.addEventListener("keydown", () => this.#worksElsewhere(), { capture: true });
  }

  #moved(event) {
    const { x, y } = this.#press ?? event;
    if (Math.hypot(event.clientX - x, event.clientY - y) >= SLOP_PX) clearTimeout(this.#timer);
    // Browsers also report a move when content moves below a resting pointer.
    if (this.inside && event.movementX === 0 && event.movementY === 0) return;
    this.#at(event);
    this.inside = this.aims = event.pointerType !== "touch";
    this.hold.pointerMoved(this.now());
    this.changed();
  }

  #left() {
    this.inside = this.aims = false;
    this.hold.pointerLeft(this.now());
    this.changed();
  }

  #down(event) {
    if (event.button !== 0) return;
    this.#at(event);
    this.hold.pointerDown();
    const id = threadOf(event.target);
    // Right of the rows is the scrollbar.
    const onRows = event.clientX - this.root.getBoundingClientRect().left < this.root.clientWidth;
    this.#press = id !== null && onRows ? { id, x: event.clientX, y: event.clientY } : null;
    this.#touched = event.pointerType === "touch";
    if (this.#press && this.#touched) {
      this.#timer = setTimeout(() => {
        this.#press = null;
        this.pressedLong(id);
      }, LONG_PRESS_MS);
    }
    this.changed();
  }

  #up(event) {
    const press = this.#press;
    this.#letGo();
    if (!press || event.button !== 0) return;
    const moved = Math.hypot(event.clientX - press.x, event.clientY - press.y);
    if (moved < SLOP_PX) this.pressed(press.id, event);
  }

  #cancel() { this.#letGo(); }

  #letGo() {
    clearTimeout(this.#timer);
    this.#press = null;
    this.hold.pointerUp();
    this.changed();
  }

  #away() {
    this.#cancel();
    this.#worksElsewhere();
  }

  #worksElsewhere() {
    if (!this.aims) return;
    this.aims = false;
    this.changed();
  }

  #at(event) {
    this.y = event.clientY - this.root.getBoundingClientRect().top;
  }
}

// Returns the thread of the row that the browser finds under the pointer, or null. It cannot be computed:
// pixels of the screen may be fractions of the page's pixels.
function threadOf(target) {
  const row = target instanceof Element ? target.closest(".row[id]") : null;
  return row ? Number(row.id.slice("row-".length)) : null;
}

// The scrolled element and its spacer. Positions are pixels of the list, which may be longer.
const STILL_MS = 200;

export class Scroller {
  #scale = new Scale();
  #expected = null; // the scrollTop set by a script
  #still = null;

  /** @param {ScrollerOptions} options */
  constructor({ root, scrolled, resized }) {
    this.root = root;
    this.scrolled = scrolled;
    this.height = root.clientHeight;
    this.spacer = document.createElement("div");
    this.spacer.className = "list-spacer";
    this.spacer.setAttribute("role", "presentation");
    root.replaceChildren(this.spacer);
    root.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    // Asking for the height while painting would lay out the page twice. A hidden list has no height.
    onResize(root, () => {
      this.height = root.clientHeight || this.height;
      resized();
    });
  }

  get top() { return this.#scale.top; }

  // Returns the y of a row inside the spacer; a row out of view must not make the spacer longer.
  /** @param {number} top @param {number} rowPx */
  place(top, rowPx) {
    const most = Math.max(0, this.#scale.spacerPx - rowPx);
    return Math.min(Math.max(0, top - this.#scale.shift), most);
  }

  restart() { this.#scale = new Scale(); }

  /** @param {number} listPx */
  resize(listPx) {
    const { real, spacerPx } = this.#scale;
    const moved = this.#scale.resize(listPx, this.height);
    if (this.#scale.spacerPx !== spacerPx) this.spacer.style.height = `${this.#scale.spacerPx}px`;
    if (moved !== real) this.#set(moved);
  }

  /** @param {number} top */
  to(top) { this.#set(this.#scale.moveTo(top)); }

  #set(real) {
    if (Math.abs(this.root.scrollTop - real) < 1) return;
    this.root.scrollTop = real;
    this.#expected = this.root.scrollTop;
  }

  #onScroll() {
    const real = this.root.scrollTop;
    const ours = this.#expected !== null && Math.abs(real - this.#expected) < 1;
    this.#expected = null;
    if (ours) return;
    this.#scale.scrolled(real);
    clearTimeout(this.#still);
    this.#still = setTimeout(() => this.#recentre(), STILL_MS);
    this.scrolled();
  }

  #recentre() {
    const real = this.#scale.recentre();
    if (real === null) return;
    this.#set(real);
    this.scrolled();
  }
}
