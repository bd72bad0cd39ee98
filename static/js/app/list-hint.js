// Explains once why the list stands still: shown with the first new rows above it.

import { html } from "lit-html";

const SHOWN_MS = 20_000;

export class ListHint {
  #shown = false;

  /** @param {ListHintParts} parts */
  constructor({ lists, prefs, painter, language, hidden = () => document.hidden, timers = globalThis }) {
    this.lists = lists;
    this.prefs = prefs;
    this.painter = painter;
    this.language = language;
    this.hidden = hidden;
    this.timers = timers;
  }

  // The header of the list was painted.
  look() {
    const { size } = this.lists.listing.news;
    if (this.#shown && !size) this.#end();
    if (this.#shown) this.painter.ask("chip");
    if (this.#shown || !size || !this.prefs.kept.list_hint || this.hidden()) return;
    this.#shown = true;
    this.timers.setTimeout(() => this.#end(), SHOWN_MS);
    this.painter.ask("chip");
  }

  render() {
    const { t } = this.language;
    if (!this.#shown) return "";
    const news = t("header.news", { count: this.lists.listing.news.size });
    return html`<div class="list-hint"><p>${t("hint.held", { news: `↑ ${news}`.replaceAll(" ", "\u00a0") })}</p>
      <button type="button" class="button" @click=${() => this.#end()}>${t("hint.close")}</button></div>`;
  }

  #end() {
    if (!this.#shown) return;
    this.#shown = false;
    this.prefs.change({ list_hint: false });
    this.painter.ask("chip");
  }
}
