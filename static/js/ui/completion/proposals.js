// A list above the composer of what may be written, filtered by what stands before the caret: arrow
// keys walk in it, Enter, Tab or a click take one, Escape closes it.

import { html } from "lit-html";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Proposals {
  active = 0;
  /** @type {string | null} */
  asked = null; // what they are filtered by

  // name: begins the ids of the list and of what stands in it.
  /** @param {{name: string, painter: Parts["painter"]}} parts */
  constructor({ name, painter }) {
    this.name = name;
    this.painter = painter;
  }

  /** @returns {any[]} */
  get offered() { return []; }

  // Whether Escape closes something.
  get isOpen() { return this.offered.length > 0; }

  get activeId() { return this.offered.length ? `${this.name}-${this.active}` : null; }

  /** @param {string | null} asked */
  ask(asked) {
    if (asked !== this.asked) this.active = 0;
    this.asked = asked;
  }

  close() { this.asked = null; }

  // What is written for the one that is taken: text and caret.
  /** @param {any} one @param {HTMLTextAreaElement} field @returns {{text: string, caret: number}} */
  written(one, field) { throw new Error(`${this.name}: nothing is written for ${one} in ${field}`); }

  // Returns whether the list used the key.
  /** @param {any} event */
  key(event, field) {
    const { offered } = this;
    const step = STEPS[event.key];
    const takes = event.key === "Tab" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey);
    if (event.key === "Escape" && this.isOpen) this.close();
    else if (!offered.length) return false;
    else if (step) this.active = (this.active + step + offered.length) % offered.length;
    else if (takes) this.#take(offered[this.active], field);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    this.painter.ask("composer");
    return true;
  }

  // look(one): what an entry shows.
  choices(field, label, look) {
    const { offered, name } = this;
    return html`<div class="canned" id="${name}-list" role="listbox" aria-label=${label}>
      ${offered.map((one, index) => html`<div class="canned-choice ${name}-choice" role="option"
        id="${name}-${index}" aria-selected=${String(index === this.active)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => this.#take(one, field())}>${look(one)}</div>`)}</div>`;
  }

  #take(one, field) {
    const { text, caret } = this.written(one, field);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.close();
    field.dispatchEvent(new Event("input"));
    field.focus();
  }
}
