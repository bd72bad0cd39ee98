// Tells which features this browser lacks and what therefore fails: once in a toast, and in the settings.

import { html } from "lit-html";

import { copied, keepsTexts, storage } from "../../browser.js";
import { hasZone } from "../../core/time.js";

const TOLD = "lineup:told";
const SHOWN_MS = 30_000;

// Returns the names of missing features: "zone", "https", "storage".
export function lacking() {
  const isPlain = globalThis.isSecureContext === false;
  return [
    ...(hasZone() ? [] : ["zone"]), ...(isPlain ? ["https"] : []),
    ...(isPlain || keepsTexts() ? [] : ["storage"]),
  ];
}

// Shows each text that was not shown in this browser before.
/** @param {Page} page */
export function tellLacking({ ui: { toasts, language: { t }, announce } }) {
  const told = (storage().getItem(TOLD) ?? "").split(" ");
  const names = lacking();
  for (const name of names.filter((each) => !told.includes(each))) {
    const text = t(`lacking.${name}`);
    toasts.show(text, null, { shownMs: SHOWN_MS });
    announce(text);
  }
  try {
    storage().setItem(TOLD, names.join(" "));
  } catch {
    // Storage is forbidden: the text is shown again on the next page.
  }
}

// Copies texts that are pasted elsewhere, such as ids, secrets and commands.
const TOLD_MS = 2000;

// A button that copies the text shown before it, and confirms it for a moment.
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
