// What stands where there is nothing to show, in one look: in lists, conversations, searches and settings.

import { html, nothing } from "lit-html";

// An icon, one sentence, and one action where there is one; a text says why something failed.
/** @param {{icon?: unknown, title: string, text?: string, acts?: {text: string, run: () => void}[]}} given */
export function emptyState({ icon = nothing, title, text = "", acts = [] }) {
  return html`<div class="empty"><span class="empty-icon">${icon}</span>
    <p class="empty-title">${title}</p>${text ? html`<p>${text}</p>` : ""}
    ${acts.length ? html`<p class="empty-acts">${acts.map((act) => html`<button type="button"
      class="button" @click=${act.run}>${act.text}</button>`)}</p>` : ""}</div>`;
}
