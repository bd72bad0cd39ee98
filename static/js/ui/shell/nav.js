// The left column: views with their totals, sorts, filters, the state of the list, settings.

import { html } from "lit-html";

import { sortsOf } from "../../core/query/sorts.js";
import { age } from "../../core/time.js";
import { ICONS } from "../elements/icons.js";
import { navItem as item } from "../elements/nav-item.js";
import { presenceNav } from "../presence/panels.js";
import { savedViews } from "../views/nav-views.js";

/** @param {NavParts} parts */
export function nav(parts) {
  const { lists: { list }, totals, navigation, choices, language: { t } } = parts;
  const sorts = sortsOf(list.view, choices.sorts);
  return html`
    <div class="brand"><span class="brand-mark" aria-hidden="true"></span
      ><span class="nav-text">Lineup</span></div>
    <div class="nav-group">
      ${item({
        icon: ICONS.search, text: t("search"), told: html`<kbd>/</kbd>`, t,
        run: () => parts.search.open(),
      })}
      ${choices.views.map((view) => item({
        icon: ICONS[view], text: t(`view.${view}`), kind: view, current: list.view === view,
        count: totals.of(view, list.view === view ? list.filter : "all"),
        t, run: () => navigation.goView(view),
      }))}
    </div>
    ${savedViews(parts)}
    ${parts.unsent?.part?.items(parts.unsentDialog) ?? ""}
    ${group(t("sort"), parts.sorts.inMenu(sorts, list.sort), list.sort, (sort) => ({
      icon: sortIcon(sort), text: t(`sort.${sort}`), short: t(`sort.${sort}.short`),
      run: () => navigation.goSort(sort),
    }), t, parts.sorts.isMany ? item({
      icon: ICONS.sort, text: t("sorts.choose"), told: t.number(sorts.length), t,
      run: () => parts.sorts.choose(),
    }) : "")}
    ${group(t("filter"), choices.filters, list.filter, (filter) => ({
      icon: ICONS[filter], text: t(`filter.${filter}`), run: () => navigation.goFilter(filter),
      count: totals.here(list, filter),
    }), t)}
    ${presenceNav(t)}
    <div class="nav-space"></div>
    ${syncState(parts)}
    <div class="nav-self">${parts.acting?.part?.ownState(parts) ?? ""}</div>
    <div class="nav-foot">
      <button type="button" class="nav-help" title=${t("help.title")}
        aria-label=${t("help.title")} @click=${() => parts.helpDialog.open()}
        ><span class="nav-icon nav-touch">${ICONS.help}</span><kbd>?</kbd
        ><span class="nav-text">${t("help.short")}</span><span class="nav-short">${
          t("help.short")}</span></button>
      <button type="button" class="nav-help nav-palette" title=${t("palette")}
        aria-label=${t("palette")} @click=${() => parts.palette.open()}
        ><span class="nav-icon nav-touch">${ICONS.palette}</span><kbd>Ctrl K</kbd
        ><span class="nav-short">${t("palette.short")}</span></button>
      <button type="button" class="nav-settings" aria-label=${t("settings")} title=${t("settings")}
        @click=${() => parts.settingsDialog.open()}>${ICONS.settings}<span
          class="nav-short">${t("settings")}</span></button>
    </div>`;
}

// The server may have sorts that have no icon of their own.
const sortIcon = (sort) => ICONS[globalThis.document?.getElementById(`icon-sort_${sort}`)
  ? `sort_${sort}` : "sort"];

/** @param {Content} last */
function group(title, names, current, itemOf, t, last = "") {
  return html`<div class="nav-group" role="group" aria-label=${title}>
    <div class="nav-heading nav-text" aria-hidden="true">${title}</div>
    ${names.map((name) => item({ ...itemOf(name), current: current === name, t }))}${last}</div>`;
}

// Whether the list is current, in words.
function syncState(parts) {
  const { lists: { sync }, connectionState, connection, liveness, now, language: { t, words } } = parts;
  const good = connectionState.online && connection.connected && liveness.silentSince === null
    && connectionState.lateSince === null && sync.state !== "failed";
  const at = sync.syncedAt;
  const ago = at === null ? "" : words.long(age(at, now()));
  const synced = ago && t("sync.last", { time: ago });
  return html`<div class="line" data-state=${good ? "good" : "bad"} title=${synced}>
    <span class="line-dot" aria-hidden="true"></span>
    <span class="nav-text">${t(good ? "sync.good" : "sync.bad")}</span></div>`;
}
