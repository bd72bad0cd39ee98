// The dialog that lists the keys.

import { html, render } from "lit-html";

import { HELP } from "../core/keymap.js";
import { ICONS } from "./icons.js";

export class Help {
  constructor({ element, text }) {
    this.element = element;
    this.text = text; // () → t
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
  }

  open() {
    const t = this.text();
    render(this.#content(t), this.element);
    this.element.showModal();
  }

  #content(t) {
    const texts = [...new Set(HELP.map(([, name]) => name))];
    return html`<div class="dialog-head"><h2>${t("help.title")}</h2>
        <button type="button" class="icon-button" aria-label=${t("close")}
          @click=${() => this.element.close()}>${ICONS.close}</button></div>
      <dl class="help-keys">${texts.map((name) => html`<div class="help-key">
        <dt>${HELP.filter(([, other]) => other === name).flatMap(([keys]) => keys).map(chord)}</dt>
        <dd>${t(`key.${name}`)}</dd></div>`)}</dl>
      <p class="help-note">${t("help.note")}</p>`;
  }
}

const chord = (keys) => html`<span class="chord">${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
