// The dialog that saves a query as a view, and edits or deletes a saved view.

import { html } from "lit-html";

import { deskOf, ownersOf } from "../../core/list/saved-views.js";
import { shown } from "../../core/names.js";
import { QueryCheck } from "../../core/query/check.js";
import { zoneOf } from "../../core/route.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask, askToDiscard } from "../elements/popover.js";
import { QueryField, saidOf } from "./field.js";

const ELSEWHERE = "not_respond"; // the view to go to from one that was deleted

export class ViewEditor extends PageModule {
  #edited = null; // {id?, name, query, sort, owner, changed_at?}
  #before = ""; // the query as it was saved
  #begun = ""; // what was written when the form was opened
  #isBlank = false; // whether it began without a query
  #theirs = null; // the version that somebody else has saved meanwhile
  #problem = "";
  #busy = false;
  #desks = []; // names of all desks, once loaded

  /** @param {Page} page */
  constructor(page) {
    super(page);
    const changed = () => this.#paint();
    this.check = new QueryCheck({ ask: (query) => this.#preview(query), right() {}, changed });
    this.field = new QueryField({
      id: "view-query", api: this.net.api, language: this.ui.language, changed, begins: true,
      typed: (query) => {
        this.#edited.query = query;
        this.#clean();
        this.check.type(query);
      },
      entered: () => this.#form?.requestSubmit(),
    });
  }

  get #form() { return this.ui.dialog.element.querySelector("form"); }

  // given: {id} of a saved view, or {query, sort} of a new one.
  /** @param {{id?: string, query?: string, sort?: string}} given */
  open(given = {}) {
    const known = given.id ? this.data.savedViews.of(given.id) : null;
    const { query = "", sort = "arrival" } = given;
    this.#begin(known ?? { name: "", query, sort, owner: "me" });
    this.#show();
    this.#loadDesks();
    /** @type {HTMLInputElement} */ (this.ui.dialog.element.querySelector("[name=name]")).select();
  }

  #show() {
    const { t } = this.ui.language;
    this.ui.dialog.open(
      () => t(this.#edited.id ? "view.edit" : this.#isBlank ? "view.new" : "view.save"), () => this.#content(),
      () => this.check.stop(), () => this.#mayClose(),
    );
    this.field.after();
  }

  #mayClose() {
    if (this.#written() === this.#begun) return true;
    this.#discard();
    return false;
  }

  // If the admin stays, the form is as it was, with the focus in its first field.
  async #discard() {
    if (await askToDiscard(this.ui.dialog, this.ui.language.t)) return;
    this.#show();
    /** @type {HTMLElement} */ (this.ui.dialog.element.querySelector("[name=name]")).focus();
  }

  #written() {
    const { name, query, sort, owner } = this.#edited;
    return JSON.stringify([name, query, sort, owner]);
  }

  #paint() {
    if (!this.#form) return;
    this.ui.dialog.paint();
    this.field.after();
  }

