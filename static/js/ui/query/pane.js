// The search: a field for queries over the list, and filters that write them. A query without words is
// the live list below; a query with words finds messages and customers, which are shown instead of the
// list, in the order of the answer.

import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { markedParts } from "../../core/find.js";
import { QueryCheck } from "../../core/query/check.js";
import { conditionsOf } from "../../core/places.js";
import { filtersOf, has, isSingle, Offered, removed, toggled } from "../../core/query/filters.js";
import { hasWords, mistakeOf } from "../../core/query/text.js";
import { QUERY } from "../../core/route.js";
import { previewText } from "../../core/row-texts.js";
import { Search } from "../../core/search.js";
import { age } from "../../core/time.js";
import { avatar, langOf, who } from "../elements/avatar.js";
import { emptyState } from "../elements/empty.js";
import { ICONS } from "../elements/icons.js";
import { menu } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { QueryField, saidOf, valueText } from "./field.js";

const REFRESH_MS = 5000; // no frames come for results: their rows are fetched at this interval
const ROWS_MAX = 200;
const PAGE = 50;

export class SearchPane extends PageModule {
  shown = false;
  #timer = null;
  #isTyping = false; // whether the end of the text is being typed: it is no mistake yet
  #stays = false; // whether the search stays open while another list is opened below
  #before = null; // the list shown before the first list of a query

  /** @param {Page & {
   *   root: HTMLElement, openResult: (result: Found, query: string) => void, left(): void,
   * }} page */
  constructor({ root, openResult, left, ...page }) {
    super(page);
    this.root = root;
    this.openResult = openResult;
    this.left = left;
    const changed = () => this.ui.painter.ask("search");
    this.search = new Search({ ask: (...given) => this.net.api.search(...given), limit: PAGE, changed });
    this.check = new QueryCheck({
      ask: (query) => this.net.api.previewView({ query, sort: "arrival" }), changed,
      right: (query, isTyped) => this.#openList(query, isTyped),
    });
    this.field = new QueryField({
      id: "search-field", api: this.net.api, language: this.ui.language, changed,
      typed: (text) => this.#type(text), entered: () => this.#enter(),
    });
    this.filters = new Filters({
      language: this.ui.language, changed, valuesOf: (field) => this.field.completion.valuesOf(field),
      write: (text) => this.#write(text),
    });
  }

