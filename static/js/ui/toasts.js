// Short notices at the lower edge, with at most one act; they go by themselves.

import { html } from "lit-html";

import { ICONS } from "./icons.js";

const SHOWN_MS = 8000;
const MOST = 3;

export class Toasts {
  #list = [];
  #next = 1;

  constructor(changed) {
    this.changed = changed;
  }

  // action: {text, run} or null
  show(text, action = null) {
    const toast = { id: this.#next, text, action };
    this.#next += 1;
    this.#list = [...this.#list.filter((other) => other.text !== text), toast].slice(-MOST);
    setTimeout(() => this.#drop(toast), SHOWN_MS);
    this.changed();
  }

  render(t) {
    return this.#list.map((toast) => html`<div class="toast">
      <span class="toast-text">${toast.text}</span>
      ${toast.action ? html`<button type="button" class="button" @click=${() => this.#act(toast)}
        >${toast.action.text}</button>` : ""}
      <button type="button" class="icon-button" aria-label=${t("close")}
        @click=${() => this.#drop(toast)}>${ICONS.close}</button></div>`);
  }

  #act(toast) {
    this.#drop(toast);
    toast.action.run();
  }

  #drop(toast) {
    this.#list = this.#list.filter((other) => other !== toast);
    this.changed();
  }
}
