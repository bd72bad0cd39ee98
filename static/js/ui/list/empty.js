// The content of a list without rows: it is being built, there is none, or nothing matches.

import { html } from "lit-html";

import { mayEdit } from "../../core/list/saved-views.js";
import { isSaved, QUERY } from "../../core/route.js";
import { emptyState } from "../elements/empty.js";
import { ICONS } from "../elements/icons.js";
import { refusal } from "../elements/language.js";

const ELSEWHERE = "not_respond"; // the view to go to from one that was deleted

/** @param {Page} page */
export function empty(page) {
  const { data: { lists: { list, listing, sync } }, ui: { language: { t } } } = page;
  if (sync.state === "refused") return refused(page);
  if (!listing.ready && sync.state === "failed") return failed(page);
  if (sync.building !== null) return building(sync.building, t);
  if (!listing.ready || listing.painted.total > 0) return "";
  const kind = isSaved(list.view) ? "saved" : list.view;
  return emptyState({
    icon: ICONS[kind === "saved" ? "view" : kind === QUERY ? "search" : kind], title: t(`empty.${kind}`),
    acts: list.view === "mine" ? [leave(page, "unassigned")] : correct(page),
  });
}

// The action that goes to another place.
const leave = ({ ui: { language: { t } }, acts: { navigation } }, view) => ({
  text: t("view.open", { view: t(`view.${view}`) }), run: () => navigation.goView(view),
});

function failed({ data: { lists: { sync } }, ui: { language: { t } } }) {
  const { problem } = sync.problem ?? {};
  return emptyState({
    icon: ICONS.unsent, title: t("empty.failed"), text: problem ? refusal(problem, t) : t("empty.failed.text"),
  });
}

function building(share, t) {
  return html`<div class="building"><p>${t("building")}</p>
    <progress class="building-bar" max="1" .value=${share} aria-label=${t("building")}></progress></div>`;
}

// The notice for a deleted view, or for a query with a mistake.
/** @param {Page} page */
function refused(page) {
  const { data: { lists: { list, sync }, savedViews }, ui: { language: { t } } } = page;
  const { navigation } = page.acts;
  const { problem } = sync.problem ?? {};
  const away = leave(page, ELSEWHERE);
  if (list.view === QUERY || problem?.code !== "not_found") {
    return emptyState({
      icon: ICONS.search, title: t("query.refused"), text: refusal(problem, t),
      acts: [...correct(page), away],
    });
  }
  const was = savedViews.last(list.view);
  const again = { text: t("view.gone.query"), run: () => navigation.openQuery(was.query) };
  return emptyState({
    icon: ICONS.view, title: was ? t("view.gone", { name: was.name }) : t("view.none"),
    text: t(was ? "view.gone.text" : "view.none.text"), acts: was?.query ? [again, away] : [away],
  });
}

function correct({
  data: { lists: { list }, savedViews, admin },
  ui: { search, viewEditor, language: { t } },
}) {
  if (list.view === QUERY) return [{ text: t("query.edit"), run: () => search.open(list.query) }];
  const view = savedViews.of(list.view);
  return view && mayEdit(view, admin)
    ? [{ text: t("view.edit"), run: () => viewEditor.open({ id: view.id }) }] : [];
}
