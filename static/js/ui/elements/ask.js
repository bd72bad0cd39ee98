// A question before something is done.

import { html } from "lit-html";

// Resolves to the answer; Esc and a press beside the question are a no. The focus is on "Cancel",
// so that a key that is still held decides nothing.
/** @param {{element: HTMLElement, open: Function, close(): void}} dialog @param {{title: string, text: string, yes: string}} given @param {Translate} t @returns {Promise<boolean>} */
export function ask(dialog, { title, text, yes }, t) {
  let answer = false;
  const decide = (said) => {
    answer = said;
    dialog.close();
  };
  const { element } = dialog;
  element.setAttribute("role", "alertdialog");
  element.setAttribute("aria-describedby", "ask-text");
  return new Promise((resolve) => {
    dialog.open(title, () => html`<p id="ask-text">${text}</p><div class="dialog-acts">
      <button type="button" class="button ask-no" @click=${() => decide(false)}
        >${t("cancel")}</button>
      <button type="button" class="button button-accent ask-yes" @click=${() => decide(true)}
        >${yes}</button></div>`, () => {
      element.removeAttribute("role");
      element.removeAttribute("aria-describedby");
      resolve(answer);
    });
    /** @type {HTMLElement} */ (element.querySelector(".ask-no")).focus();
  });
}
