// The one modal dialog: a title, a close button and content.

import { html, render } from "lit-html";

import { ICONS } from "./icons.js";

export class Dialog {
  #shown = null; // {title, content}
  #closed = () => {};
  #asked = null; // what decides whether it may be closed

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
    element.addEventListener("close", () => {
      this.#shown = null;
      this.#closed();
    });
  }

  // title may be a function, and content is one: they are called at each painting. mayClose(): whether
  // what the admin does may close it; false where that has asked for something first.
  open(title, content, closed = () => {}, mayClose = null) {
    this.#shown = { title, content };
    this.#closed = closed;
    this.#asked = mayClose;
    this.paint();
    if (!this.element.open) this.element.showModal();
  }

  close() { this.element.close(); }

  // As the admin closes it: by its button, Esc, or a press beside it.
  leave() { if (this.#asked?.() ?? true) this.close(); }

  // Of two presses in a row browsers let a page keep the first one alone: Esc is taken as a key.
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
