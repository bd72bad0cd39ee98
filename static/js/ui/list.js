// The list pane: paints the rows in view and keeps what is aimed at in its place.

import { anchorOf } from "../core/listing.js";
import { inView, range, topFor } from "../core/window.js";
import { glow, Motion } from "./motion.js";
import { Pointer } from "./pointer.js";
import { RowPool } from "./pool.js";
import { rowChangesIn } from "./row.js";
import { Scroller } from "./scroller.js";

const OVERSCAN = 6;
const REFRESH_MS = { least: 1000, most: 60_000 };

// desk gives what to show and takes the verbs; see desk.js.
export class ListPane {
  #listing = null;
  #painted = []; // rows of which anything is seen: {id, index}
  #motion = new Motion();
  #timer = null;

  constructor({ root, desk }) {
    this.root = root;
    this.desk = desk;
    this.scroller = new Scroller({ root, scrolled: () => this.#scrolled() });
    this.pool = new RowPool(this.scroller.spacer);
    this.pointer = new Pointer({
      root,
      hold: desk.hold,
      now: desk.now,
      idAt: (y) => this.#paintedAt(y)?.id ?? null,
      pressed: (id, event) => this.#pressed(id, event),
      changed: () => this.#ask(),
    });
    root.addEventListener("scrollend", () => this.#ask(), { passive: true });
    new ResizeObserver(() => this.#ask()).observe(root);
  }

  get #px() { return this.desk.density.rowPx; }
  get #ready() { return this.#listing?.ready === true; }
  get #view() { return this.#listing.view; }

  walk(step) {
    if (!this.#ready || !this.#view.length) return;
    const at = this.activeIndex();
    const to = at < 0 ? this.firstSeen() : at + step;
    this.activate(Math.min(Math.max(0, to), this.#view.length - 1));
  }

  page(direction) {
    this.walk(direction * Math.max(1, Math.floor(this.scroller.height / this.#px) - 1));
  }

  // Commits, goes to the top, is live again.
  toTop() {
    this.desk.hold.release();
    if (!this.#ready) return;
    if (!this.desk.picks.size) this.#commit();
    this.#listing.moved.clear();
    this.#listing.activeId = this.#view.length ? this.#view.idAt(0) : null;
    this.scroller.to(0);
    this.#ask();
  }

  toEnd() {
    if (!this.#ready) return;
    this.desk.hold.keyed(this.desk.now());
    this.#listing.activeId = null;
    this.scroller.to(this.#view.total * this.#px);
    this.#ask();
  }

  openActive() {
    if (this.#ready && this.activeIndex() >= 0) this.desk.open(this.#listing.activeId);
  }

  // The thread is in the head: brings it into view and lets it glow.
  showThread(id) {
    const index = this.#ready ? this.#view.indexOf(id) : -1;
    if (index < 0) return;
    const { top, height } = this.scroller;
    this.desk.hold.keyed(this.desk.now());
    this.#listing.activeId = id;
    if (this.#topFor(index, top) !== top) this.scroller.to(this.#topFor(index, 0, "center"));
    this.paint();
    glow(this.pool.get(id).element);
  }

  // The thread to go on with when this one is done.
  nextTo(id) {
    const index = this.#ready ? this.#view.indexOf(id) : -1;
    if (index < 0) return null;
    return this.#view.idAt(index + 1 < this.#view.length ? index + 1 : index - 1) ?? null;
  }

  // The rows are of another height now.
  resized(fromPx) {
    const { top } = this.scroller;
    this.scroller.resize((this.#ready ? this.#view.total : 0) * this.#px);
    this.scroller.to((top / fromPx) * this.#px);
    this.#ask();
  }

  focus() { this.root.focus({ preventScroll: true }); }

  paint() {
    const { listing } = this.desk;
    if (listing !== this.#listing) this.#switch(listing);
    if (!this.#ready) return this.#paintLoading();
    const now = this.desk.now();
    this.#settle(now);
    this.scroller.resize(this.#view.total * this.#px);
    this.#paintRows(now);
    this.#animate(now);
    this.#look(now);
    return this.#schedule(now);
  }

  #switch(listing) {
    if (this.#listing) this.#listing.top = this.scroller.top / this.#px;
    this.#listing = listing;
    this.#painted = [];
    this.#motion.restart(listing.moves);
    this.scroller.restart();
    this.scroller.resize((listing.ready ? this.#view.total : 0) * this.#px);
    this.scroller.to(listing.top * this.#px);
  }

  #paintLoading() {
    const count = Math.ceil(this.scroller.height / this.#px);
    this.scroller.resize(count * this.#px);
    const keys = Array.from({ length: count }, (_, index) => `empty-${index}`);
    this.pool.show(keys, (key, row) => {
      const index = keys.indexOf(key);
      row.bindEmpty(this.desk.t("list.loading"));
      row.place(index * this.#px, index, -1);
    });
  }

  // Lets go of a hold that is over, and keeps the anchor's pixel through whatever moved.
  #settle(now) {
    const { moved } = this.#listing;
    const { held } = this.#view;
    if (held && !this.desk.mayMove(now)) {
      this.#listing.unpainted = false;
      return;
    }
    const release = held && !this.#listing.unpainted;
    if (held || moved.size) this.#commit();
    if (!this.#anchored(release)) return;
    const anchor = anchorOf(this.#candidates(release), moved, (id) => this.#view.indexOf(id));
    const shift = anchor ? this.#view.indexOf(anchor.id) - anchor.from : 0;
    if (!shift) return;
    const { top } = this.scroller;
    this.scroller.resize(this.#view.total * this.#px);
    this.scroller.to(top + shift * this.#px);
  }

  #commit() {
    this.#listing.commit();
    this.desk.committed();
  }

  // At the top nothing is kept in place, unless someone points at it or walked there by keys.
  #anchored(release) {
    return this.scroller.top > 0 || this.pointer.inside || (release && this.#keyActive());
  }

  #candidates(release) {
    const hovered = this.pointer.inside ? this.#paintedAt(this.pointer.y) : null;
    const active = release && this.#keyActive()
      ? this.#painted.find(({ id }) => id === this.#listing.activeId) : null;
    return [hovered, active, ...this.#painted].filter(Boolean);
  }

  #paintRows(now) {
    const { total, length } = this.#view;
    const { top, height } = this.scroller;
    const { first, end } = range(top, height, total, OVERSCAN, this.#px);
    const active = this.activeIndex();
    const indexes = Array.from({ length: end - first }, (_, place) => first + place);
    if (active >= 0 && active < first) indexes.unshift(active);
    if (active >= end) indexes.push(active);
    const places = new Map(indexes.map((index) => [
      index < length ? this.#view.idAt(index) : `empty-${index}`, index,
    ]));
    const look = this.desk.rowLook(now);
    this.pool.show([...places.keys()], (key, row) => {
      const index = places.get(key);
      this.#bind(row, key, { ...look, outside: index < first || index >= end });
      row.place(this.scroller.place(index * this.#px, this.#px), index, total);
    });
    this.#tellActive(active);
  }

  #bind(row, key, look) {
    const listing = this.#listing;
    if (typeof key === "string") row.bindEmpty(look.t("list.loading"));
    else {
      row.bind(key, listing.rows.get(key), {
        ...look,
        current: key === this.desk.threadId,
        active: key === listing.activeId,
        picked: this.desk.picks.has(key),
        answeredBy: this.desk.leavers.nameOf(key),
        fresh: listing.fresh.has(key),
        mark: this.#view.markOf(key),
      });
    }
  }

  #tellActive(active) {
    if (active < 0) this.root.removeAttribute("aria-activedescendant");
    else this.root.setAttribute("aria-activedescendant", `row-${this.#listing.activeId}`);
  }

  #animate(now) {
    const { moved, moves } = this.#listing;
    const still = this.#view.held || this.desk.hold.pace(now) > 0;
    const movers = still ? [] : [...moved].map((id) => this.pool.get(id)).filter(Boolean);
    if (!this.#view.held) moved.clear();
    this.#motion.play(movers.map(({ element }) => element), moves, now);
  }

  // Notes what is on screen now and tells the others.
  #look(now) {
    const { top, height } = this.scroller;
    const { total, length } = this.#view;
    const idsOf = ({ first, end }) => Array.from(
      { length: Math.max(0, Math.min(end, length) - first) },
      (_, place) => ({ id: this.#view.idAt(first + place), index: first + place }),
    );
    const seen = inView(top, height, total, this.#px);
    const wide = range(top, height, total, OVERSCAN, this.#px);
    this.#painted = idsOf(seen);
    this.#lookForNews(seen, now);
    this.#listing.fresh.seen(new Set(this.#painted.map(({ id }) => id)), now);
    this.desk.follow.look(seen);
    this.desk.onScreen(idsOf(wide).map(({ id }) => id), wide.end);
  }

  #lookForNews(seen, now) {
    const held = this.desk.hold.state(now) !== "live";
    if (held) this.#listing.looksAt(Math.max(0, seen.end - 1));
    else this.#listing.looksAt(this.scroller.top > 0 ? seen.first : null);
    if (!this.#view.held) for (const { id } of this.#painted) this.#listing.news.delete(id);
  }

  // One timer for all that time alone changes: ages, marks, the end of a hold.
  #schedule(now) {
    const rows = this.#painted.map(({ id }) => this.#listing.rows.get(id)).filter(Boolean);
    const ages = rows.map((row) => rowChangesIn(row, now));
    const age = Math.max(REFRESH_MS.least, Math.min(REFRESH_MS.most, ...ages));
    const waits = [this.desk.holdWait(now), this.#listing.fresh.wait(now)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#ask(), Math.min(age, ...waits.filter((ms) => ms !== null)) + 1,
    );
  }

  #scrolled() {
    this.desk.hold.scrolled(this.desk.now());
    this.#ask();
  }

  #pressed(id, event) {
    if (!this.#listing) return;
    this.pointer.keyed = false;
    if (this.desk.picks.pressed(id, event)) return;
    this.#listing.activeId = id;
    this.desk.open(id);
  }

  #topFor(index, top, align) {
    return topFor(index, top, this.scroller.height, align, this.#px);
  }

  activate(index) {
    this.desk.hold.keyed(this.desk.now());
    this.pointer.keyed = true;
    this.#listing.activeId = this.#view.idAt(index);
    this.scroller.to(this.#topFor(index, this.scroller.top));
    this.#ask();
  }

  #keyActive() { return this.pointer.keyed && document.activeElement === this.root; }

  activeIndex() {
    const { activeId } = this.#listing;
    return activeId === null ? -1 : this.#view.indexOf(activeId);
  }

  firstSeen() { return Math.ceil(this.scroller.top / this.#px); }

  #paintedAt(y) {
    const index = Math.floor((this.scroller.top + y) / this.#px);
    return this.#painted.find((row) => row.index === index) ?? null;
  }

  #ask() { this.desk.ask("list", "header"); }
}
