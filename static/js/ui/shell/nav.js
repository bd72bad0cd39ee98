// The left column: places and views with their totals, own texts, people, settings.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { deskOf } from "../../core/list/saved-views.js";
import { shown } from "../../core/names.js";
import { PLACES } from "../../core/places.js";
import { isSaved } from "../../core/route.js";
import { ICONS } from "../elements/icons.js";
import { presenceNav } from "../presence/panels.js";

/** @param {Page} page */
export function nav(page) {
  const { ui: { language: { t } } } = page;
  return html`
    <div class="brand"><span class="brand-mark" aria-hidden="true"></span
      ><span class="nav-text">Lineup</span></div>
    <div class="nav-group nav-places">
      ${navItem({
        icon: ICONS.search, text: t("search"), kind: "search", told: html`<kbd>/</kbd>`, t,
        run: () => page.ui.search.open(),
      })}
      ${PLACES.map((name) => place(name, page))}
      ${more(page)}
    </div>
    ${savedViews(page)}
    ${ownTexts(page)}
    ${presenceNav(t, reports(page))}
    <div class="nav-space"></div>
    ${foot(page)}`;
}

/** @param {string} name @param {Page} page */
function place(name, { data: { lists, totals }, ui: { keymap, language: { t } }, acts: { navigation } }) {
  return navItem({
    icon: ICONS[name], text: t(`view.${name}`), kind: name, current: lists.list.view === name,
    news: name === "mentions" && totals.of(name) > 0,
    about: keymap.keysOf(`view:${name}`), count: totals.of(name) ?? "", t, run: () => navigation.goView(name),
  });
}

// The admin's unsent replies and drafts. Their place is kept where there are none, so that nothing moves
// when the first one comes.
/** @param {Page} page */
function ownTexts({ acts: { unsent }, ui: { unsentDialog, language: { t } } }) {
  const counts = unsent?.part?.counts() ?? { draft: 0, unsent: 0 };
  return html`<div class="nav-group nav-own">${Object.keys(counts).map((kind) => navItem({
    icon: ICONS[kind], text: t(`nav.${kind}`), kind, count: counts[kind], t, run: () => unsentDialog.open(),
  }))}</div>`;
}

// Supervisors have their reports beside the people.
/** @param {Page} page */
function reports({ data: { settingsPages }, ui: { language: { t } }, acts }) {
  return settingsPages.includes("reports") ? navItem({
    icon: ICONS.reports, text: t("reports"), t, run: () => acts.openSettings("reports"),
  }) : "";
}

/** @param {Page} page */
function foot(page) {
  const { ui, ui: { language: { t } } } = page;
  return html`<div class="nav-self">${page.acts.acting?.part?.ownState(page) ?? ""}</div>
    <div class="nav-foot">
      <button type="button" class="nav-help" title=${t("help.title")}
        aria-label=${t("help.title")} @click=${() => ui.helpDialog.open()}
        ><span class="nav-icon nav-touch">${ICONS.help}</span><kbd aria-hidden="true">?</kbd
        ><span class="nav-short">${t("help.short")}</span></button>
      <button type="button" class="nav-help nav-palette" title=${`${t("palette")}, Ctrl K`}
        @click=${() => ui.palette.open()}
        ><span class="nav-icon nav-touch">${ICONS.palette}</span><span class="nav-text"
          >${t("palette.short")}</span><kbd aria-hidden="true">Ctrl K</kbd></button>
      <button type="button" class="nav-settings" aria-label=${t("settings")} title=${t("settings")}
        @click=${() => page.acts.openSettings()}>${ICONS.settings}<span
          class="nav-short">${t("settings")}</span></button>
    </div>`;
}

// On a phone the bar has room for these places alone; "More" opens a sheet with all the rest.
const BAR = ["mine", "not_respond", "arrival", "snoozed"];

/** @param {Page} page */
function more(page) {
  const { data: { lists: { list }, totals }, acts: { unsent }, ui: { dialog, language: { t } } } = page;
  const news = (totals.of("mentions") ?? 0) + (unsent?.part?.counts().unsent ?? 0);
  return navItem({
    icon: ICONS.more, text: t("nav.more"), kind: "more", current: !BAR.includes(list.view),
    count: news || "", t, run: () => dialog.open(() => t("nav.more"), () => sheet(page)),
  });
}

