// The page of all saved views: opens, moves, edits and makes them. The editor is the dialog of the desk.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { matching } from "../core/find.js";
import { deskOf, mayEdit } from "../core/list/saved-views.js";
import { shown } from "../core/names.js";
import { emptyState } from "../ui/elements/empty.js";
import { ICONS } from "../ui/elements/icons.js";
import { moveButtons } from "../ui/query/reorder.js";
import { SettingsPage } from "./elements.js";

const FILTER_FROM = 8; // fewer views are seen at a glance

export class ViewsPage extends SettingsPage {
  #words = "";

  get action() { return { text: this.t("view.new"), run: () => this.ui.viewEditor.open({ query: "" }) }; }

  content() {
    const { t, data: { savedViews: { list } } } = this;
    const found = matching(list.map((view) => ({ text: view.name, also: view.query, view })), this.#words)
      .map(({ view }) => view);
    const whole = !this.#words.trim();
    return html`<p class="set-help">${t("views.about")}</p>
      ${list.length > FILTER_FROM || this.#words ? html`<input class="views-filter"
        type="search" aria-label=${t("views.filter")} placeholder=${t("views.filter")}
        .value=${this.#words} @input=${({ target }) => this.#filter(target.value)}>` : ""}
      ${list.length && !found.length ? html`<p class="help-note"
        role="status">${t("search.nothing")}</p>` : ""}
      ${list.length ? "" : emptyState({ icon: ICONS.views, title: t("views.none"), acts: [this.action] })}
      <ul class="views-list">${repeat(whole ? list : found, ({ id }) => id, (view) => this.#item(view,
        whole))}</ul>`;
  }

  #item(view, movable) {
    const { t, data: { savedViews: { list }, lists, totals, admin } } = this;
    const { id, query, owner } = view;
    const name = shown(view.name);
    const total = totals.of(id) ?? view.total;
    const said = (key) => ({ label: `${t(`views.${key}`)}: ${name}`, title: t(`views.${key}`) });
    return html`<li class="views-item" data-view=${id}>
      <button type="button" class="views-open" aria-current=${String(lists.list.view === id)} title=${name}
        @click=${() => this.acts.navigation.goView(id)}><span class="views-icon">${
          ICONS[owner === "me" ? "view" : "view_shared"]}</span><span class="views-text"><span
        class="views-name" dir="auto">${name}</span><span class="views-query" dir="auto">${
          this.#owner(owner)} · ${shown(query) || t("query.all")}</span></span><span class="views-total">${
          total === undefined || total === null ? "" : t.number(total)}</span></button>
      <span class="views-acts">${movable ? moveButtons({
        at: list.indexOf(view), count: list.length, className: "views", said, move: (to) => this.#move(view,
          to),
      }) : ""}<button type="button" class="icon-button views-edit" ?disabled=${!mayEdit(view, admin)}
        aria-label=${`${t("view.edit")}: ${name}`} title=${t("view.edit")}
        @click=${() => this.ui.viewEditor.open({ id })}>${ICONS.draft}</button></span></li>`;
  }

  #owner(owner) {
    const { t } = this;
    const desk = deskOf(owner);
    return desk ? t("view.owner.desk", { desk }) : t(`view.owner.${owner}`);
  }

  #filter(words) {
    this.#words = words;
    this.area.paint();
  }

  #move({ id, name }, place) {
    const { list } = this.data.savedViews;
    if (!this.data.savedViews.move(id, place)) return;
    this.area.say(this.t("views.moved", { name, place: place + 1, total: list.length }));
    this.ui.painter.ask("nav");
  }
}
