// The dialog with all saved views: opens, moves, edits, deletes and saves them.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { matching } from "../../core/find.js";
import { mayEdit } from "../../core/list/saved-views.js";
import { shown } from "../../core/names.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";

const FILTER_FROM = 8; // fewer views are seen at a glance

export class ViewsDialog extends PageModule {
  #words = "";
  #told = ""; // text for screen readers, which do not read outside of the dialog

  open() {
    this.#words = "";
    this.#told = "";
    this.ui.dialog.open(() => this.ui.language.t("views"), () => this.#content());
    const { element } = this.ui.dialog;
    /** @type {HTMLElement} */ (element.querySelector(".views-filter, .views-open, .views-new"))?.focus();
  }

  #content() {
    const { t } = this.ui.language;
    const { list } = this.data.savedViews;
    const found = matching(list.map((view) => ({ text: view.name, also: view.query, view })), this.#words)
      .map(({ view }) => view);
    const whole = !this.#words.trim();
    return html`${list.length > FILTER_FROM || this.#words ? html`<input class="views-filter"
        type="search" aria-label=${t("views.filter")} placeholder=${t("views.filter")}
        .value=${this.#words} @input=${({ target }) => this.#filter(target.value)}>` : ""}
      ${list.length ? "" : html`<p class="help-note">${t("views.about")}</p>`}
      ${list.length && !found.length ? html`<p class="help-note" role="status">${t("search.nothing")}</p>` : ""}
      <ul class="views-list">${repeat(whole ? list : found, ({ id }) => id, (view) => (
        this.#item(view, whole)))}</ul>
      ${["snoozed", "mentions"].map((view) => this.#builtIn(view))}
      <p class="unseen" role="status">${this.#told}</p>
      <div class="form-acts"><button type="button" class="button button-accent views-new"
        @click=${() => this.#edit({ query: "" })}>${t("view.new")}</button></div>`;
  }

  #item(view, movable) {
    const { t } = this.ui.language;
    const name = shown(view.name);
    const total = this.data.totals.of(view.id) ?? view.total;
    const current = this.data.lists.list.view === view.id;
    return html`<li class="views-item" data-view=${view.id}>
      <button type="button" class="views-open" aria-current=${String(current)} title=${name}
        @click=${() => this.#open(view)}><span class="views-icon">${
          ICONS[view.owner === "me" ? "view" : "view_shared"]}</span><span class="views-text"><span
        class="views-name" dir="auto">${name}</span><span class="views-query" dir="auto">${
          shown(view.query) || t("query.all")}</span></span><span class="views-total">${
          total === undefined || total === null ? "" : t.number(total)}</span></button>
      ${movable ? this.#moves(view, name) : ""}
      <button type="button" class="icon-button views-edit" ?disabled=${!mayEdit(view, this.data.admin)}
        aria-label=${`${t("view.edit")}: ${name}`} title=${t("view.edit")}
        @click=${() => this.#edit(view)}>${ICONS.draft}</button></li>`;
  }

  // A built-in view, shown on phones, where the navigation has no room for it.
  #builtIn(view) {
    const { data: { lists: { list } }, ui: { language: { t } } } = this;
    return html`<div class="views-item views-built-in" data-view=${view}><button type="button" class="views-open"
      aria-current=${String(list.view === view)} @click=${() => this.#open({ id: view })}
      ><span class="views-icon">${ICONS[view]}</span><span class="views-text"
      ><span class="views-name">${t(`view.${view}`)}</span></span><span class="views-total">${
        t.number(this.data.totals.of(view) ?? 0)}</span></button></div>`;
  }

  #moves(view, name) {
    const { t } = this.ui.language;
    const { list } = this.data.savedViews;
    const place = list.indexOf(view);
    return [["up", -1, 0], ["down", 1, list.length - 1]].map(([key, step, end]) => html`<button
      type="button" class="icon-button views-${key}" ?disabled=${place === end}
      aria-label=${`${t(`views.${key}`)}: ${name}`} title=${t(`views.${key}`)}
      @click=${() => this.#move(view, step)}>${ICONS[key]}</button>`);
  }

  #filter(words) {
    this.#words = words;
    this.ui.dialog.paint();
  }

  #open({ id }) {
    this.ui.dialog.close();
    this.acts.navigation.goView(id);
  }

  /** @param {{id?: string, query: string}} view */
  #edit({ id, query }) { this.ui.viewEditor.open(id ? { id } : { query }); }

  #move({ id, name }, step) {
    const { list } = this.data.savedViews;
    const place = list.findIndex((view) => view.id === id) + step;
    if (!this.data.savedViews.move(id, place)) return;
    this.#told = this.ui.language.t("views.moved", { name, place: place + 1, total: list.length });
    this.ui.painter.ask("nav");
    this.ui.dialog.paint();
    // At an end the pressed button is disabled, so the other one gets the focus.
    const item = this.ui.dialog.element.querySelector(`[data-view="${id}"]`);
    const [up, down] = [".views-up", ".views-down"].map((each) => (
      /** @type {HTMLButtonElement} */ (item.querySelector(each))));
    const pressed = step < 0 ? up : down;
    (pressed.disabled ? (pressed === up ? down : up) : pressed).focus();
  }
}