// A press on a row closes the sheet first.
/** @param {Page} page */
function sheet(page) {
  const { data: { savedViews: { list } }, ui: { dialog, viewEditor, language: { t } }, acts: { openSettings } } = page;
  const press = {
    handleEvent: ({ target }) => target.closest("button") && dialog.close(), capture: true,
  };
  return html`<div class="nav-sheet" @click=${press}>
    <div class="nav-group">${PLACES.filter((name) => !BAR.includes(name)).map((name) => place(name, page))}</div>
    <div class="nav-group">
      ${list.map((view) => entry(view, page))}
      ${navItem({ icon: ICONS.add, text: t("view.new"), t, run: () => viewEditor.open() })}
      ${navItem({ icon: ICONS.views, text: t("views.manage"), t, run: () => openSettings("views") })}
    </div>
    ${ownTexts(page)}
    ${presenceNav(t, reports(page))}
    <div class="nav-group">${foot(page)}</div></div>`;
}

// The saved views in the left column, of the admin, of desks and of everybody, in one order.
/** @param {Page} page */
export function savedViews(page) {
  const { data: { savedViews: { list }, lists }, ui: { viewEditor, language: { t } }, acts: { openSettings } } = page;
  return html`<div class="nav-group nav-views" role="group" aria-label=${t("views")}>
    <div class="nav-heading"><span class="nav-text" aria-hidden="true">${t("views")}</span>
      ${list.length ? headingAct("views.manage", ICONS.settings, () => openSettings("views"), t) : ""}
      ${headingAct("view.new", ICONS.add, () => viewEditor.open(), t)}</div>
    <div class="nav-views-list" @keydown=${(event) => page.ui.viewDrag.key(event)}
      @pointerdown=${(event) => page.ui.viewDrag.press(event)}
      >${repeat(list, ({ id }) => id, (view) => entry(view, page))}</div>
    <button type="button" class="nav-item nav-views-all" aria-label=${t("views.manage")}
      aria-current=${String(isSaved(lists.list.view))}
      title=${t("views.manage")} @click=${() => openSettings("views")}
      ><span class="nav-icon">${ICONS.views}</span><span class="nav-short" aria-hidden="true"
      >${t("views.short")}</span></button></div>`;
}

const headingAct = (key, icon, run, t) => html`<button type="button" class="nav-heading-act"
  aria-label=${t(key)} title=${t(key)} @click=${run}>${icon}</button>`;

/** @param {SavedView} view @param {Page} page */
function entry({ id, name, query, owner, total }, page) {
  const { data: { lists, totals }, ui: { viewDrag, language: { t } }, acts: { navigation } } = page;
  return html`<div class="nav-view" data-view=${id} ?data-dragged=${viewDrag.id === id}
    >${navItem({
      icon: ICONS[owner === "me" ? "view" : "view_shared"], text: shown(name),
      about: [ownerText(owner, t), shown(query)].join("\n"),
      current: lists.list.view === id, count: totals.of(id) ?? total ?? "",
      keys: "Alt+ArrowUp Alt+ArrowDown", t, run: () => navigation.goView(id),
    })}</div>`;
}

function ownerText(owner, t) {
  const desk = deskOf(owner);
  if (desk) return t("views.of_desk", { desk });
  return t(owner === "me" ? "views.of_me" : "views.of_all");
}

// A line of the left column: an icon, a name and a count.
const COMPACT_FROM = 100_000; // on a phone

// count: a number, "" where it comes later or may come, undefined where there is none; told: the text at the end
// of the line; about: further lines of the tooltip; news: whether the count asks for attention; kind: selects the style; keys: handlers of keys while it has
// the focus.
/** @param {any} given */
function navItem({
  icon, text, about = "", count, told = nothing, current, news = false, kind = nothing, keys = nothing, t, run,
}) {
  const number = typeof count === "number" ? t.number(count) : "";
  return html`<button type="button" class="nav-item" data-kind=${kind} ?data-news=${news} aria-current=${current ? "true" : "false"}
    aria-label=${number ? `${text}, ${number}` : text} title=${about ? `${text}\n${about}` : text}
    aria-keyshortcuts=${keys} ?data-none=${count === 0} @click=${run}
    ><span class="nav-icon">${icon}</span><span class="nav-text">${text}</span>
    ${count === undefined ? told : html`<span class="nav-count" translate="no"
      data-compact=${count >= COMPACT_FROM ? t.compact(count) : nothing}>${number}</span>`}</button>`;
}
