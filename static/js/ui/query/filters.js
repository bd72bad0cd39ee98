// The filters above a list: a button with a menu for each, which writes the query.

import { html } from "lit-html";

import { filtersOf, has, isSingle, removed, toggled } from "../../core/query/filters.js";
import { Offered } from "../../core/query/offered.js";
import { ICONS } from "../elements/icons.js";
import { menu } from "../elements/menu.js";
import { valueText } from "./words.js";

export class Filters {
  // valuesOf(field) reads values; write(text) takes the new query.
  /** @param {FiltersParts} parts */
  constructor({ language, valuesOf, write, changed }) {
    this.language = language;
    this.offered = new Offered(valuesOf);
    this.write = write;
    this.changed = changed;
  }

  /** @param {string} text */
  content(text) {
    const { t } = this.language;
    const filters = filtersOf(text);
    return html`<div class="query-filters" role="group" aria-label=${t("query.filters")}
      >${filters.map((filter, at) => this.#filter(text, filter, at))}</div>`;
  }

  #filter(text, filter, at) {
    const { t } = this.language;
    const { field, term } = filter;
    const name = t(`query.filter.${field}`);
    const said = term ? `${name}: ${this.#said(filter)}` : name;
    return html`<span class="query-filter" data-set=${String(term !== null)}>${menu({
      id: `query-filter-${at}`, label: said, className: "button query-filter-button",
      text: html`<span class="query-filter-text">${said}</span>${ICONS.down}`,
      items: this.#items(text, filter), start: true,
      toggled: (open) => this.#toggled(filter, open),
    })}${term ? html`<button type="button" class="icon-button query-filter-remove"
        aria-label=${t("query.remove", { filter: said })} title=${t("query.remove", { filter: said })}
        @click=${(event) => this.#remove(event, text, filter)}>${ICONS.close}</button>` : ""}</span>`;
  }

  #said({ field, term, values }) {
    const { t } = this.language;
    const said = values.map((value) => valueText(field, value, this.language)).join(", ");
    return term.isNot ? t("query.is_not", { value: said }) : said;
  }

  #items(text, filter) {
    const { field } = filter;
    return this.offered.of(filter).map((value) => ({
      text: valueText(field, value, this.language),
      checked: has(filter, value), stays: !isSingle(field),
      run: () => this.write(toggled(text, filter, value)),
    }));
  }

  async #toggled(filter, open) {
    if (!open) this.offered.closed(filter.field);
    else if (await this.offered.opened(filter)) this.changed();
  }

  // The focus goes to the button of the filter, which stays.
  #remove(event, text, filter) {
    const button = event.currentTarget.previousElementSibling?.previousElementSibling;
    button?.focus();
    this.write(removed(text, filter));
  }
}
