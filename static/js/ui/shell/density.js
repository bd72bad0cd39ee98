// The height of rows: as chosen, and higher on touch screens.

const ROW_PX = { comfortable: 64, compact: 44, touch: 72 };

export class Density {
  #touch = window.matchMedia("(pointer: coarse)");

  // changed(fromPx): the height of rows was fromPx until now.
  /** @param {DensityParts} parts */
  constructor({ prefs, changed, root = document.documentElement }) {
    this.prefs = prefs;
    this.changed = changed;
    this.root = root;
    this.#write();
    this.#touch.addEventListener("change", () => this.#apply());
  }

  get name() { return this.#touch.matches ? "touch" : this.prefs.kept.density; }

  /** @param {string} density */
  choose(density) {
    this.prefs.change({ density });
    this.#apply();
  }

  #apply() {
    const from = this.rowPx;
    this.#write();
    this.changed(from);
  }

  #write() {
    this.rowPx = ROW_PX[this.name];
    this.root.dataset.density = this.name;
    this.root.style.setProperty("--row-px", `${this.rowPx}px`);
  }
}