  // The content of the field: nothing, only conditions, or also words.
  get #kind() {
    if (!this.field.text.trim()) return "nothing";
    return hasWords(this.field.text) ? "words" : "conditions";
  }

  // filters: narrows the current list, beginning with its own conditions.
  /** @param {string | null} query @param {{filters?: boolean}} options */
  open(query = null, { filters = false } = {}) {
    this.shown = true;
    if (this.ui.past) this.acts.navigation.goPast(null);
    this.ui.layout.panel = "list";
    if (filters) this.#begin(conditionsOf(this.data.lists.list, this.data.savedViews, this.data.choices.viewQueries));
    else if (query !== null && query !== this.field.text) this.#write(query);
    this.ui.painter.ask("search", "shell");
    this.paint();
    this.field.focus();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#refresh(), REFRESH_MS);
  }

  // Goes from the thread to the results, and from the results to the list.
  back() {
    if (this.root.contains(document.activeElement) || this.#kind !== "words") this.close();
    else this.field.focus();
  }

  close() {
    if (!this.shown || this.#stays) return;
    this.shown = false;
    clearInterval(this.#timer);
    this.field.completion.close();
    this.check.stop();
    this.ui.painter.ask("search");
    this.left();
    this.ui.listPane.focus();
  }

  paint() {
    this.root.hidden = !this.shown;
    this.root.dataset.kind = this.#kind;
    render(this.shown ? this.#content() : "", this.root);
    if (!this.shown) return;
    this.field.after();
    this.root.querySelector(".search-active")?.scrollIntoView({ block: "nearest" });
  }

  // Fills in the conditions of the current list, which need no check.
  #begin(text) {
    this.field.set(text);
    this.#isTyping = false;
    this.search.type("");
    this.check.stop();
  }

  #write(text) {
    this.field.set(text);
    this.#isTyping = false;
    this.#ask(text, false);
  }

  #type(text) {
    this.#isTyping = true;
    this.#ask(text, true);
  }

  #ask(text, isTyped) {
    const kind = this.#kind;
    this.search.type(kind === "words" ? text : "");
    if (kind !== "conditions") this.check.stop();
    else if (isTyped) this.check.type(text);
    else this.check.look(text);
    if (kind === "nothing") this.#leaveQuery();
    this.ui.painter.ask("search");
  }

  async #enter() {
    this.#isTyping = false;
    const kind = this.#kind;
    if (kind === "words" && this.search.state !== "asking") this.#choose(this.search.active);
    else if (kind === "conditions" && await this.check.look(this.field.text)) this.ui.listPane.focus();
    this.ui.painter.ask("search");
  }

  // While a query is typed, each of its lists replaces the one before in the history.
  #openList(query, isTyped) {
    if (!this.shown) return;
    const { list } = this.data.lists;
    if (list.view !== QUERY) this.#before = list;
    this.#staying(() => this.acts.navigation.openQuery(query, { sort: list.sort, replace: isTyped }));
  }

  // Without conditions, shows again the list that they narrowed.
  #leaveQuery() {
    if (this.data.lists.list.view !== QUERY || !this.#before) return;
    this.#staying(() => this.acts.navigation.goList(this.#before));
  }

  #staying(run) {
    this.#stays = true;
    try {
      run();
    } finally {
      this.#stays = false;
    }
  }

  async #refresh() {
    const ids = this.search.results.slice(0, ROWS_MAX).map(({ row }) => row.id);
    if (!ids.length || document.hidden) return;
    const answer = await this.net.api.rows(ids).catch(() => null);
    for (const row of answer?.rows ?? []) this.data.rows.put(row);
    this.ui.painter.ask("search");
  }

  get #mistake() {
    return this.#kind === "words" ? mistakeOf(this.search.error?.body, this.field.text)
      : this.check.mistake;
  }

  // The shown mistake; none while further typing may correct it.
  get #shownMistake() {
    const mistake = this.#mistake;
    return mistake && this.#isTyping && mistake.at >= this.field.text.trimEnd().length ? null : mistake;
  }

  #content() {
    const { t } = this.ui.language;
    const { results, chosen, active } = this.search;
    this.field.mistake = this.#shownMistake;
    return html`<div class="search-head">${ICONS.search}
        ${this.field.content({
          label: t("search"), placeholder: t("search.hint"), className: "search-box",
          describedBy: "search-state", controls: results.length ? "search-results" : "",
          active: chosen ? `found-${active}` : "", key: (event) => this.#key(event),
        })}
        <button type="button" class="icon-button" aria-label=${t("search.close")}
          @click=${() => this.close()}>${ICONS.close}</button></div>
      ${this.filters.content(this.field.text)}
      <p class="search-state" id="search-state" role="status">${this.#state()}</p>
      ${this.#isVain ? emptyState({ icon: ICONS.search, title: t("search.nothing") }) : this.#kind === "words" ? resultList({
        ...this, results, active, choose: (index) => this.#choose(index),
        scrolled: (list) => this.#scrolled(list),
      }) : ""}`;
  }

  #state() {
    const { t } = this.ui.language;
    const kind = this.#kind;
    const { state } = kind === "words" ? this.search : this.check;
    if (this.field.mistake) return saidOf(this.field.mistake, this.field.text, t);
    if (this.#mistake) return "";
    if (state === "none") return t(kind === "nothing" ? "search.about" : "query.about");
    if (state === "asking") return t("loading");
    if (state === "failed") return this.#failed(kind);
    return kind === "words" ? this.#found() : this.#listed();
  }

  // Whether nothing is found.
  get #isVain() { return this.#kind === "words" && this.search.state === "done" && !this.search.total && !this.#mistake; }

  #failed(kind) {
    const { t } = this.ui.language;
    const again = () => (kind === "words" ? this.search.again() : this.check.look(this.field.text));
    return html`${t("search.failed")} <button type="button" class="button" @click=${again}
      >${t("retry")}</button>`;
  }

  #listed() {
    const { t } = this.ui.language;
    const { total } = this.check;
    return total === null ? t("query.many") : t("query.live", { count: total });
  }

  #found() {
    const { t } = this.ui.language;
    const { total, whole } = this.search;
    if (!total) return html`<span class="unseen">${t("search.nothing")}</span>`;
    return t(whole ? "search.total" : "search.newest", { count: total });
  }

  #choose(index) {
    this.search.active = index;
    const { chosen } = this.search;
    if (!chosen) return;
    this.openResult(chosen, this.search.query);
    this.ui.painter.ask("search");
  }

  // Takes the keys that move through the results.
  #key(event) {
    if (event.isComposing || !this.search.results.length) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (!step || event.altKey) return;
    this.search.step(step);
    event.preventDefault();
  }

  #scrolled(list) {
    if (list.scrollHeight - list.scrollTop - list.clientHeight < 300) this.search.loadMore();
  }
}

