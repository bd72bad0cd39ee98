// Explains once why the list stands still, together with the first new rows above it.

import { html } from "lit-html";

import { PageModule } from "../elements/page-module.js";

const SHOWN_MS = 20_000;

export class ListHint extends PageModule {
  #shown = false;

  /** @param {Page & { hidden?(): boolean, timers?: Timers }} page */
  constructor({ hidden = () => document.hidden, timers = globalThis, ...page }) {
    super(page);
    this.hidden = hidden;
    this.timers = timers;
  }

  // The header of the list was painted.
  look() {
    const { size } = this.data.lists.listing.news;
    if (this.#shown && !size) this.#end();
    if (this.#shown) this.ui.painter.ask("chip");
    if (this.#shown || !size || !this.data.prefs.kept.list_hint || this.hidden()) return;
    this.#shown = true;
    this.timers.setTimeout(() => this.#end(), SHOWN_MS);
    this.ui.painter.ask("chip");
  }

  render() {
    const { t } = this.ui.language;
    if (!this.#shown) return "";
    const news = t("header.news", { count: this.data.lists.listing.news.size });
    return html`<div class="list-hint"><p>${t("hint.held", { news: `↑ ${news}`.replaceAll(" ", "\u00a0") })}</p>
      <button type="button" class="button" @click=${() => this.#end()}>${t("hint.close")}</button></div>`;
  }

  #end() {
    if (!this.#shown) return;
    this.#shown = false;
    this.data.prefs.change({ list_hint: false });
    this.ui.painter.ask("chip");
  }
}
