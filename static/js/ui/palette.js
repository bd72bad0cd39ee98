// The palette: a few letters name a command, a place or a thread.

import { html, render } from "lit-html";

import { matching } from "../core/find.js";
import { Search } from "../core/search.js";
import { nameOf } from "./avatar.js";
import { commands } from "./commands.js";
import { chord } from "./help.js";
import { ICONS } from "./icons.js";

const FOUND = 6;
const THREAD = /^#?([1-9]\d{0,11})$/;

export class Palette {
  #query = "";
  #active = 0;

  constructor({ element, desk }) {
    Object.assign(this, { element, desk });
    this.search = new Search({
      ask: (...given) => desk.api.search(...given), limit: FOUND, changed: () => desk.ask("palette"),
    });
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
  }

  open() {
    this.#type("");
    if (!this.element.open) this.element.showModal();
    this.element.querySelector("input").value = "";
  }

  paint() {
    if (this.element.open || this.#query === "") render(this.#content(), this.element);
    this.element.querySelector(".palette-active")?.scrollIntoView({ block: "nearest" });
  }

  #type(query) {
    this.#query = query;
    this.#active = 0;
    this.search.type(query.length > 1 ? query : "");
    this.paint();
  }

  #entries() {
    const { t, rows } = this.desk;
    const query = this.#query.trim();
    const found = query ? this.search.results.map(({ row, message }) => ({
      text: nameOf(rows.get(row.id) ?? row, t), about: message?.excerpt ?? row.preview?.body ?? "",
      icon: ICONS.thread, run: () => this.#openThread(row),
    })) : [];
    const number = THREAD.exec(query)?.[1];
    return [
      ...(number ? [{ text: t("palette.thread", { id: `#${number}` }), icon: ICONS.thread,
        run: () => this.desk.open(Number(number)) }] : []),
      ...matching(commands(this.desk), query),
      ...(query ? [{ text: t("palette.search", { query }), icon: ICONS.search, keys: "/",
        run: () => this.desk.search.open(query) }] : []),
      ...found,
    ];
  }

  #openThread(row) {
    this.desk.rows.put(row);
    this.desk.open(row.id);
    this.desk.showInList({ quiet: true });
  }

  #content() {
    const { t } = this.desk;
    const entries = this.#entries();
    this.#active = Math.min(this.#active, Math.max(0, entries.length - 1));
    return html`<input class="palette-field" type="text" role="combobox" aria-expanded="true"
        aria-controls="palette-list" aria-autocomplete="list" aria-label=${t("palette")}
        aria-activedescendant=${entries.length ? `palette-${this.#active}` : ""} autocomplete="off"
        placeholder=${t("palette.hint")} @input=${(event) => this.#type(event.target.value)}
        @keydown=${(event) => this.#key(event, entries)}>
      <div class="palette-list" id="palette-list" role="listbox" aria-label=${t("palette")}
        >${entries.map((entry, index) => this.#entry(entry, index))}</div>`;
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
