// How high a row is: as chosen, and higher where fingers press.

const ROW_PX = { comfortable: 64, compact: 44, touch: 72 };

export class Density {
  #touch = window.matchMedia("(pointer: coarse)");

  // changed(fromPx): the rows are of another height now.
  constructor({ prefs, changed, root = document.documentElement }) {
    Object.assign(this, { prefs, changed, root });
    this.#write();
    this.#touch.addEventListener("change", () => this.#apply());
  }

  get name() { return this.#touch.matches ? "touch" : this.prefs.kept.density; }

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
