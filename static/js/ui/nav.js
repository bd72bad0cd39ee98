// The left column: pages with their totals, sorts, filters, the state of the line, settings.

import { html } from "lit-html";

import { FILTERS, PAGES, SORTS } from "../core/route.js";
import { age } from "../core/time.js";
import { ICONS } from "./icons.js";
import { presenceNav } from "./presence-desk.js";

export function nav(desk) {
  const { t, place } = desk;
  return html`
    <div class="brand"><span class="brand-mark" aria-hidden="true"></span
      ><span class="nav-text">Lineup</span></div>
    <div class="nav-group">
      ${searchItem(desk)}
      ${PAGES.map((page) => item({
        icon: ICONS[page], text: t(`page.${page}`), current: place.page === page,
        count: desk.total(page, place.page === page ? place.filter : "all"),
        t, run: () => desk.goPage(page),
      }))}
    </div>
    ${group(t("sort"), SORTS, place.sort, (sort) => ({
      icon: ICONS.sort, text: t(`sort.${sort}`), run: () => desk.goSort(sort),
    }), t)}
    ${group(t("filter"), FILTERS, place.filter, (filter) => ({
      icon: ICONS[filter], text: t(`filter.${filter}`), run: () => desk.goFilter(filter),
      count: ["all", place.filter].includes(filter) ? desk.total(place.page, filter) : undefined,
    }), t)}
    ${presenceNav(desk)}
    <div class="nav-space"></div>
    ${line(desk)}
    <div class="nav-foot">
      <button type="button" class="nav-help" @click=${() => desk.help()} title=${t("help.title")}
        ><kbd>?</kbd><span class="nav-text">${t("help.short")}</span></button>
      <button type="button" class="nav-help nav-palette" title=${t("palette")}
        aria-label=${t("palette")}
        @click=${() => desk.palette.open()}><kbd>Ctrl K</kbd></button>
      <button type="button" class="nav-settings" aria-label=${t("settings")} title=${t("settings")}
        @click=${() => desk.settingsDialog.open()}>${ICONS.settings}</button>
    </div>`;
}

function group(title, names, current, itemOf, t) {
  return html`<div class="nav-group" role="group" aria-label=${title}>
    <div class="nav-heading nav-text" aria-hidden="true">${title}</div>
    ${names.map((name) => item({ ...itemOf(name), current: current === name, t }))}</div>`;
}

const searchItem = ({ t, search }) => html`<button type="button" class="nav-item"
  title=${t("search")}
  aria-keyshortcuts="/" @click=${() => search.open()}><span class="nav-icon">${ICONS.search}</span
  ><span class="nav-text">${t("search")}</span><span
    class="nav-count"><kbd>/</kbd></span></button>`;

function item({ icon, text, count, current, t, run }) {
  return html`<button type="button" class="nav-item" aria-current=${current ? "true" : "false"}
    title=${text} @click=${run}
    ><span class="nav-icon">${icon}</span><span class="nav-text">${text}</span>
    <span class="nav-count">${count === undefined ? "" : t.number(count)}</span></button>`;
}

// Whether what is seen is fresh, in words.
function line(desk) {
  const { t, sync, connection, online } = desk;
  const good = online && connection.connected && !desk.late && sync.state !== "failed";
  const at = sync.syncedAt;
  const ago = at === null ? "" : desk.words.long(age(at, desk.now()));
  const synced = ago && t("line.synced", { time: ago });
  return html`<div class="line" data-state=${good ? "good" : "bad"} title=${synced}>
    <span class="line-dot" aria-hidden="true"></span>
    <span class="nav-text">${t(good ? "line.good" : "line.bad")}</span></div>`;
}
