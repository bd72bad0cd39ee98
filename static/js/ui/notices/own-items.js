// What the left column shows of replies that are not sent, and of drafts; nothing where there is none.

import { html } from "lit-html";

import { ICONS } from "../elements/icons.js";

/** @param {{unsent: number, draft: number}} counts @param {Parts["unsentDialog"]} dialog @param {Translate} t */
export function ownItems(counts, dialog, t) {
  const kinds = Object.keys(counts).filter((kind) => counts[kind]);
  if (!kinds.length) return "";
  return html`<div class="nav-group nav-own">${kinds.map((kind) => html`<button type="button"
    class="nav-item" data-kind=${kind} title=${t(`nav.${kind}`)}
    aria-label=${`${t(`nav.${kind}`)}: ${t.number(counts[kind])}`}
    @click=${() => dialog.open()}><span class="nav-icon">${ICONS[kind]}</span><span
      class="nav-text">${t(`nav.${kind}`)}</span><span class="nav-short" aria-hidden="true">${
        t(`nav.${kind}`)}</span><span class="nav-count"
      >${t.number(counts[kind])}</span></button>`)}</div>`;
}
