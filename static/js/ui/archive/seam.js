// The line between the live list and its archived threads.

export class Seam {
  #y = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.element = document.createElement("div");
    this.element.className = "list-seam";
    // Screen readers say it with the first row below.
    this.element.setAttribute("role", "presentation");
    this.element.append(document.createElement("span"));
    this.element.hidden = true;
    parent.append(this.element);
  }

  // y: null where it is out of view.
  /** @param {number | null} y @param {string} text */
  show(y, text) {
    const [label] = this.element.children;
    if (label.textContent !== text) label.textContent = text;
    if (y === this.#y) return;
    this.#y = y;
    this.element.hidden = y === null;
    if (y !== null) this.element.style.transform = `translateY(${y}px)`;
  }
}
