// A form is not left without a question while it holds what is not saved.

import { ask } from "../elements/ask.js";

// Asks; where the admin goes on, show() brings the form back, with the focus where it was. Resolves to
// whether what is not saved may go.
/** @param {{dialog: Parts["dialog"], show: () => void, name: string, t: Translate}} given */
export async function mayDiscard({ dialog, show, name, t }) {
  const at = document.activeElement?.id;
  const sure = await ask(dialog, {
    title: t("unsaved.title"), yes: t("unsaved.discard"),
    text: name ? t("unsaved.text", { name }) : t("unsaved.text.new"),
  }, t);
  if (sure) return true;
  show();
  if (at) document.getElementById(at)?.focus();
  return false;
}

// While isDirty() the browser asks before it closes the page. Returns what ends this.
/** @param {() => boolean} isDirty */
export function guardPage(isDirty) {
  const guard = new AbortController();
  addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); }, { signal: guard.signal });
  return () => guard.abort();
}
