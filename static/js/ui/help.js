// The keys, listed in the dialog, and the switch of the single letters.

import { html } from "lit-html";

import { HELP } from "../core/keymap.js";

export class HelpDialog {
  constructor({ desk }) {
    this.desk = desk;
  }

  open() {
    const { dialog, language, keymap, settings } = this.desk;
    const switched = () => {
      settings.keys(!keymap.lettersOn);
      dialog.paint();
    };
    const keys = () => content(language.t, keymap.lettersOn, switched);
    dialog.open(() => language.t("help.title"), keys);
  }
}

function content(t, lettersOn, switched) {
  const texts = [...new Set(HELP.map(([, name]) => name))];
  return html`<dl class="help-keys">${texts.map((name) => html`<div class="help-key">
      <dt>${HELP.filter(([, other]) => other === name).flatMap(([keys]) => keys).map(chord)}</dt>
      <dd>${t(`key.${name}`)}</dd></div>`)}</dl>
    <label class="choice"><input type="checkbox" .checked=${lettersOn} @change=${switched}
      ><span>${t("keys")}</span></label>
    <p class="help-note">${t("help.note")}</p>`;
}

export const chord = (keys) => html`<span class="chord"
  >${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