// The results of a search, in the order of the answer.
/** @param {Page & {
 *   results: Found[], active: number, choose: (index: number) => void,
 *   scrolled: (list: HTMLElement) => void,
 * }} page active: the index of the one that Enter opens */
function resultList({ results, active, choose, scrolled, ...page }) {
  return html`<div class="search-results" id="search-results" role="listbox"
    aria-label=${page.ui.language.t("search.results")}
    tabindex="-1" @scroll=${(event) => scrolled(event.currentTarget)}>
    ${repeat(results, keyOf, (one, index) => result(one, index, index === active, choose, page))}</div>`;
}

/** @param {Found} found */
function result({ row: found, message }, index, active, choose, {
  data: { rows, thread },
  net: { now },
  ui: { language },
}) {
  const { t, words } = language;
  const row = rows.get(found.id) ?? found;
  const at = message?.at ?? row.recent_at;
  return html`<div class="found ${active ? "search-active" : ""}" role="option"
    id="found-${index}"
    aria-selected=${String(active)} ?data-current=${row.id === thread.id}
    @click=${() => choose(index)}>${avatar(row, t)}
    <span class="found-text"><span class="found-line">${who(row, t, "found-name")}
      ${row.open ? "" : html`<span class="found-badge">${t("thread.closed")}</span>`}
      <time class="row-time" title=${words.exact(at)}
        >${words.short(age(at, now()), t("time.now"))}</time></span>
    <span class="found-line"><span class="found-excerpt" dir="auto"
      lang=${(message && !message.private && langOf(row, t)) || nothing}>${message ? excerpt(message)
      : row.preview ? previewText(row.preview, t) : t("row.no_message")}</span>
      ${row.unanswered > 0 ? html`<span
        class="row-count">${row.unanswered}</span>` : ""}</span></span></div>`;
}

/** @param {Found} found */
const keyOf = ({ row, message }) => `${row.id}-${message?.id ?? ""}`;

const excerpt = (message) => markedParts(message.excerpt, 0, message.marks ?? [])
  .map(({ text, marked }) => (marked ? html`<mark>${text}</mark>` : text));

// The filters above a list: buttons with menus, which write the query.
export class Filters {
  // valuesOf(field) resolves to values; write(text) takes the new query.
  /** @param {FiltersOptions} options */
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

  // The focus moves to the button of the filter, which stays.
  #remove(event, text, filter) {
    const button = event.currentTarget.previousElementSibling?.previousElementSibling;
    button?.focus();
    this.write(removed(text, filter));
  }
}
