// Short messages at the lower edge, with a few actions; they disappear by themselves.

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

  // Returns the toast's id, for `drop`. stays: later toasts do not displace it; about: an event that is told once,
  // even if two messages report it; holds(): whether the text is still true, else the toast is not shown.
  /**
   * @param {string} text @param {ToastAction | ToastAction[] | null} actions
   * @param {{shownMs?: number, stays?: boolean, about?: string | false, holds?: () => boolean}} more
   */
  show(text, actions = null, { shownMs = SHOWN_MS, stays = false, about = false, holds = () => true } = {}) {
    const told = about && this.#list.find((other) => other.about === about);
    if (told) return told.id;
    const toast = { id: this.#next, text, actions: [actions ?? []].flat(), stays, about, holds };
    this.#next += 1;
    const others = this.#list.filter((other) => other.text !== text || other.actions.length);
    const displaced = others.length < MOST ? null : others.find((other) => !other.stays);
    this.#list = [...others.filter((other) => other !== displaced), toast];
    setTimeout(() => this.drop(toast.id), shownMs);
    this.changed();
    return toast.id;
  }

  // Returns whether it was shown until now.
  /** @param {number} id */
  drop(id) {
    const before = this.#list.length;
    this.#list = this.#list.filter((toast) => toast.id !== id);
    this.changed();
    return this.#list.length < before;
  }

  /** @param {Translate} t */
  render(t) {
    return this.#list.filter(({ holds }) => holds()).map((toast) => html`<div class="toast">
      <span class="toast-text">${toast.text}</span>
      ${toast.actions.map((action) => html`<button type="button" class="button"
        aria-keyshortcuts=${action.keys ?? ""} @click=${() => this.#act(toast, action)}
        >${action.text}</button>`)}
      <button type="button" class="icon-button" aria-label=${t("close")}
        @click=${() => this.drop(toast.id)}>${ICONS.close}</button></div>`);
  }

  #act(toast, action) {
    this.drop(toast.id);
    action.run();
  }
}
