// Selects rows by keys and pointer. While rows are selected, the order on screen is held.

import { PageModule } from "../elements/page-module.js";

const ELSEWHERE = "#nav, #list-header, #list-about, #past";

export class Picks extends PageModule {
  #all = false; // whether all loaded rows were selected at once: then the rest is offered
  #loading = false;
  selection = new Selection();

  get size() { return this.selection.size; }
  get ids() { return this.selection.ids; }
  /** @param {number} id */
  has(id) { return this.selection.has(id); }

  // The threads on which a key acts: the selected ones, else the row of the keyboard if the list has the focus,
  // else the open thread. null: none, also if another part of the page has the focus.
  /** @returns {Target | null} */
  get target() {
    const { data: { thread, lists: { listing } }, ui: { listPane } } = this;
    const { activeElement } = document;
    if (this.size) return { ids: this.ids, isPicked: true };
    if (activeElement?.id === "list" && listing.activeId !== thread.id) {
      const { activeId, painted } = listing;
      const isThere = listPane.activeIndex() >= 0 && painted.markOf(activeId) !== "left";
      return isThere ? { ids: [activeId], isPicked: false } : null;
    }
    return activeElement?.closest(ELSEWHERE) ? null : this.opened;
  }

  // The open thread, on which the buttons and menus at its head act; null if there is none.
  /** @returns {Target | null} */
  get opened() {
    const { id } = this.data.thread;
    return id === null ? null : { ids: [id], isPicked: false };
  }

  // Returns the row of a single thread; undefined for several.
  /** @param {Target} target */
  rowOf({ ids: [id], isPicked }) { return isPicked ? undefined : this.data.rows.get(id); }

  // Returns {count, total, loading} if "select all" left out threads that are not loaded.
  get offer() {
    const total = this.data.lists.sync.order?.total ?? 0;
    if (!this.#all || !this.size || this.size >= total) return null;
    return { count: this.size, total, loading: this.#loading };
  }

  toggle() {
    const { listing } = this.data.lists;
    const id = listing.activeId ?? this.data.thread.id;
    if (!listing.ready) return;
    if (id === null || listing.painted.indexOf(id) < 0) this.ui.listPane.walk(0);
    if (listing.activeId === null) listing.activeId = id;
    if (listing.activeId !== null) this.#toggle(listing.activeId);
  }

  /** @param {number} step */
  extend(step) {
    const { listing } = this.data.lists;
    if (!listing.ready) return;
    if (!this.size && listing.painted.indexOf(listing.activeId) >= 0) this.#toggle(listing.activeId);
    this.ui.listPane.walk(step);
    this.#rangeTo(listing.activeId);
  }

  // Selects all loaded threads; `whole` also selects the others.
  all() {
    const { painted } = this.data.lists.listing;
    if (!painted) return;
    this.selection.range(idsOf(painted, 0, painted.length));
    this.#changed(true);
  }

  // Selects all threads of the list, and loads missing ones. Never throws; if they cannot be
  // loaded, the offer stays.
  async whole() {
    const { listing, sync } = this.data.lists.current;
    this.#loading = true;
    this.ui.painter.ask("banner");
    await sync.loadAll();
    this.#loading = false;
    if (this.#all && listing === this.data.lists.listing) this.all();
    this.ui.painter.ask("banner");
  }

  // A finger stayed on the row: selects it; further rows are selected by a tap.
  /** @param {number} id */
  touched(id) {
    this.data.lists.listing.activeId = id;
    this.#toggle(id);
    globalThis.navigator?.vibrate?.(15);
  }

  // Returns whether the press changed the selection.
  pressed(id, { ctrlKey, metaKey, shiftKey, pointerType }) {
    if (pointerType === "touch" && this.size) this.#toggle(id);
    else if (shiftKey && this.selection.anchor !== null) this.#rangeTo(id);
    else if (ctrlKey || metaKey || shiftKey) this.#toggle(id);
    else return false;
    this.data.lists.listing.activeId = id;
    return true;
  }

  /** @param {number[]} ids */
  drop(ids) {
    this.selection.drop(ids);
    this.#changed(this.#all);
  }

  clear() {
    if (!this.size) return;
    this.selection.clear();
    this.#changed();
  }

  #toggle(id) {
    this.selection.toggle(id);
    this.#changed();
  }

  #rangeTo(id) {
    const { painted } = this.data.lists.listing;
    const [from, to] = [this.selection.anchor ?? id, id].map((each) => painted.indexOf(each));
    if (from < 0 || to < 0) return this.#toggle(id);
    this.selection.range(idsOf(painted, Math.min(from, to), Math.max(from, to) + 1));
    return this.#changed();
  }

  #changed(all = false) {
    const { listing } = this.data.lists;
    this.#all = all && this.size > 0;
    this.data.hold.pick(this.size > 0);
    if (this.size && listing.ready) listing.painted.hold();
    this.ui.announce(countText(this, this.ui.language.t));
    this.ui.painter.ask("list", "header", "banner");
  }
}

const idsOf = (painted, first, end) => painted.entries({ first, end }).map(({ id }) => id);

// "3 selected", or "600 of 4,321 selected".
/** @param {Picks} picks @param {Translate} t */
export function countText(picks, t) {
  const { offer, size } = picks;
  return offer ? t("pick.of", { count: size, total: t.number(offer.total) })
    : t("pick.count", { count: size });
}

// The selected threads, by id: moves in the list do not change the selection.
export class Selection {
  anchor = null; // the beginning of a range
  #ids = new Set();
  #base = new Set(); // threads selected before the range

  get size() { return this.#ids.size; }
  get ids() { return [...this.#ids]; }
  /** @param {number} id */
  has(id) { return this.#ids.has(id); }

  /** @param {number} id */
  toggle(id) {
    if (!this.#ids.delete(id)) this.#ids.add(id);
    this.#from(id);
  }

  // ids: from the anchor to the current end of the range.
  /** @param {number[]} ids */
  range(ids) { this.#ids = new Set([...this.#base, ...ids]); }

  /** @param {number[]} ids */
  drop(ids) {
    for (const id of ids) {
      this.#ids.delete(id);
      this.#base.delete(id);
    }
  }

  clear() {
    this.#ids.clear();
    this.#from(null);
  }

  #from(id) {
    this.anchor = id;
    this.#base = new Set(this.#ids);
  }
}
