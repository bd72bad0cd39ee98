// Over the list: which list this is, how many, what is new above, whether it is live.

import { html } from "lit-html";

import { keysOf } from "../core/keymap.js";
import { FILTERS, SORTS } from "../core/route.js";
import { ICONS } from "./icons.js";
import { menu } from "./menu.js";

export function header(desk) {
  const { t, place } = desk;
  if (desk.picks.size) return desk.bulk.bar();
  const total = desk.listing.ready ? desk.listing.view.total : desk.total(place.page, place.filter);
  return html`
    <div class="header-name"><h2 class="header-title"
      id="list-title">${t(`page.${place.page}`)}</h2>
      ${place.filter === "all" ? "" : html`<div
        class="header-filter">${t(`filter.${place.filter}`)}</div>`}</div>
    <span class="header-total" aria-label=${t("header.total", { count: total ?? 0 })}
      >${total === undefined ? "" : t.number(total)}</span>
    <span class="header-space"></span>
    <span class="news-slot">${news(desk)}</span>
    ${live(desk)}
    ${sorts(desk)}`;
}

function news(desk) {
  const count = desk.listing.news.size;
  if (!count) return "";
  return html`<button type="button" class="button button-accent news" aria-keyshortcuts="Home"
    @click=${() => desk.toTop()}>↑ ${desk.t("header.news", { count })}</button>`;
}

function live(desk) {
  const { t } = desk;
  const state = desk.sync.state === "live" || desk.sync.state === "syncing"
    ? desk.hold.state(desk.now()) : "waiting";
  return html`<button type="button" class="button live" data-state=${state} aria-keyshortcuts="p"
    aria-pressed=${String(state === "paused")} aria-label=${t(`live.${state}`)}
    title=${t(`live.${state}.title`)}
    @click=${() => desk.togglePause()}
    ><span class="live-mark" aria-hidden="true"></span><span
      class="live-text">${t(`live.${state}`)}</span></button>`;
}

function sorts(desk) {
  const { t, place } = desk;
  const items = [
    { heading: t("sort") },
    ...SORTS.map((sort) => ({
      text: t(`sort.${sort}`), key: keysOf(`sort:${sort}`), checked: place.sort === sort,
      run: () => desk.goSort(sort),
    })),
    { heading: t("filter") },
    ...FILTERS.map((filter) => ({
      text: t(`filter.${filter}`), checked: place.filter === filter,
      run: () => desk.goFilter(filter),
    })),
  ];
  return menu({
    id: "sort-menu",
    label: t("header.sort_by", { sort: t(`sort.${place.sort}`) }),
    text: html`<span class="sort-text">${t(`sort.${place.sort}.short`)}</span>${ICONS.down}`,
    items,
    toggled: (open) => desk.menuOpen(open),
    className: "button sort-button",
  });
}
