// Picking rows by key and pointer. While rows are picked the order on screen stays.

import { PICKED_MAX } from "../core/selection.js";

export class Picks {
  constructor({ desk, selection }) {
    Object.assign(this, { desk, selection });
  }

  get size() { return this.selection.size; }
  get ids() { return this.selection.ids; }
  has(id) { return this.selection.has(id); }

  toggle() {
    const { listing, listPane, threadId } = this.desk;
    const id = listing.activeId ?? threadId;
    if (!listing.ready) return;
    if (id === null || listing.view.indexOf(id) < 0) listPane.walk(0);
    if (listing.activeId === null) listing.activeId = id;
    if (listing.activeId !== null) this.#toggle(listing.activeId);
  }

  extend(step) {
    const { listing, listPane } = this.desk;
    if (!listing.ready) return;
    if (!this.size && listing.activeId !== null) this.#toggle(listing.activeId);
    listPane.walk(step);
    this.#rangeTo(listing.activeId);
  }

  all() {
    const { view } = this.desk.listing;
    if (!view) return;
    const { length } = view;
    const ids = Array.from({ length: Math.min(length, PICKED_MAX) }, (_, at) => view.idAt(at));
    this.selection.range(ids);
    this.#changed();
  }

  // Returns whether the press was one of picking.
  pressed(id, { ctrlKey, metaKey, shiftKey }) {
    if (shiftKey && this.selection.anchor !== null) this.#rangeTo(id);
    else if (ctrlKey || metaKey || shiftKey) this.#toggle(id);
    else return false;
    this.desk.listing.activeId = id;
    return true;
  }

  drop(id) {
    this.selection.drop(id);
    this.#changed();
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
    const { view } = this.desk.listing;
    const [from, to] = [this.selection.anchor ?? id, id].map((each) => view.indexOf(each));
    if (from < 0 || to < 0) return this.#toggle(id);
    const first = Math.min(from, to);
    const ids = Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => view.idAt(first + at));
    this.selection.range(ids);
    return this.#changed();
  }

  #changed() {
    const { desk } = this;
    desk.hold.pick(this.size > 0);
    if (this.size && desk.listing.ready) desk.listing.view.hold();
    desk.announce(desk.t("pick.count", { count: this.size }));
    desk.ask("list", "header");
  }
}
