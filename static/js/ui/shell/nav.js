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
  const { data: { lists: { list }, totals }, ui: { keymap, language: { t } } } = page;
  const { navigation } = page.acts;
  return html`
    <div class="brand"><span class="brand-mark" aria-hidden="true"></span
      ><span class="nav-text">Lineup</span></div>
    <div class="nav-group">
      ${navItem({
        icon: ICONS.search, text: t("search"), told: html`<kbd>/</kbd>`, t,
        run: () => page.ui.search.open(),
      })}
      ${PLACES.map((view) => navItem({
        icon: ICONS[view], text: t(`view.${view}`), kind: view, current: list.view === view,
        about: keymap.keysOf(`view:${view}`), count: totals.of(view),
        t, run: () => navigation.goView(view),
      }))}
    </div>
    ${savedViews(page)}
    ${page.acts.unsent?.part?.items(page.ui.unsentDialog) ?? ""}
    ${presenceNav(t)}
    <div class="nav-space"></div>
    <div class="nav-self">${page.acts.acting?.part?.ownState(page) ?? ""}</div>
    <div class="nav-foot">
      <button type="button" class="nav-help" title=${t("help.title")}
        aria-label=${t("help.title")} @click=${() => page.ui.helpDialog.open()}
        ><span class="nav-icon nav-touch">${ICONS.help}</span><kbd>?</kbd
        ><span class="nav-text">${t("help.short")}</span><span class="nav-short">${
          t("help.short")}</span></button>
      <button type="button" class="nav-help nav-palette" title=${t("palette")}
        aria-label=${t("palette")} @click=${() => page.ui.palette.open()}
        ><span class="nav-icon nav-touch">${ICONS.palette}</span><kbd>Ctrl K</kbd
        ><span class="nav-short">${t("palette.short")}</span></button>
      <button type="button" class="nav-settings" aria-label=${t("settings")} title=${t("settings")}
        @click=${() => page.acts.openSettings()}>${ICONS.settings}<span
          class="nav-short">${t("settings")}</span></button>
    </div>`;
}

// The saved views in the left column, of the admin, of desks and of everybody, in one order.
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

/** @param {Page} page */
export function savedViews(page) {
  const { data: { savedViews: { list }, lists }, ui: { language: { t } }, acts: { openSettings } } = page;
  return html`<div class="nav-group nav-views" role="group" aria-label=${t("views")}>
    <div class="nav-heading"><span class="nav-text" aria-hidden="true">${t("views")}</span>
      <button type="button" class="nav-heading-act" aria-label=${t("views.manage")}
        title=${t("views.manage")} @click=${() => openSettings("views")}
        >${list.length ? ICONS.settings : ICONS.add}</button></div>
    <div class="nav-views-list" @keydown=${(event) => moved(event, page)}
      @pointerdown=${(event) => page.ui.viewDrag.press(event)}
      >${repeat(list, ({ id }) => id, (view) => entry(view, page))}</div>
    <button type="button" class="nav-item nav-views-all" aria-label=${t("views.manage")}
      aria-current=${String(isSaved(lists.list.view))}
      title=${t("views.manage")} @click=${() => openSettings("views")}
      ><span class="nav-icon">${ICONS.views}</span><span class="nav-short" aria-hidden="true"
      >${t("views.short")}</span></button></div>`;
}

/** @param {SavedView} view @param {Page} page */
function entry({ id, name, query, owner, total }, page) {
  const { data: { lists, totals }, ui: { viewDrag, language: { t } }, acts: { navigation } } = page;
  return html`<div class="nav-view" data-view=${id} ?data-dragged=${viewDrag.id === id}
    >${navItem({
      icon: ICONS[owner === "me" ? "view" : "view_shared"], text: shown(name),
      about: [ownerText(owner, t), shown(query)].join("\n"),
      current: lists.list.view === id, count: totals.of(id) ?? total ?? undefined,
      keys: "Alt+ArrowUp Alt+ArrowDown", t, run: () => navigation.goView(id),
    })}</div>`;
}

function ownerText(owner, t) {
  const desk = deskOf(owner);
  if (desk) return t("views.of_desk", { desk });
  return t(owner === "me" ? "views.of_me" : "views.of_all");
}

// Alt and an arrow key move the focused view; it keeps the focus.
function moved(event, { data: { savedViews: views }, ui: { painter, announce, language: { t } } }) {
  const step = event.altKey && STEPS[event.key];
  const id = event.target.closest("[data-view]")?.dataset.view;
  if (!step || !id) return;
  event.preventDefault();
  const place = views.list.findIndex((view) => view.id === id);
  if (!views.move(id, place + step)) return;
  painter.ask("nav");
  // An element loses the focus when it is moved in the page.
  const { target } = event;
  requestAnimationFrame(() => target.focus());
  announce(t("views.moved", {
    name: views.of(id).name, place: place + step + 1, total: views.list.length,
  }));
}

// A line of the left column: an icon, a name and a count.

// short: the text below the icon in a narrow window; told: the text at the end of the line; about: further
// lines of the tooltip; kind: selects the style; keys: handlers of keys while it has the focus.
/** @param {any} given */
function navItem({
  icon, text, short = text, about = "", count, told, current, kind = nothing, keys = nothing, t, run,
}) {
  const number = count === undefined ? "" : t.number(count);
  return html`<button type="button" class="nav-item" data-kind=${kind} aria-current=${current ? "true" : "false"}
    aria-label=${number ? `${text}, ${number}` : text} title=${about ? `${text}\n${about}` : text}
    aria-keyshortcuts=${keys} @click=${run}
    ><span class="nav-icon">${icon}</span><span class="nav-text">${text}</span>
    <span class="nav-short" aria-hidden="true">${short}</span>
    <span class="nav-count" translate="no" data-compact=${count >= 1000 ? t.compact(count) : nothing}
      >${told ?? number}</span></button>`;
}
