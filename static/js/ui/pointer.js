// The pointer over the list: what it holds, and which thread it pressed.

const SLOP_PX = 6;

export class Pointer {
  inside = false;
  y = 0; // below the list's upper edge
  keyed = false; // the last thing done to the list was done by a key
  #press = null; // {id, x, y}

  // idAt(y) → the thread painted there; pressed(id, event); changed() asks for a repaint.
  constructor({ root, hold, now, idAt, pressed, changed }) {
    Object.assign(this, { root, hold, now, idAt, pressed, changed });
    root.addEventListener("pointermove", (event) => this.#moved(event));
    root.addEventListener("pointerleave", () => this.#left());
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => this.#cancel());
    window.addEventListener("pointerup", () => this.#letGo());
    window.addEventListener("blur", () => this.#cancel());
  }

  #moved(event) {
    // Browsers also tell of a move when content moves below a pointer at rest.
    if (this.inside && event.movementX === 0 && event.movementY === 0) return;
    this.#at(event);
    this.inside = event.pointerType !== "touch";
    this.hold.pointerMoved(this.now());
    this.changed();
  }

  #left() {
    this.inside = false;
    this.hold.pointerLeft(this.now());
    this.changed();
  }

  #down(event) {
    if (event.button !== 0) return;
    this.#at(event);
    this.hold.pointerDown();
    const id = this.idAt(this.y);
    // Right of the rows there is the scrollbar.
    const onRows = event.clientX - this.root.getBoundingClientRect().left < this.root.clientWidth;
    this.#press = id !== null && onRows ? { id, x: event.clientX, y: event.clientY } : null;
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
    this.#press = null;
    this.hold.pointerUp();
    this.changed();
  }

  #at(event) {
    this.y = event.clientY - this.root.getBoundingClientRect().top;
  }
}
