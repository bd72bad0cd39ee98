// Says what this browser lacks and what does not work therefore: once in a toast, and in the settings.

import { keepsTexts, storage } from "../../browser.js";
import { hasZone } from "../../core/time.js";

const TOLD = "lineup:told";
const SHOWN_MS = 30_000;

// The names of what is lacking: "zone", "https", "storage".
export function lacking() {
  const isPlain = globalThis.isSecureContext === false;
  return [
    ...(hasZone() ? [] : ["zone"]), ...(isPlain ? ["https"] : []),
    ...(isPlain || keepsTexts() ? [] : ["storage"]),
  ];
}

// Shows each text that was not shown in this browser before.
/** @param {{toasts: Parts["toasts"], language: Parts["language"], announce: (text: string) => void}} parts */
export function tellLacking({ toasts, language: { t }, announce }) {
  const told = (storage().getItem(TOLD) ?? "").split(" ");
  const names = lacking();
  for (const name of names.filter((each) => !told.includes(each))) {
    const text = t(`lacking.${name}`);
    toasts.show(text, null, SHOWN_MS);
    announce(text);
  }
  try {
    storage().setItem(TOLD, names.join(" "));
  } catch {
    // It is shown again on the next page.
  }
}
