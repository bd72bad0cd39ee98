// Search, in the place of the list. Results keep the order they state.

import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { parts } from "../core/find.js";
import { Search } from "../core/search.js";
import { age } from "../core/time.js";
import { avatar, who } from "./avatar.js";
import { ICONS } from "./icons.js";

const FRESH_MS = 5000; // results are not part of a list that is followed: their rows are asked for
const ROWS_MAX = 200;
const PAGE = 50;

export class SearchPane {
  shown = false;
  #timer = null;

  constructor({ root, desk }) {
    Object.assign(this, { root, desk });
    this.search = new Search({
      ask: (...given) => desk.api.search(...given), limit: PAGE, changed: () => desk.ask("search"),
    });
  }

  get #field() { return this.root.querySelector("input"); }

  open(query = null) {
    this.shown = true;
    this.desk.panel = "list";
    if (query !== null) this.search.type(query);
    this.desk.ask("search", "shell");
    this.paint();
    this.#field.focus();
    this.#field.select();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#refresh(), FRESH_MS);
  }

  // From a conversation to what was found, from there to the list.
  back() {
    if (this.root.contains(document.activeElement)) this.close();
    else this.#field.focus();
  }

  close() {
    this.shown = false;
    clearInterval(this.#timer);
    this.desk.ask("search");
    this.desk.listPane.focus();
  }

  paint() {
    this.root.hidden = !this.shown;
    render(this.shown ? this.#content() : "", this.root);
    if (this.shown) this.root.querySelector(".search-active")?.scrollIntoView({ block: "nearest" });
  }

  async #refresh() {
    const ids = this.search.results.slice(0, ROWS_MAX).map(({ row }) => row.id);
    if (!ids.length || document.hidden) return;
    const answer = await this.desk.api.rows(ids).catch(() => null);
    for (const row of answer?.rows ?? []) this.desk.rows.put(row);
    this.desk.ask("search");
  }

  #content() {
    const { t } = this.desk;
    const { query, results, chosen } = this.search;
    return html`<div class="search-head">${ICONS.search}
        <input class="search-field" type="search" role="combobox"
          aria-expanded=${String(results.length > 0)}
          aria-controls="search-results" aria-autocomplete="list" aria-label=${t("search")}
          aria-activedescendant=${chosen ? `found-${this.search.active}` : ""} autocomplete="off"
          placeholder=${t("search.hint")} .value=${query}
          @input=${(event) => this.search.type(event.target.value)} @keydown=${(e) => this.#key(e)}>
        <button type="button" class="icon-button" aria-label=${t("search.close")}
          @click=${() => this.close()}>${ICONS.close}</button></div>
      <p class="search-state" role="status">${this.#state()}</p>
      <div class="search-results" id="search-results" role="listbox"
        aria-label=${t("search.results")}
        tabindex="-1" @scroll=${(event) => this.#scrolled(event.currentTarget)}>
        ${repeat(results, resultKey, (result, index) => this.#result(result, index))}</div>`;
  }

  #state() {
    const { t } = this.desk;
    const { state, total, whole } = this.search;
    if (state === "failed") {
      return html`${t("search.failed")} <button type="button" class="button"
        @click=${() => this.search.again()}>${t("retry")}</button>`;
    }
    if (state === "asking") return t("loading");
    if (state === "none") return t("search.about");
    if (!total) return t("search.nothing");
    return t(whole ? "search.total" : "search.newest", { count: total });
  }

  #result({ row: found, message }, index) {
    const { t, words, rows } = this.desk;
    const row = rows.get(found.id) ?? found;
    const active = index === this.search.active;
    const at = message?.at ?? row.recent_at;
    return html`<div class="found ${active ? "search-active" : ""}" role="option"
      id="found-${index}"
      aria-selected=${String(active)} ?data-current=${row.id === this.desk.threadId}
      @click=${() => this.#choose(index)}>${avatar(row, t)}
      <span class="found-text"><span class="found-line">${who(row, t, "found-name")}
        ${row.open ? "" : html`<span class="found-badge">${t("thread.closed")}</span>`}
        <time class="row-time" title=${words.exact(at)}
          >${words.short(age(at, this.desk.now()), t("time.now"))}</time></span>
      <span class="found-line"><span class="found-excerpt" dir="auto">${message ? excerpt(message)
        : row.preview?.body ?? t("row.no_message")}</span>
        ${row.unanswered > 0 ? html`<span
          class="row-count">${row.unanswered}</span>` : ""}</span></span></div>`;
  }

  #choose(index) {
    this.search.active = index;
    const { chosen } = this.search;
    if (!chosen) return;
    this.desk.rows.put(chosen.row);
    this.desk.open(chosen.row.id);
    this.desk.ask("search");
  }

  #key(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) this.search.step(step);
    else if (event.key === "Enter") this.#choose(this.search.active);
    else return;
    event.preventDefault();
  }

  #scrolled(list) {
    if (list.scrollHeight - list.scrollTop - list.clientHeight < 300) this.search.loadMore();
  }
}

const resultKey = ({ row, message }) => `${row.id}-${message?.id ?? ""}`;

const excerpt = (message) => parts(message.excerpt, message.marks ?? [])
  .map(({ text, marked }) => (marked ? html`<mark>${text}</mark>` : text));
