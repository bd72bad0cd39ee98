// Copies texts that are pasted elsewhere: ids, secrets, commands.

import { html } from "lit-html";

import { copied } from "../../browser.js";

const TOLD_MS = 2000;

// Copies the text that the element before it shows, and says so for a moment.
/** @param {string} text @param {string} label @param {Translate} t */
export const copyButton = (text, label, t) => html`<button type="button" class="button copy"
  aria-label=${label} @click=${(event) => pressed(event.currentTarget, text, t)}
  ><span class="copy-do">${t("first.copy")}</span><span class="copy-done" role="status"></span
  ></button>`;

async function pressed(button, text, t) {
  const isCopied = await copied(text, button.previousElementSibling);
  const done = button.querySelector(".copy-done");
  done.textContent = t(isCopied ? "first.copied" : "first.copy.by_keys");
  button.dataset.copied = "";
  setTimeout(() => {
    done.textContent = "";
    delete button.dataset.copied;
  }, TOLD_MS);
}
