// The line below the header of a saved view or a query: what it asks for, and how it is saved.

import { html } from "lit-html";

import { QUERY } from "../../core/route.js";
import { shown } from "../../core/shown.js";
import { mayEdit } from "../../core/list/saved-views.js";
import { ICONS } from "../elements/icons.js";

/** @param {AboutParts} parts */
export function about(parts) {
  const { lists: { list, sync }, savedViews, language: { t } } = parts;
  const view = savedViews.of(list.view);
  if (list.view !== QUERY && !view) return "";
  const query = list.query ?? view.query;
  return html`<div class="list-about">
    <button type="button" class="about-query" aria-label=${`${t("query.edit")}: ${shown(query)}`}
      title=${`${t("query.edit")}\n${shown(query)}`} @click=${() => parts.search.open(query)}
      >${ICONS.search}<span class="about-text" dir="auto">${shown(query) || t("query.all")}</span></button>
    ${view ? edit(view, parts) : save(list, sync, parts)}</div>`;
}

function save({ query, sort }, sync, { viewEditor, language: { t } }) {
  return html`<button type="button" class="button view-save" ?disabled=${sync.state === "refused"}
    @click=${() => viewEditor.open({ query, sort })}>${t("view.save")}</button>`;
}

function edit(view, { viewEditor, admin, language: { t } }) {
  if (!mayEdit(view, admin)) return "";
  return html`<button type="button" class="button view-edit"
    @click=${() => viewEditor.open({ id: view.id })}>${t("view.edit")}</button>`;
}
