// What somebody else has saved meanwhile, to be taken or replaced.

import { html } from "lit-html";

// shown: [label, text] of what they have saved.
/** @param {{shown: [string, string][], take: () => void, replace: () => void, t: Translate}} given */
export const conflict = ({ shown, take, replace, t }) => html`<div class="view-conflict" role="alert">
  <p>${t("unsaved.conflict")}</p>
  <dl>${shown.map(([label, text]) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`)}</dl>
  <div class="form-acts"><button type="button" class="button conflict-take" @click=${take}
      >${t("unsaved.conflict.take")}</button>
    <button type="button" class="button conflict-replace" @click=${replace}
      >${t("unsaved.conflict.replace")}</button></div></div>`;
