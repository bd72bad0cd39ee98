// One dialog for whatever is shown over the page: a title, a way out, and some content.

import { html, render } from "lit-html";

import { ICONS } from "./icons.js";

export class Dialog {
  #shown = null; // {title, content}
  #closed = () => {};

  constructor({ element, text }) {
    this.element = element;
    this.text = text; // () → t
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
    element.addEventListener("close", () => {
      this.#shown = null;
      this.#closed();
    });
  }

  // title and content are functions where the language may change meanwhile.
  open(title, content, closed = () => {}) {
    this.#shown = { title, content };
    this.#closed = closed;
    this.paint();
    if (!this.element.open) this.element.showModal();
  }

  close() { this.element.close(); }

  paint() {
    if (!this.#shown) return;
    const { title, content } = this.#shown;
    const name = typeof title === "function" ? title() : title;
    this.element.setAttribute("aria-label", name);
    render(html`<div class="dialog-head"><h2>${name}</h2>
      <button type="button" class="icon-button" aria-label=${this.text()("close")}
        @click=${() => this.close()}>${ICONS.close}</button></div>${content()}`, this.element);
  }
}
