// The saved views in the left column: those of the admin, of desks and of everybody, in one order.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { deskOf } from "../../core/list/saved-views.js";
import { isSaved } from "../../core/route.js";
import { shown } from "../../core/shown.js";
import { ICONS } from "../elements/icons.js";
import { navItem } from "../elements/nav-item.js";

const STEPS = { ArrowUp: -1, ArrowDown: 1 };

/** @param {NavViewsParts} parts */
export function savedViews(parts) {
  const { savedViews: { list }, lists, viewsDialog, language: { t } } = parts;
  return html`<div class="nav-group nav-views" role="group" aria-label=${t("views")}>
    <div class="nav-heading"><span class="nav-text" aria-hidden="true">${t("views")}</span>
      <button type="button" class="nav-heading-act" aria-label=${t("views.manage")}
        title=${t("views.manage")} @click=${() => viewsDialog.open()}
        >${list.length ? ICONS.settings : ICONS.add}</button></div>
    <div class="nav-views-list" @keydown=${(event) => moved(event, parts)}
      @pointerdown=${(event) => parts.viewDrag.press(event)}
      >${repeat(list, ({ id }) => id, (view) => entry(view, parts))}</div>
    <button type="button" class="nav-item nav-views-all" aria-label=${t("views.manage")}
      aria-current=${String(isSaved(lists.list.view))}
      title=${t("views.manage")} @click=${() => viewsDialog.open()}
      ><span class="nav-icon">${ICONS.views}</span><span class="nav-short" aria-hidden="true"
      >${t("views.short")}</span></button></div>`;
}

/** @param {SavedView} view @param {NavViewsParts} parts */
function entry({ id, name, query, owner, total }, parts) {
  const { lists, totals, navigation, viewDrag, language: { t } } = parts;
  return html`<div class="nav-view" data-view=${id} ?data-dragged=${viewDrag.id === id}
    >${navItem({
      icon: ICONS[owner === "me" ? "view" : "view_shared"], text: shown(name),
      about: [ownerText(owner, t), shown(query)].join("\n"),
      current: lists.list.view === id, count: totals.of(id, "all") ?? total ?? undefined,
      keys: "Alt+ArrowUp Alt+ArrowDown", t, run: () => navigation.goView(id),
    })}</div>`;
}

function ownerText(owner, t) {
  const desk = deskOf(owner);
  if (desk) return t("views.of_desk", { desk });
  return t(owner === "me" ? "views.of_me" : "views.of_all");
}

// Alt and an arrow move the view that has the focus; it keeps the focus.
function moved(event, { savedViews: views, painter, announce, language: { t } }) {
  const step = event.altKey && STEPS[event.key];
  const id = event.target.closest("[data-view]")?.dataset.view;
  if (!step || !id) return;
  event.preventDefault();
  const place = views.list.findIndex((view) => view.id === id);
  if (!views.move(id, place + step)) return;
  painter.ask("nav");
  // An element that is moved in the page loses the focus.
  const { target } = event;
  requestAnimationFrame(() => target.focus());
  announce(t("views.moved", {
    name: views.of(id).name, place: place + step + 1, total: views.list.length,
  }));
}
