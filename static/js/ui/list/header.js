// The header of the list: its name, its state, its total, new rows above, the sort.

import { html, nothing } from "lit-html";

import { mayEdit } from "../../core/list/saved-views.js";
import { shown } from "../../core/names.js";
import { sortsOf } from "../../core/query/sorts.js";
import { QUERY } from "../../core/route.js";
import { ICONS } from "../elements/icons.js";
import { menu } from "../elements/menu.js";

/** @param {Page} page */
export function header(page) {
  const { data: { lists: { list, listing, sync }, totals }, ui: { language: { t } } } = page;
  if (page.ui.picks.size && page.ui.bulk.part) return page.ui.bulk.part.bar();
  const total = sync.state === "refused" ? undefined : totals.of(list.view);
  return html`
    <div class="header-name"><h2 class="header-title" title=${t(`view.${list.view}`)}
      id="list-title">${t(`view.${list.view}`)}</h2></div>
    ${live(page)}
    <span class="header-total" title=${archived(listing, t)}><span aria-hidden="true">${total === undefined ? ""
      : t.number(total)}</span><span class="unseen">${t("header.total", { count: total ?? 0 })}</span></span>
    <span class="header-space"></span>
    <span class="news-slot">${news(page)}</span>
    ${filters(page)}
    ${sorts(page)}`;
}

// The note about archived threads, which the total leaves out.
function archived({ archive, painted }, t) {
  return painted?.seam >= 0 ? t("header.archive", { count: archive.days }) : nothing;
}

function news({ data: { lists }, ui: { language: { t } }, acts: { toTop } }) {
  const count = lists.listing.news.size;
  if (!count) return "";
  return html`<button type="button" class="button button-accent news" aria-keyshortcuts="Home"
    @click=${() => toTop()}>↑ ${t("header.news", { count })}</button>`;
}

function live({
  data: { lists: { sync }, hold, movement },
  net: { connectionState, liveness, now },
  ui: { language: { t } },
}) {
  const isCurrent = ["live", "syncing"].includes(sync.state)
    && connectionState.hasLine && liveness.silentSince === null;
  const state = isCurrent ? hold.state(now()) : "waiting";
  return html`<button type="button" class="icon-button live" data-state=${state} aria-keyshortcuts="p"
    aria-pressed=${String(state === "paused")} aria-label=${t(`live.${state}`)}
    title=${t(`live.${state}.title`)}
    @click=${() => movement.togglePause()}
    ><span class="live-mark" aria-hidden="true"></span></button>`;
}

const filters = ({ ui: { search, language: { t } } }) => html`<button type="button"
  class="icon-button header-filters" aria-keyshortcuts="Shift+F" aria-label=${t("key.filters")}
  title="${t("key.filters")} (Shift F)" @click=${() => search.open(null, { filters: true })}
  >${ICONS.filter}</button>`;

/** @param {Page} page */
function sorts(page) {
  const { lists: { list }, movement, choices } = page.data;
  const { ui: { keymap, language: { t } }, acts: { navigation } } = page;
  const here = sortsOf(list.view, choices.sorts);
  const items = [
    { heading: t("sort") },
    ...page.data.sorts.inMenu(here, list.sort).map((sort) => ({
      text: t(`sort.${sort}`), key: keymap.keysOf(`sort:${sort}`), checked: list.sort === sort,
      run: () => navigation.goSort(sort),
    })),
    ...(page.data.sorts.isMany ? [{
      text: `${t("sorts.choose")}…`, count: t.number(here.length), key: keymap.keysOf("sorts"),
      run: () => page.data.sorts.choose(),
    }] : []),
    { isLine: true },
    { text: `${t("past.open")}…`, run: () => navigation.goPast(page.net.now()) },
    ...(page.data.admin.role === "supervisor"
      ? Object.entries({ sorts: "sorts.title", policies: "policies.title" }).map(([name, text]) => ({
        text: `${t(text)}…`, run: () => page.acts.openSettings(name),
      })) : []),
  ];
  return menu({
    id: "sort-menu",
    label: t("header.sort_by", { sort: t(`sort.${list.sort}`) }),
    text: html`<span class="sort-text">${t(`sort.${list.sort}`)}</span>${ICONS.down}`,
    items,
    toggled: (open) => movement.menuOpen(open),
    className: "button sort-button",
  });
}

// The line below the header of a saved view or a query: its query, and the ways to save it.
/** @param {Page} page */
export function about(page) {
  const { data: { lists: { list, sync }, savedViews }, ui: { language: { t } } } = page;
  const view = savedViews.of(list.view);
  if (list.view !== QUERY && !view) return "";
  const query = list.query ?? view.query;
  return html`<div class="list-about">
    <button type="button" class="about-query" aria-label=${`${t("query.edit")}: ${shown(query)}`}
      title=${`${t("query.edit")}\n${shown(query)}`} @click=${() => page.ui.search.open(query)}
      >${ICONS.search}<span class="about-text" dir="auto">${shown(query) || t("query.all")}</span></button>
    ${view ? edit(view, page) : save(list, sync, page)}</div>`;
}

function save({ query, sort }, sync, { ui: { viewEditor, language: { t } } }) {
  return html`<button type="button" class="button view-save" ?disabled=${sync.state === "refused"}
    @click=${() => viewEditor.open({ query, sort })}>${t("view.save")}</button>`;
}

function edit(view, { data: { admin }, ui: { viewEditor, language: { t } } }) {
  if (!mayEdit(view, admin)) return "";
  return html`<button type="button" class="button view-edit"
    @click=${() => viewEditor.open({ id: view.id })}>${t("view.edit")}</button>`;
}
