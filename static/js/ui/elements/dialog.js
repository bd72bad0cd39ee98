// The one modal dialog: a title, a close button and content.

import { html, render } from "lit-html";

import { ICONS } from "./icons.js";

// Takes the focus from what is going to be removed.
/** @param {Element} root */
export function blurIn(root) { /** @type {HTMLElement | null} */ (root.querySelector(":focus"))?.blur(); }

export class Dialog {
  #shown = null; // {title, content}
  #closed = () => {};
  #asked = null; // decides whether the admin may close it

  /** @param {DialogOptions} options */
  constructor({ element, text }) {
    this.element = element;
    this.text = text; // () → t
    element.addEventListener("click", (event) => {
      if (event.target === element) this.leave();
    });
    element.addEventListener("keydown", (event) => this.#escape(event));
    element.addEventListener("cancel", (event) => {
      if (!this.#asked || event.target !== element) return;
      event.preventDefault();
      this.leave();
    });
    element.addEventListener("close", () => this.#settle());
  }

  // title may be a function, and content is one: both are called at each painting. mayClose(): whether the
  // admin's press may close it; false if it has asked the admin something first.
  open(title, content, closed = () => {}, mayClose = null) {
    this.#settle();
    // A field that loses the focus while it is removed would paint in the middle of the painting.
    blurIn(this.element);
    this.#shown = { title, content };
    this.#closed = closed;
    this.#asked = mayClose;
    this.paint();
    if (!this.element.open) this.element.showModal();
  }

  close() { this.element.close(); }

  // Tells who opened it that it is closed. The browser's event comes later: meanwhile it may be open again, for
  // another question, which that event does not answer.
  #settle() {
    if (!this.#shown || this.element.open) return;
    this.#shown = null;
    this.#closed();
  }

  // Closes it for the admin: by its button, Esc, or a press beside it.
  leave() { if (this.#asked?.() ?? true) this.close(); }

  // Browsers let a page prevent only the first of two closings in a row, so Esc is handled as a key.
  #escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || !this.#asked) return;
    if (event.isComposing || this.element.querySelector(":popover-open")) return;
    event.preventDefault();
    this.leave();
  }

  paint() {
    if (!this.#shown) return;
    const { title, content } = this.#shown;
    const name = typeof title === "function" ? title() : title;
    this.element.setAttribute("aria-label", name);
    render(html`<div class="dialog-head"><h2>${name}</h2>
      <button type="button" class="icon-button" aria-label=${this.text()("close")}
        @click=${() => this.leave()}>${ICONS.close}</button></div>${content()}`, this.element);
  }
}
