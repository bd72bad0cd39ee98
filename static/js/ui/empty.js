// What stands in the place of rows where a list has none.

import { html } from "lit-html";

import { ICONS } from "./icons.js";
import { refusal } from "./refusal.js";

export function empty(desk) {
  const { t, place, listing, sync } = desk;
  if (!listing.ready && sync.state === "failed") {
    return html`<div class="empty"><p class="empty-title">${t("empty.failed")}</p>
      <p>${sync.problem?.problem ? refusal(sync.problem.problem, t) : t("empty.failed.text")}</p></div>`;
  }
  if (!listing.ready || listing.view.total > 0) return "";
  const filtered = place.filter !== "all";
  return html`<div class="empty">
    <span class="empty-icon">${ICONS[place.page]}</span>
    <p class="empty-title">${t(filtered ? "empty.filtered" : `empty.${place.page}`)}</p>
    <p>${t(filtered ? "empty.filtered.text" : `empty.${place.page}.text`)}</p>
    ${filtered ? html`<button type="button" class="button" @click=${() => desk.goFilter("all")}
      >${t("empty.show_all")}</button>` : ""}</div>`;
}
