// How far the due times of waiting threads have been computed anew after a change.

import { html } from "lit-html";

// Read out at its beginning and its end alone.
/** @param {Progress | null} progress @param {Translate} t */
export const progressLine = (progress, t) => html`<div class="recompute" data-running=${progress !== null}>
  <p class="unseen" role="status">${progress ? t("recompute") : ""}</p>
  ${progress ? html`<progress aria-label=${t("recompute")} max=${Math.max(1, progress.of)} value=${progress.done}></progress>
    <span aria-hidden="true">${t("recompute.progress", { count: progress.done, of: progress.of })}</span>` : ""}</div>`;
