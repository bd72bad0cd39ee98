// Copies texts that are pasted elsewhere: ids, secrets, commands.

import { html } from "lit-html";

const TOLD_MS = 2000;

// Whether it was copied. Without https there is no clipboard: the element that shows the text is
// selected, and the browser's command copies it.
/** @param {string} text @param {Element} element */
export async function copied(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}

// Copies the text that the element before it shows, and says so for a moment.
/** @param {string} text @param {string} label @param {Translate} t */
export const copyButton = (text, label, t) => html`<button type="button" class="button copy"
  aria-label=${label} @click=${(event) => pressed(event.currentTarget, text, t("first.copied"))}
  ><span class="copy-do">${t("first.copy")}</span><span class="copy-done" role="status"></span
  ></button>`;

async function pressed(button, text, told) {
  if (!await copied(text, button.previousElementSibling)) return;
  const done = button.querySelector(".copy-done");
  done.textContent = told;
  button.dataset.copied = "";
  setTimeout(() => {
    done.textContent = "";
    delete button.dataset.copied;
  }, TOLD_MS);
}
