// The dialog of keyboard shortcuts, with the switch for single-letter keys.

import { html } from "lit-html";

export class HelpDialog {
  /** @param {HelpDialogParts} parts */
  constructor({ dialog, keymap, settings, language }) {
    this.dialog = dialog;
    this.keymap = keymap;
    this.settings = settings;
    this.language = language;
  }

  open() {
    const { dialog, language, keymap, settings } = this;
    const switched = () => {
      settings.setKeys(!keymap.lettersOn);
      dialog.paint();
    };
    const keys = () => content(language.t, keymap, switched);
    dialog.open(() => language.t("help.title"), keys);
  }
}

function content(t, { help, lettersOn }, switched) {
  const texts = [...new Set(help.map(([, name]) => name))];
  return html`<dl class="help-keys">${texts.map((name) => html`<div class="help-key">
      <dt>${help.filter(([, other]) => other === name).flatMap(([keys]) => keys).map(chord)}</dt>
      <dd>${t(`key.${name}`)}</dd></div>`)}</dl>
    <label class="choice"><input type="checkbox" .checked=${lettersOn} @change=${switched}
      ><span>${t("keys")}</span></label>
    <p class="help-note">${t("help.note")}</p>
    <p class="help-note"><a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a></p>`;
}

export const chord = (keys) => html`<span class="chord"
  >${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span>`;