  #begin(view) {
    this.#edited = { ...view };
    this.#begun = this.#written();
    this.#before = view.id ? view.query : "";
    this.#isBlank = !view.id && !view.query;
    this.#theirs = null;
    this.#problem = "";
    this.#busy = false;
    this.field.set(view.query);
    this.check.look(view.query);
  }

  #content() {
    const { t } = this.ui.language;
    const { id, name, query, owner } = this.#edited;
    const { view_name_characters: nameMost, query_characters: queryMost } = this.data.limits;
    this.field.mistake = this.check.mistake;
    return html`<form class="form view-form" @submit=${(event) => this.#submit(event)}
        @input=${(event) => this.#typed(event)} @keydown=${(event) => this.#escape(event)}>
      <label>${t("view.name")}<input name="name" required aria-describedby="view-name-left"
        autocomplete="off" dir="auto" .value=${name}></label>
      <p class="form-left" id="view-name-left" role="status" ?data-over=${
        isTooLong(name, nameMost)}>${leftText(name, nameMost, t)}</p>
      <div class="form-field"><span aria-hidden="true">${t("view.conditions")}</span>
        ${this.field.content({ label: t("view.conditions"), describedBy: "view-found" })}</div>
      <p class="form-left" role="status">${leftText(query, queryMost, t)}</p>
      <p class="view-found" id="view-found" role="status">${this.#foundText()}</p>
      ${this.#select("sort", t("sort"), this.data.choices.sorts, (sort) => t(`sort.${sort}`))}
      ${this.data.admin.role === "supervisor"
        ? this.#select("owner", t("view.owner"), ownersOf(this.#desks, owner),
          (each) => this.#ownerText(each)) : ""}
      <p class="form-left" role="status">${roomText(this.#room, owner, t)}</p>
      ${this.#theirs ? this.#conflict() : ""}
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts">
        ${id ? html`<button type="button" class="button view-delete" ?disabled=${this.#busy}
          @click=${() => this.#delete(this.data.savedViews.of(id) ?? this.#edited)}>${t("view.delete")}</button>` : ""}
        <button type="button" class="button" @click=${() => this.ui.dialog.leave()}>${t("cancel")}</button>
        <button type="submit" class="button button-accent" ?disabled=${this.#busy || !this.#fits}
          >${t("save")}</button></div></form>`;
  }

  #select(name, label, values, textOf) {
    const value = this.#edited[name];
    return html`<label class="setting">${label}<select name=${name}>${values.map((each) => html`<option
      value=${each} ?selected=${each === value}>${textOf(each)}</option>`)}</select></label>`;
  }

  #ownerText(owner) {
    const { t } = this.ui.language;
    const desk = deskOf(owner);
    return desk ? t("view.owner.desk", { desk }) : t(`view.owner.${owner}`);
  }

  // Without desks, a view belongs to the admin or to everybody.
  async #loadDesks() {
    if (this.data.admin.role !== "supervisor") return;
    const { desks } = await this.net.api.team().catch(() => ({ desks: [] }));
    this.#desks = desks;
    this.#paint();
  }

  // The number of threads that the view would have now, or the mistake in the query.
  #foundText() {
    const { t } = this.ui.language;
    const { state, mistake, total, error } = this.check;
    if (state === "asking") return t("loading");
    if (mistake) return saidOf(mistake, this.#edited.query, t);
    if (state === "failed") return refusalOf(error, t);
    return total === null ? t("view.matches.many") : t("view.matches", { count: total });
  }

  get #room() {
    const { id, owner } = this.#edited;
    return roomFor(this.data.savedViews.list, owner, id && this.data.savedViews.of(id), this.data.limits);
  }

  // Whether the limits are kept; the text above marks what is too long or too many.
  get #fits() {
    const { name, query } = this.#edited;
    const { view_name_characters: nameMost, query_characters: queryMost } = this.data.limits;
    return !isTooLong(name, nameMost) && !isTooLong(query, queryMost) && !this.#room.isFull;
  }

  #typed({ target }) {
    if (!target.name) return;
    this.#edited[target.name] = target.value;
    this.#problem = "";
    this.#paint();
  }

  // In a search field, Esc would also empty the field.
  #escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    this.ui.dialog.leave();
  }

  #clean() {
    if (!this.#problem) return;
    this.#problem = "";
    this.#paint();
  }

  #preview(query) {
    const { sort, timezone } = this.#edited;
    // The days of a view stay in the time zone of its first writer.
    return this.net.api.previewView({ query, sort, timezone: zoneOf(this.#before) ? timezone : undefined });
  }

  async #submit(event) {
    event.preventDefault();
    const { name, query } = this.#edited;
    const isNew = !this.#edited.id;
    Object.assign(this.#edited, { name: name.trim(), query: query.trim() });
    const timezone = zoneOf(this.#before) ? undefined : zoneOf(query);
    const saved = await this.#try(() => this.net.api.saveView({ ...this.#edited, timezone }));
    if (!saved) return;
    this.ui.dialog.close();
    this.data.savedViews.put(saved);
    this.ui.announce(this.ui.language.t("view.saved", { name: saved.name }));
    if (isNew) this.acts.navigation.goView(saved.id);
  }

  // Asks first: the others who see the view lose it, too.
  async #delete({ id, name, owner }) {
    const { t } = this.ui.language;
    const sure = await ask(this.ui.dialog, {
      title: t("view.delete.title", { name }),
      text: t(owner === "me" ? "view.delete.mine" : "view.delete.shared"),
      yes: t("view.delete"), isRed: true,
    }, t);
    if (!sure || !await this.#try(() => this.net.api.dropView(id).then(() => true))) {
      this.#show();
      return;
    }
    const wasShown = this.data.lists.list.view === id;
    this.data.savedViews.drop(id);
    if (wasShown) this.acts.navigation.instead(ELSEWHERE);
    this.ui.announce(t("view.deleted", { name }));
  }

  // Marks a mistake in the query at its place. Returns whether it did.
  #marks(error) {
    const isMistake = error.code === "invalid_query";
    if (isMistake) this.check.look(this.#edited.query);
    return isMistake;
  }

  async #try(run) {
    this.#busy = true;
    this.#paint();
    try {
      return await run();
    } catch (error) {
      if (error.code === "changed_meanwhile") this.#theirs = error.body.view ?? null;
      this.#problem = this.#theirs || this.#marks(error) ? "" : refusalOf(error, this.ui.language.t);
      return null;
    } finally {
      this.#busy = false;
      this.#paint();
    }
  }

  // Shows the version that somebody else has saved, to be taken or replaced.
  #conflict() {
    const { t } = this.ui.language;
    const theirs = this.#theirs;
    const take = () => {
      this.data.savedViews.put(theirs);
      this.#begin(theirs);
      this.#paint();
    };
    const replace = () => {
      this.#edited.changed_at = theirs.changed_at;
      this.#theirs = null;
      this.#form.requestSubmit();
    };
    return html`<div class="view-conflict" role="alert">
      <p>${t("view.conflict")}</p>
      <dl><dt>${t("view.name")}</dt><dd dir="auto">${shown(theirs.name)}</dd>
        <dt>${t("view.conditions")}</dt><dd dir="auto">${shown(theirs.query) || t("query.all")}</dd>
        <dt>${t("sort")}</dt><dd>${t(`sort.${theirs.sort}`)}</dd></dl>
      <div class="form-acts"><button type="button" class="button view-take" @click=${take}
          >${t("view.conflict.take")}</button>
        <button type="button" class="button view-replace" @click=${replace}
          >${t("view.conflict.replace")}</button></div></div>`;
  }
}

// The limits of views, shown before the server refuses one.
const NEAR_CHARACTERS = 20;
const NEAR_VIEWS = 10;

// The server counts characters (code points), without surrounding blanks.
/** @param {string} text */
const lengthOf = (text) => [...text.trim()].length;

/** @param {string} text @param {number} most */
export const isTooLong = (text, most) => lengthOf(text) > most;

// Returns "" as long as there is enough room.
/** @param {string} text @param {number} most @param {Translate} t @returns {string} */
export function leftText(text, most, t) {
  const left = most - lengthOf(text);
  if (left < 0) return t("composer.too_long", { count: -left });
  return left <= NEAR_CHARACTERS ? t("composer.left", { count: left }) : "";
}

// Returns how many views an owner ("me", a desk, "all") has, of the allowed number, and whether there is room
// for one more. The admin's own views have a limit, and all others have one together. was: the view before
// the change, which needs no new room.
/** @param {Pick<SavedView, "owner">[]} views @param {string} owner @param {SavedView | undefined} was */
export function roomFor(views, owner, was, limits) {
  const isOwn = owner === "me";
  const most = isOwn ? limits.own_views : limits.shared_views;
  const count = views.filter((view) => (view.owner === "me") === isOwn).length;
  const isNew = !was || (was.owner === "me") !== isOwn;
  return { count, most, isFull: isNew && count >= most, isNear: isNew && count >= most - NEAR_VIEWS };
}

/** @param {{count: number, most: number, isFull: boolean, isNear: boolean}} room */
export function roomText({ count, most, isFull, isNear }, owner, t) {
  if (!isNear) return "";
  const said = t(`view.room.${owner === "me" ? "me" : "all"}`, { count, most });
  return isFull ? `${said} ${t("view.room.full")}` : said;
}
