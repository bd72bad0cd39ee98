// What a list without rows shows: that it is being built, that there is none, or that none matches.

import { html, nothing } from "lit-html";

import { isSaved, QUERY } from "../../core/route.js";
import { mayEdit } from "../../core/list/saved-views.js";
import { ICONS } from "../elements/icons.js";
import { refusal } from "../elements/refusal.js";

const ELSEWHERE = "not_respond"; // where to go from a view that is gone

/** @param {EmptyParts} parts */
export function empty(parts) {
  const { lists: { list, listing, sync }, navigation, language: { t } } = parts;
  if (sync.state === "refused") return refused(parts);
  if (!listing.ready && sync.state === "failed") return failed(parts);
  if (sync.building !== null) return building(sync.building, t);
  if (!listing.ready || listing.painted.total > 0) return "";
  const kind = isSaved(list.view) ? "saved" : list.view;
  const filtered = list.filter !== "all";
  return said({
    icon: ICONS[kind === "saved" ? "view" : kind === QUERY ? "search" : kind],
    title: t(filtered ? "empty.filtered" : `empty.${kind}`),
    text: t(filtered ? "empty.filtered.text" : `empty.${kind}.text`),
    acts: filtered
      ? [{ text: t("empty.show_all"), run: () => navigation.goFilter("all") }] : [],
  });
}

/** @param {{icon?: unknown, title: string, text: string, acts?: {text: string, run: () => void}[]}} given */
function said({ icon = nothing, title, text, acts = [] }) {
  return html`<div class="empty"><span class="empty-icon">${icon}</span>
    <p class="empty-title">${title}</p><p>${text}</p>
    ${acts.length ? html`<p class="empty-acts">${acts.map((act) => html`<button type="button"
      class="button" @click=${act.run}>${act.text}</button>`)}</p>` : ""}</div>`;
}

function failed({ lists: { sync }, language: { t } }) {
  const { problem } = sync.problem ?? {};
  return said({
    title: t("empty.failed"), text: problem ? refusal(problem, t) : t("empty.failed.text"),
  });
}

function building(share, t) {
  return html`<div class="building"><p>${t("building")}</p>
    <progress class="building-bar" max="1" .value=${share} aria-label=${t("building")}></progress></div>`;
}

// A view that was deleted, or a query with a mistake.
function refused(parts) {
  const { lists: { list, sync }, navigation, savedViews, language: { t } } = parts;
  const { problem } = sync.problem ?? {};
  const leave = {
    text: t("view.open", { view: t(`view.${ELSEWHERE}`) }), run: () => navigation.goView(ELSEWHERE),
  };
  if (list.view === QUERY || problem?.code !== "not_found") {
    return said({
      icon: ICONS.search, title: t("query.refused"), text: refusal(problem, t),
      acts: [...correct(parts), leave],
    });
  }
  const was = savedViews.last(list.view);
  const again = { text: t("view.gone.query"), run: () => navigation.openQuery(was.query) };
  return said({
    icon: ICONS.view, title: was ? t("view.gone", { name: was.name }) : t("view.none"),
    text: t(was ? "view.gone.text" : "view.none.text"), acts: was?.query ? [again, leave] : [leave],
  });
}

function correct({ lists: { list }, search, savedViews, viewEditor, admin, language: { t } }) {
  if (list.view === QUERY) return [{ text: t("query.edit"), run: () => search.open(list.query) }];
  const view = savedViews.of(list.view);
  return view && mayEdit(view, admin)
    ? [{ text: t("view.edit"), run: () => viewEditor.open({ id: view.id }) }] : [];
}
