// The page of sorts for supervisors: lists, copies, edits and deletes them.

import { html } from "lit-html";

import { shown } from "../core/names.js";
import { refusalOf } from "../ui/elements/language.js";
import { SortForm, SORTS } from "../ui/query/sort-form.js";
import { rowMenu, SettingsPage, table } from "./elements.js";

export class SortsPage extends SettingsPage {
  #known = null; // the server's sorts, including the built-in ones

  get isWide() { return this.form !== null; }
  get action() {
    const rules = [{ when: "", by: "recent_at", order: "newest" }];
    return this.#known && { text: this.t("sorts.new"), run: () => this.#edit({ title: "", rules }) };
  }

  begin() { return this.#load(); }

  async #load() {
    this.#known = (await this.net.api.sorts()).sorts;
    this.data.sorts.take(this.#known);
  }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("sorts.about")}</p>
      ${this.#known ? table({
        className: "sorts", label: t("settings.sorts"), actions: t("settings.acts"),
          columns: [t("sorts.name"), t("sorts.rules")],
        rows: this.#known.map((sort) => this.#row(sort)),
      }) : html`<p class="set-help" role="status">${t("loading")}</p>`}`;
  }

  #row(sort) {
    const { t } = this;
    const { name, rules } = sort;
    const isSaved = !this.data.sorts.builtIn.includes(name);
    const title = isSaved ? shown(sort.title) : t(`sort.${name}`);
    const copy = { title: t("sorts.copy.title", { title }), rules };
    return html`<tr class="sorts-item" data-sort=${name}>
      <td><span class="set-name">${isSaved ? html`<button type="button" class="set-open sorts-edit"
        @click=${() => this.#edit(sort)}
          ><bdi translate="no">${title}</bdi></button>` : html`<bdi>${title}</bdi>`}
        <span class="set-help">${isSaved ? name : t("sorts.built_in")}</span></span></td>
      <td>${t("sorts.rules.count", { count: rules.length })}</td>
      <td>${rowMenu({
        id: `sort-menu-${name}`, label: `${t("settings.acts")}: ${title}`,
        items: [
          ...(isSaved ? [{ text: t("sorts.edit"), run: () => this.#edit(sort) }] : []),
          { text: t("sorts.copy"), run: () => this.#edit(copy) },
          ...(isSaved ? [{ text: t("sorts.delete"), isRed: true, run: () => this.#delete(sort) }] : []),
        ],
      })}</td></tr>`;
  }

  // Without a name, edits a new sort.
  #edit(sort) {
    const { data, net, ui, area } = this;
    this.openForm(new SortForm({
      data, net, ui, area, sort, taken: this.#known.map(({ name }) => name),
      left: (saved) => (saved ? this.#saved(saved) : area.leaveForm()),
    }));
  }

  #saved({ title }) {
    this.closeForm();
    return this.run(async () => {
      await this.#load();
      this.area.say(this.t("sorts.saved", { title }));
    });
  }

  async #delete({ name, title }) {
    const { t } = this;
    const sure = await this.sure({
      title: t("sorts.delete.title", { title }), text: t("sorts.delete.text"), yes: t("sorts.delete"),
    });
    if (!sure) return;
    await this.run(async () => {
      try {
        await this.http.delete(`${SORTS}/${name}`);
        this.area.say(t("sorts.deleted", { title }));
      } catch (error) {
        this.area.say(inUse(error.body, t) ?? refusalOf(error, t));
      }
      await this.#load();
    });
  }
}

// The views that have the sort, as a text.
function inUse(problem, t) {
  if (problem?.code !== "in_use") return null;
  const names = (problem.views ?? []).map((view) => view.name ?? view);
  return names.length ? t("sorts.in_use", { views: names.join(", ") }) : t("sorts.in_use.others");
}
