// The command palette: finds commands, views and threads by a few letters; and a choice among many.

import { html, render } from "lit-html";

import { matching } from "../../core/find.js";
import { Search } from "../../core/search.js";
import { nameOf } from "../elements/avatar.js";
import { chord } from "./help.js";
import { ICONS } from "../elements/icons.js";

const FOUND = 6;
const THREAD = /^#?([1-9]\d{0,11})$/;

export class Palette {
  #query = "";
  #active = 0;
  /** @type {PaletteChoice | null} */
  #choice = null;

  // commands(): what can be done now, [{text, keys, run}]; openFound(result, query) opens what was found.
  /** @param {PaletteParts} parts */
  constructor({
    element, commands, api, rows, painter, language, openThread, openFound, openSearch,
  }) {
    this.element = element;
    this.commands = commands;
    this.api = api;
    this.rows = rows;
    this.painter = painter;
    this.language = language;
    this.openThread = openThread;
    this.openFound = openFound;
    this.openSearch = openSearch;
    this.search = new Search({
      ask: (...given) => api.search(...given),
      limit: FOUND,
      changed: () => painter.ask("palette"),
    });
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
  }

  // choice: these entries alone, instead of all commands.
  /** @param {PaletteChoice | null} choice */
  open(choice = null) {
    this.#choice = choice;
    this.#type("");
    this.#active = Math.max(0, this.#entries().findIndex(({ isCurrent }) => isCurrent));
    if (!this.element.open) this.element.showModal();
    this.element.querySelector("input").value = "";
    this.paint();
  }

  paint() {
    if (this.element.open || this.#query === "") render(this.#content(), this.element);
    this.element.querySelector(".palette-active")?.scrollIntoView({ block: "nearest" });
  }

  #type(query) {
    this.#query = query;
    this.#active = 0;
    this.search.type(query.length > 1 && !this.#choice ? query : "");
    this.paint();
  }

  #entries() {
    const { t } = this.language;
    const query = this.#query.trim();
    if (this.#choice) return matching(this.#choice.entries(), query);
    const found = query ? this.search.results.map(({ row, message }) => ({
      text: nameOf(this.rows.get(row.id) ?? row, t),
      about: message?.excerpt ?? row.preview?.body ?? "",
      icon: ICONS.thread, run: () => this.openFound({ row, message }, query),
    })) : [];
    const number = THREAD.exec(query)?.[1];
    return [
      ...(number ? [{ text: t("palette.thread", { id: `#${number}` }), icon: ICONS.thread,
        run: () => this.openThread(Number(number)) }] : []),
      ...matching(this.commands(), query),
      ...(query ? [{ text: t("palette.search", { query }), icon: ICONS.search, keys: "/",
        run: () => this.openSearch(query) }] : []),
      ...found,
    ];
  }

  #content() {
    const { t } = this.language;
    const entries = this.#entries();
    const label = this.#choice?.label ?? t("palette");
    this.#active = Math.min(this.#active, Math.max(0, entries.length - 1));
    return html`<input class="palette-field" type="text" role="combobox" aria-expanded="true"
        aria-controls="palette-list" aria-autocomplete="list" aria-label=${label}
        aria-activedescendant=${entries.length ? `palette-${this.#active}` : ""} autocomplete="off"
        placeholder=${this.#choice?.label ?? t("palette.hint")} @input=${(event) => this.#type(event.target.value)}
        @keydown=${(event) => this.#key(event, entries)}>
      <div class="palette-list" id="palette-list" role="listbox" aria-label=${label}
        >${entries.map((entry, index) => this.#entry(entry, index))}</div>
      ${entries.length ? "" : html`<p class="palette-none" role="status">${t("search.nothing")}</p>`}`;
  }

  #entry({ text, about, icon, keys, run }, index) {
    const active = index === this.#active;
    return html`<div class="palette-entry ${active ? "palette-active" : ""}" role="option"
      id="palette-${index}" aria-selected=${String(active)} @click=${() => this.#run(run)}
      ><span class="palette-icon">${icon ?? ""}</span><bdi class="palette-text">${text}</bdi>
      <span class="palette-about" dir="auto">${about ?? ""}</span>${keys ? chord(keys) : ""}</div>`;
  }

  #run(run) {
    this.element.close();
    run();
  }

  #key(event, entries) {
    if (event.isComposing || event.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#active = (this.#active + step + entries.length) % (entries.length || 1);
    else if (event.key === "Enter" && entries.length) this.#run(entries[this.#active].run);
    else return;
    event.preventDefault();
    this.paint();
  }
}
