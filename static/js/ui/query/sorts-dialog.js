// The dialog of sorts for supervisors: lists, copies, edits and deletes them.

import { html } from "lit-html";

import { shown } from "../../core/names.js";
import { refusalOf } from "../elements/language.js";
import { ask } from "../elements/popover.js";
import { SortForm } from "./sort-form.js";

export class SortsDialog {
  #known = []; // as the server sent them, the built-in ones too
  #problem = "";
  /** @type {SortForm | null} */
  #form = null;

  /** @param {SortsDialogParts} parts */
  constructor({
    dialog, api, rows, sorts, savedViews, lists, choices, language, announce,
  }) {
    this.dialog = dialog;
    this.api = api;
    this.rows = rows;
    this.sorts = sorts;
    this.savedViews = savedViews;
    this.lists = lists;
    this.choices = choices;
    this.language = language;
    this.announce = announce;
  }

  async open() {
    this.#form = null;
    this.#problem = "";
    this.#show();
    await this.#load();
  }

  #show() {
    this.dialog.open(() => this.language.t("sorts.title"), () => this.#content(), () => this.#form?.end());
  }

  async #load() {
    try {
      this.#known = (await this.api.sorts()).sorts;
      this.sorts.take(this.#known);
    } catch (error) {
      this.#problem = refusalOf(error, this.language.t);
    }
    this.dialog.paint();
  }

  #content() {
    const { t } = this.language;
    if (this.#form) return this.#form.content();
    return html`<p class="help-note">${t("sorts.about")}</p>
      <ul class="sorts-list">${this.#known.map((sort) => this.#item(sort))}</ul>
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts"><button type="button" class="button button-accent sorts-new"
        @click=${() => this.#edit({ title: "", rules: [{ when: "", by: "recent_at", order: "newest" }] })}
        >${t("sorts.new")}</button></div>`;
  }

  #item(sort) {
    const { t } = this.language;
    const isSaved = !this.sorts.builtIn.includes(sort.name);
    const title = isSaved ? shown(sort.title) : t(`sort.${sort.name}`);
    const act = (kind, run) => html`<button type="button" class="button sorts-${kind}"
      aria-label=${`${t(`sorts.${kind}`)}: ${title}`} @click=${run}>${t(`sorts.${kind}`)}</button>`;
    return html`<li class="sorts-item" data-sort=${sort.name}><span class="sorts-text"><bdi translate="no"
        class="sorts-name">${title}</bdi><span class="sorts-kind">${isSaved ? sort.name : t("sorts.built_in")}
        · ${t("sorts.rules.count", { count: sort.rules.length })}</span></span>
      ${isSaved ? [act("edit", () => this.#edit(sort)), act("delete", () => this.#delete(sort))] : ""}
      ${act("copy", () => this.#edit({ title: t("sorts.copy.title", { title }), rules: sort.rules }))}</li>`;
  }

  // Without a name: a new one.
  #edit(sort) {
    const { dialog, api, rows, language, savedViews, choices, lists } = this;
    this.#problem = "";
    this.#form = new SortForm({
      sort, dialog, api, rows, language, savedViews, choices, lists,
      taken: this.#known.map(({ name }) => name),
      left: (saved) => this.#left(saved),
    });
    dialog.paint();
    /** @type {HTMLInputElement} */ (dialog.element.querySelector("[name=title]")).select();
  }

  async #left(saved) {
    this.#form = null;
    this.dialog.paint();
    if (saved) this.announce(this.language.t("sorts.saved", { title: saved.title }));
    const name = saved?.name;
    if (saved) await this.#load();
    const item = [...this.dialog.element.querySelectorAll(".sorts-item")]
      .find((each) => /** @type {HTMLElement} */ (each).dataset.sort === name);
    /** @type {HTMLElement} */ (item?.querySelector("button") ?? this.dialog.element.querySelector(".sorts-new")).focus();
  }

  async #delete({ name, title }) {
    const { t } = this.language;
    const sure = await ask(this.dialog, {
      title: t("sorts.delete.title", { title }), text: t("sorts.delete.text"), yes: t("sorts.delete"),
    }, t);
    this.#problem = "";
    this.#show();
    if (!sure) return;
    try {
      await this.api.dropSort(name);
      this.announce(t("sorts.deleted", { title }));
    } catch (error) {
      this.#problem = inUse(error.body, t) ?? refusalOf(error, t);
    }
    await this.#load();
  }
}

// Which views have the sort.
function inUse(problem, t) {
  if (problem?.code !== "in_use") return null;
  const names = (problem.views ?? []).map((view) => view.name ?? view);
  return names.length ? t("sorts.in_use", { views: names.join(", ") }) : t("sorts.in_use.others");
}
