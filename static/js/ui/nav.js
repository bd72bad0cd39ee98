// The left column: pages with their totals, sorts, filters, the state of the line, settings.

import { html } from "lit-html";

import { LOCALES } from "../core/i18n.js";
import { FILTERS, PAGES, SORTS } from "../core/route.js";
import { age } from "../core/time.js";
import { ICONS } from "./icons.js";
import { menu } from "./menu.js";
import { THEMES } from "./theme.js";

const LANGUAGE_NAMES = { en: "English", vi: "Tiếng Việt", ja: "日本語" };

export function nav(desk) {
  const { t, place } = desk;
  return html`
    <div class="brand"><span class="brand-mark" aria-hidden="true"></span
      ><span class="nav-text">Lineup</span></div>
    <div class="nav-group">
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
      count: filter === "all" || filter === place.filter ? desk.total(place.page, filter) : undefined,
    }), t)}
    <div class="nav-space"></div>
    ${line(desk)}
    <div class="nav-foot">
      <button type="button" class="nav-help" @click=${() => desk.help.open()} title=${t("help.title")}
        ><kbd>?</kbd><span class="nav-text">${t("help.short")}</span></button>
      ${settings(desk)}
    </div>`;
}

function group(title, names, current, itemOf, t) {
  return html`<div class="nav-group" role="group" aria-label=${title}>
    <div class="nav-heading nav-text" aria-hidden="true">${title}</div>
    ${names.map((name) => item({ ...itemOf(name), current: current === name, t }))}</div>`;
}

function item({ icon, text, count, current, t, run }) {
  return html`<button type="button" class="nav-item" aria-current=${current ? "true" : "false"}
    title=${text} @click=${run}
    ><span class="nav-icon">${icon}</span><span class="nav-text">${text}</span>
    <span class="nav-count">${count === undefined ? "" : t.number(count)}</span></button>`;
}

// Whether what is seen is fresh, in words.
function line(desk) {
  const { t, sync, connection } = desk;
  const good = connection.connected && !desk.late && sync.state !== "failed";
  const at = sync.syncedAt;
  const synced = at === null ? "" : t("line.synced", { time: desk.words.long(age(at, desk.now())) });
  return html`<div class="line" data-state=${good ? "good" : "bad"} title=${synced}>
    <span class="line-dot" aria-hidden="true"></span>
    <span class="nav-text">${t(good ? "line.good" : "line.bad")}</span></div>`;
}

function settings(desk) {
  const { t, admin, theme, language, keymap } = desk;
  return menu({
    id: "settings-menu",
    label: t("settings"),
    className: "nav-settings",
    text: ICONS.settings,
    items: [
      { heading: html`<bdi>${admin.name}</bdi> · ${admin.email}` },
      { heading: t("theme") },
      ...THEMES.map((name) => ({
        text: t(`theme.${name}`), checked: theme.name === name, run: () => desk.settings.theme(name),
      })),
      { heading: t("language") },
      ...LOCALES.map((locale) => ({
        text: LANGUAGE_NAMES[locale], checked: language.locale === locale,
        run: () => desk.settings.language(locale),
      })),
      { heading: t("keys") },
      ...[true, false].map((on) => ({
        text: t(on ? "keys.on" : "keys.off"), checked: keymap.lettersOn === on,
        run: () => desk.settings.keys(on),
      })),
      { heading: t("account") },
      { text: t("sign_out"), run: () => desk.settings.signOut() },
    ],
  });
}
