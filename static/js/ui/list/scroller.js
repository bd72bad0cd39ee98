// The scrolled element and its spacer. Positions are pixels of the list, which may be longer.

import { onResize } from "../../browser.js";
import { Scale } from "../../core/list/window.js";

const STILL_MS = 200;

export class Scroller {
  #scale = new Scale();
  #expected = null; // the scrollTop set by a script
  #still = null;

  /** @param {ScrollerParts} parts */
  constructor({ root, scrolled, resized }) {
    this.root = root;
    this.scrolled = scrolled;
    this.height = root.clientHeight;
    this.spacer = document.createElement("div");
    this.spacer.className = "list-spacer";
    this.spacer.setAttribute("role", "presentation");
    root.replaceChildren(this.spacer);
    root.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    // To ask for the height while painting would lay out the page twice. A list that is hidden has none.
    onResize(root, () => {
      this.height = root.clientHeight || this.height;
      resized();
    });
  }

  get top() { return this.#scale.top; }

  // The y of a row inside the spacer; a row out of view must not make the spacer longer.
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
