// A page of settings with entries in an order, which are moved by dragging and by keys; the order is saved as one.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { isSameOrder } from "../core/hours/policies.js";
import { shown } from "../core/names.js";
import { moved } from "../core/query/sort-rules.js";
import { ICONS } from "../ui/elements/icons.js";
import { followDrag, moveButtons } from "../ui/query/reorder.js";
import { SettingsPage } from "./elements.js";

/** @template {{id: number, name: string}} T */
export class OrderedPage extends SettingsPage {
  /** @type {T[] | null} */
  saved = null;
  /** @type {T[]} */
  order = []; // as shown here
  busy = false;
  #told = "";
  #dragged = null;

  // The kind of entries: the first part of the keys of texts.
  get kind() { return ""; }
  /** @returns {Promise<T[]>} the entries as they are saved now */
  async read() { return []; }
  /** @param {number[]} _ids @returns {Promise<unknown>} */
  async saveIds(_ids) { return undefined; }
  // Called after the order shown has changed.
  /** @param {number} [_waitMs] */
  looked(_waitMs) {}
  // What stands beside the buttons of an unsaved order.
  /** @returns {Content} */
  effect() { return ""; }
  /** @param {T} _entry @returns {Content} its text in the list */
  about(_entry) { return ""; }
  /** @param {T} _entry */
  edit(_entry) {}
  /** @param {T} _entry @returns {unknown} */
  remove(_entry) { return undefined; }

  get isMoved() { return this.saved !== null && !isSameOrder(this.saved, this.order); }
  get isDirty() { return this.isMoved || super.isDirty; }

  // Takes the saved entries; keeps an unsaved order as far as possible.
  /** @param {T[]} entries */
  take(entries) {
    const wasMoved = this.isMoved;
    const places = new Map(this.order.map(({ id }, at) => [id, at]));
    const placeOf = ({ id }) => places.get(id) ?? Infinity;
    this.saved = entries;
    this.order = wasMoved ? [...entries].sort((a, b) => placeOf(a) - placeOf(b)) : entries;
    this.looked(0);
  }

  // The list, below it the buttons of an unsaved order.
  entries() {
    return html`${this.saved ? "" : html`<p role="status">${this.t("loading")}</p>`}
      ${this.saved && !this.order.length ? html`<p class="hours-none">${this.t(`${this.kind}.empty`)}</p>` : ""}
      <ol class="policy-list" data-dragging=${this.#dragged !== null}>${repeat(this.order, ({ id }) => id,
        (entry, at) => this.#item(entry, at))}</ol>`;
  }

  moving() {
    const { t } = this;
    return html`${this.isMoved ? html`<section class="policy-order" aria-label=${t(`${this.kind}.order`)}>
      ${this.effect()}
      <div class="form-acts"><button type="button" class="button policy-order-undo" ?disabled=${this.busy}
          @click=${() => this.#putBack()}>${t(`${this.kind}.order.undo`)}</button>
        <button type="button" class="button button-accent policy-order-save" ?disabled=${this.busy}
          @click=${() => this.#saveOrder()}>${t(`${this.kind}.order.save`)}</button></div></section>` : ""}
      <p class="unseen" role="status">${this.#told}</p>`;
  }

  #item(entry, at) {
    const { t, kind } = this;
    const name = shown(entry.name);
    const move = (to) => this.#move(entry, to);
    const said = (key) => ({ label: `${t(`${kind}.${key}`)}: ${name}`, title: t(`${kind}.${key}`) });
    return html`<li class="policy" data-id=${entry.id} data-dragged=${this.#dragged === entry.id}>
      <span class="policy-handle" aria-hidden="true" title=${t(`${kind}.drag`)}
        @pointerdown=${(event) => this.#drag(event, entry)}>⠿</span>
      <button type="button" class="policy-open" aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        title=${t(`${kind}.open`)}
        @click=${() => this.edit(entry)} @keydown=${(event) => onKey(event, at, move)}><span
          class="policy-place">${t.number(at + 1)}</span>
        <span class="policy-text">${this.about(entry)}</span></button>
      <span class="policy-acts">${moveButtons({ at, count: this.order.length, className: "policy", said, move })}
        <button type="button" class="icon-button policy-delete" aria-label=${`${t(`${kind}.delete`)}: ${name}`}
          title=${t(`${kind}.delete`)} @click=${() => this.remove(entry)}>${ICONS.close}</button></span></li>`;
  }

  #move({ id, name }, to) {
    const from = this.order.findIndex((one) => one.id === id);
    if (to < 0 || to >= this.order.length || to === from) return false;
    this.order = moved(this.order, from, to);
    this.#told = this.t(`${this.kind}.moved`, { name, place: to + 1, total: this.order.length });
    this.looked();
    this.area.paint();
    return true;
  }

  #drag(event, entry) {
    const before = this.order;
    const drag = followDrag(event, {
      list: () => this.area.root.querySelector(".policy-list"),
      move: (to) => this.#move(entry, to),
      end: (isKept) => {
        this.#dragged = null;
        if (!isKept) this.order = before;
        this.looked();
        this.area.paint();
      },
    });
    if (drag) this.#dragged = entry.id;
    this.area.paint();
  }

  #putBack() {
    this.order = this.saved;
    this.looked();
    this.area.paint();
    this.#focusFirst();
  }

  // First checks whether the order is still the one that was changed: a colleague's change is not undone.
  async #saveOrder() {
    const { t } = this;
    this.busy = true;
    this.area.paint();
    await this.run(async () => {
      const entries = await this.read();
      if (isSameOrder(entries, this.saved)) {
        await this.saveIds(this.order.map(({ id }) => id));
        this.saved = this.order;
        await this.begin();
        this.area.say(t(`${this.kind}.order.saved`));
      } else {
        this.take(entries);
        this.area.say(t(`${this.kind}.order.other`));
      }
    });
    this.busy = false;
    this.area.paint();
    if (!this.isMoved) this.#focusFirst();
  }

  #focusFirst() { /** @type {HTMLElement} */ (this.area.root.querySelector(".policy-open"))?.focus(); }
}

function onKey(event, at, move) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { currentTarget } = event;
  move(at + step);
  currentTarget.focus();
}
