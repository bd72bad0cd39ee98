// The dialog of sorts for supervisors: lists, copies, edits and deletes them.

import { html } from "lit-html";

import { shown } from "../../core/names.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { SortForm } from "./sort-form.js";

export class SortsDialog extends PageModule {
  #known = []; // the server's sorts, including the built-in ones
  #problem = "";
  /** @type {SortForm | null} */
  #form = null;

  async open() {
    this.#form = null;
    this.#problem = "";
    this.#show();
    await this.#load();
  }

  #show() {
    this.ui.dialog.open(() => this.ui.language.t("sorts.title"), () => this.#content(), () => this.#form?.end());
  }

  async #load() {
    try {
      this.#known = (await this.net.api.sorts()).sorts;
      this.data.sorts.take(this.#known);
    } catch (error) {
      this.#problem = refusalOf(error, this.ui.language.t);
    }
    this.ui.dialog.paint();
  }

  #content() {
    const { t } = this.ui.language;
    if (this.#form) return this.#form.content();
    return html`<p class="help-note">${t("sorts.about")}</p>
      <ul class="sorts-list">${this.#known.map((sort) => this.#item(sort))}</ul>
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts"><button type="button" class="button button-accent sorts-new"
        @click=${() => this.#edit({ title: "", rules: [{ when: "", by: "recent_at", order: "newest" }] })}
        >${t("sorts.new")}</button></div>`;
  }

  #item(sort) {
    const { t } = this.ui.language;
    const isSaved = !this.data.sorts.builtIn.includes(sort.name);
    const title = isSaved ? shown(sort.title) : t(`sort.${sort.name}`);
    const act = (kind, run) => html`<button type="button" class="button sorts-${kind}"
      aria-label=${`${t(`sorts.${kind}`)}: ${title}`} @click=${run}>${t(`sorts.${kind}`)}</button>`;
    return html`<li class="sorts-item" data-sort=${sort.name}><span class="sorts-text"><bdi translate="no"
        class="sorts-name">${title}</bdi><span class="sorts-kind">${isSaved ? sort.name : t("sorts.built_in")}
        · ${t("sorts.rules.count", { count: sort.rules.length })}</span></span>
      ${isSaved ? [act("edit", () => this.#edit(sort)), act("delete", () => this.#delete(sort))] : ""}
      ${act("copy", () => this.#edit({ title: t("sorts.copy.title", { title }), rules: sort.rules }))}</li>`;
  }

  // Without a name, edits a new sort.
  #edit(sort) {
    const { data, net, ui, ui: { dialog } } = this;
    this.#problem = "";
    this.#form = new SortForm({
      data, net, ui, sort,
      taken: this.#known.map(({ name }) => name),
      left: (saved) => this.#left(saved),
    });
    dialog.paint();
    /** @type {HTMLInputElement} */ (dialog.element.querySelector("[name=title]")).select();
  }

  async #left(saved) {
    this.#form = null;
    this.ui.dialog.paint();
    if (saved) this.ui.announce(this.ui.language.t("sorts.saved", { title: saved.title }));
    const name = saved?.name;
    if (saved) await this.#load();
    const item = [...this.ui.dialog.element.querySelectorAll(".sorts-item")]
      .find((each) => /** @type {HTMLElement} */ (each).dataset.sort === name);
    /** @type {HTMLElement} */ (item?.querySelector("button") ?? this.ui.dialog.element.querySelector(".sorts-new")).focus();
  }

  async #delete({ name, title }) {
    const { t } = this.ui.language;
    const sure = await ask(this.ui.dialog, {
      title: t("sorts.delete.title", { title }), text: t("sorts.delete.text"), yes: t("sorts.delete"),
    }, t);
    this.#problem = "";
    this.#show();
    if (!sure) return;
    try {
      await this.net.api.dropSort(name);
      this.ui.announce(t("sorts.deleted", { title }));
    } catch (error) {
      this.#problem = inUse(error.body, t) ?? refusalOf(error, t);
    }
    await this.#load();
  }
}

// The views that have the sort, as a text.
function inUse(problem, t) {
  if (problem?.code !== "in_use") return null;
  const names = (problem.views ?? []).map((view) => view.name ?? view);
  return names.length ? t("sorts.in_use", { views: names.join(", ") }) : t("sorts.in_use.others");
}
