// The search: a field for queries over the list, and filters that write them. A query without words is
// the live list below; one with words finds messages and customers, which are shown in its place, in
// the order of the answer.

import { html, render } from "lit-html";

import { conditionsOf } from "../../core/query/conditions.js";
import { QueryCheck } from "../../core/query/check.js";
import { mistakeOf } from "../../core/query/mistake.js";
import { hasWords } from "../../core/query/text.js";
import { QUERY } from "../../core/route.js";
import { Search } from "../../core/search.js";
import { ICONS } from "../elements/icons.js";
import { QueryField } from "./field.js";
import { Filters } from "./filters.js";
import { saidOf } from "./mistake.js";
import { resultList } from "./results.js";

const REFRESH_MS = 5000; // no frames come for results: their rows are fetched this often
const ROWS_MAX = 200;
const PAGE = 50;

export class SearchPane {
  shown = false;
  #timer = null;
  #isTyping = false; // what is typed at the end may go on, and is no mistake yet
  #stays = false; // while another list is opened below
  #before = null; // the list that was shown before those of queries

  /** @param {SearchPaneParts} given */
  constructor({
    root, layout, thread, rows, api, now, painter, language, openResult, lists, navigation, savedViews,
    choices, focusList, left,
  }) {
    this.root = root;
    this.layout = layout;
    this.thread = thread;
    this.rows = rows;
    this.api = api;
    this.now = now;
    this.painter = painter;
    this.language = language;
    this.openResult = openResult;
    this.lists = lists;
    this.navigation = navigation;
    this.savedViews = savedViews;
    this.choices = choices;
    this.focusList = focusList;
    this.left = left;
    const changed = () => painter.ask("search");
    this.search = new Search({ ask: (...given) => api.search(...given), limit: PAGE, changed });
    this.check = new QueryCheck({
      ask: (query) => api.previewView({ query, sort: "arrival" }), changed,
      right: (query, isTyped) => this.#openList(query, isTyped),
    });
    this.field = new QueryField({
      id: "search-field", api, language, changed,
      typed: (text) => this.#type(text), entered: () => this.#enter(),
    });
    this.filters = new Filters({
      language, changed, valuesOf: (field) => this.field.completion.valuesOf(field),
      write: (text) => this.#write(text),
    });
  }

  // What the field holds: nothing, conditions alone, or words, too.
  get #kind() {
    if (!this.field.text.trim()) return "nothing";
    return hasWords(this.field.text) ? "words" : "conditions";
  }

  // filters: to narrow the list that is shown, beginning with its own conditions.
  /** @param {string | null} query @param {{filters?: boolean}} options */
  open(query = null, { filters = false } = {}) {
    this.shown = true;
    this.layout.panel = "list";
    if (filters) this.#begin(conditionsOf(this.lists.list, this.savedViews, this.choices.viewQueries));
    else if (query !== null && query !== this.field.text) this.#write(query);
    this.painter.ask("search", "shell");
    this.paint();
    this.field.focus();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#refresh(), REFRESH_MS);
  }

  // From the thread to the results, from the results to the list.
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
    this.painter.ask("search");
    this.left();
    this.focusList();
  }

  paint() {
    this.root.hidden = !this.shown;
    this.root.dataset.kind = this.#kind;
    render(this.shown ? this.#content() : "", this.root);
    if (!this.shown) return;
    this.field.after();
    this.root.querySelector(".search-active")?.scrollIntoView({ block: "nearest" });
  }

  // The conditions of the list that is shown: there is nothing to ask.
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
    this.painter.ask("search");
  }

  async #enter() {
    this.#isTyping = false;
    const kind = this.#kind;
    if (kind === "words") this.#choose(this.search.active);
    else if (kind === "conditions" && await this.check.look(this.field.text)) this.focusList();
    this.painter.ask("search");
  }

  // While it is typed, one list takes the place of the other in the history.
  #openList(query, isTyped) {
    if (!this.shown) return;
    const { list } = this.lists;
    if (list.view !== QUERY) this.#before = list;
    this.#staying(() => this.navigation.openQuery(query, { sort: list.sort, replace: isTyped }));
  }

  // Without conditions the list is again the one that they narrowed.
  #leaveQuery() {
    if (this.lists.list.view !== QUERY || !this.#before) return;
    this.#staying(() => this.navigation.goList(this.#before));
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
    const answer = await this.api.rows(ids).catch(() => null);
    for (const row of answer?.rows ?? []) this.rows.put(row);
    this.painter.ask("search");
  }

  get #mistake() {
    return this.#kind === "words" ? mistakeOf(this.search.error?.body, this.field.text)
      : this.check.mistake;
  }

  // The mistake that is shown: none while it may be right with what comes.
  get #shownMistake() {
    const mistake = this.#mistake;
    return mistake && this.#isTyping && mistake.at >= this.field.text.trimEnd().length ? null : mistake;
  }

  #content() {
    const { t } = this.language;
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
      ${this.#kind === "words" ? resultList({
        ...this, results, active, choose: (index) => this.#choose(index),
        scrolled: (list) => this.#scrolled(list),
      }) : ""}`;
  }

  #state() {
    const { t } = this.language;
    const kind = this.#kind;
    const { state } = kind === "words" ? this.search : this.check;
    if (this.field.mistake) return saidOf(this.field.mistake, this.field.text, t);
    if (this.#mistake) return "";
    if (state === "none") return t(kind === "nothing" ? "search.about" : "query.about");
    if (state === "asking") return t("loading");
    if (state === "failed") return this.#failed(kind);
    return kind === "words" ? this.#found() : this.#listed();
  }

  #failed(kind) {
    const { t } = this.language;
    const again = () => (kind === "words" ? this.search.again() : this.check.look(this.field.text));
    return html`${t("search.failed")} <button type="button" class="button" @click=${again}
      >${t("retry")}</button>`;
  }

  #listed() {
    const { t } = this.language;
    const { total } = this.check;
    return total === null ? t("query.many") : t("query.live", { count: total });
  }

  #found() {
    const { t } = this.language;
    const { total, whole } = this.search;
    if (!total) return t("search.nothing");
    return t(whole ? "search.total" : "search.newest", { count: total });
  }

  #choose(index) {
    this.search.active = index;
    const { chosen } = this.search;
    if (!chosen) return;
    this.openResult(chosen, this.search.query);
    this.painter.ask("search");
  }

  // Keys that walk through the results.
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
