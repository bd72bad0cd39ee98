// The list pane: paints the rows in view, and keeps the row that the admin aims at in its place.

import { anchorOf } from "../../core/list/listing.js";
import { indexesOf, inView, range, topFor } from "../../core/list/window.js";
import { rowsChangeIn } from "../../core/time.js";
import { PageModule } from "../elements/page-module.js";
import { Pointer, Scroller } from "./input.js";
import { RowLook } from "./row-look.js";
import { RowPool } from "./row.js";

const OVERSCAN = 6;

export class ListPane extends PageModule {
  #listing = null;
  #painted = []; // rows that are at least partly visible: {id, index}
  #seen = { first: 0, end: 0 }; // their indexes
  #motion = new Motion();
  #timer = null;

  // shown({seen, ids, end}): called after each painting; open(id) opens a thread.
  /** @param {Page & {
   *   root: HTMLElement, shown: (painted: { seen: { first: number, end: number }; ids: number[]; end: number }) => void,
   * }} page */
  constructor({ root, shown, ...page }) {
    super(page);
    this.root = root;
    this.rowLook = new RowLook(page);
    this.shown = shown;
    const ask = () => this.#ask();
    this.scroller = new Scroller({ root, scrolled: () => this.#scrolled(), resized: ask });
    this.pool = new RowPool(this.scroller.spacer);
    this.seam = new Seam(this.scroller.spacer);
    this.pointer = new Pointer({
      root, hold: this.data.hold, now: this.net.now,
      pressed: (id, event) => this.#pressed(id, event),
      pressedLong: (id) => this.ui.picks.touched(id),
      changed: ask,
    });
    root.addEventListener("scrollend", ask, { passive: true });
  }

  get #px() { return this.ui.density.rowPx; }
  get #ready() { return this.#listing?.ready === true; }
  get #view() { return this.#listing.painted; }

  /** @param {number} step */
  walk(step) {
    if (!this.#ready || !this.#view.length) return;
    const at = this.#walksFrom(step);
    this.activate(this.#view.rowAt(at < 0 ? this.firstSeen() : at + step, step));
  }

  // Returns the index of the keyboard's row, or the place of the open thread before it moved out of view.
  #walksFrom(step) {
    const at = this.activeIndex();
    const { activeId } = this.#listing;
    const isSeen = this.#painted.some(({ id }) => id === activeId);
    const beside = at < 0 || isSeen ? null : this.data.neighbours.beside(activeId, step);
    return beside === null ? at : this.#view.indexOf(beside) - Math.sign(step);
  }

  /** @param {number} direction */
  page(direction) { this.walk(direction * Math.max(1, Math.floor(this.scroller.height / this.#px) - 1)); }

  // Applies the latest order, scrolls to the top, and becomes live again.
  toTop() {
    this.data.hold.release();
    if (!this.#ready) return;
    if (!this.ui.picks.size) this.#commit();
    this.#listing.moved.clear();
    this.#listing.activeId = this.#view.firstId;
    this.scroller.to(0);
    this.#ask();
  }

  toEnd() {
    if (!this.#ready) return;
    this.data.hold.keyed(this.net.now());
    this.#listing.activeId = null;
    this.scroller.to(this.#view.total * this.#px);
    this.#ask();
  }

  openActive() { if (this.#ready && this.activeIndex() >= 0) this.acts.open(this.#listing.activeId); }

  // Scrolls a loaded thread into view and highlights it for a moment.
  /** @param {number} id */
  showThread(id) {
    const index = this.#ready ? this.#view.indexOf(id) : -1;
    if (index < 0) return;
    const { top, height } = this.scroller;
    this.data.hold.keyed(this.net.now());
    this.#listing.activeId = id;
    if (this.#topFor(index, top) !== top) this.scroller.to(this.#topFor(index, 0, "center"));
    this.paint();
    glow(this.pool.get(id).element);
  }

  // Returns the thread to open after this one: the next below, else the one above, else null.
  /** @param {number} id */
  nextTo(id) { return this.#ready ? this.#view.nextTo(id) : null; }

  // fromPx: the former height of rows.
  /** @param {number} fromPx */
  resized(fromPx) {
    const { top } = this.scroller;
    this.scroller.resize((this.#ready ? this.#view.total : 0) * this.#px);
    this.scroller.to((top / fromPx) * this.#px);
    this.ui.painter.askAll();
  }

  focus() { this.root.focus({ preventScroll: true }); }

  paint() {
    const { listing } = this.data.lists;
    if (listing !== this.#listing) this.#switch(listing);
    if (!this.#ready) return this.#paintLoading();
    const now = this.net.now();
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
    this.seam.show(null, "");
    this.pool.showEmpty(count, this.#px, this.rowLook.at(this.net.now()).t("list.loading"));
  }

  // Ends a hold if its time is over; keeps the anchor row at its pixel while others move.
  #settle(now) {
    const { moved } = this.#listing;
    const { held } = this.#view;
    this.data.hold.rest(this.#listing.aimsAt(this.pointer.aims ? this.#hovered()?.id : undefined));
    if (held && !this.data.movement.mayMove(now)) {
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
    this.data.movement.committed();
  }

  // At the top no row is anchored, unless the pointer or the keyboard is on one.
  #anchored(release) {
    return this.scroller.top > 0 || this.pointer.inside || (release && this.#keyActive());
  }

  #candidates(release) {
    const active = release && this.#keyActive()
      ? this.#painted.find(({ id }) => id === this.#listing.activeId) : null;
    return [this.#hovered(), active, ...this.#painted].filter(Boolean);
  }

  #paintRows(now) {
    const { total, length, seam } = this.#view;
    const { top, height } = this.scroller;
    const { first, end } = range(top, height, total, OVERSCAN, this.#px);
    const active = this.activeIndex();
    const indexes = indexesOf({ first, end }, active).filter((index) => index !== seam);
    const places = new Map(indexes.map((index) => [
      index < length ? this.#view.idAt(index) : `empty-${index}`, index,
    ]));
    const look = this.rowLook.at(now);
    const yOf = (index) => this.scroller.place(index * this.#px, this.#px);
    const line = look.t("archive.line", { count: this.#listing.archive.days });
    this.seam.show(seam >= first && seam < end ? yOf(seam) : null, line);
    this.pool.show([...places.keys()], (key, row) => {
      const index = places.get(key);
      this.#bind(row, key, { ...look, outside: index < first || index >= end });
      row.place(yOf(index), this.#view.placeOf(index), this.#view.isFirstArchived(index) ? line : "");
    });
    this.#setActiveDescendant(active);
  }

  #bind(row, key, look) {
    if (typeof key === "string") row.bindEmpty(look.t("list.loading"));
    else row.bind(key, this.#listing.rows.get(key), { ...look, ...this.rowLook.of(key) });
  }

  #setActiveDescendant(active) {
    if (active < 0) this.root.removeAttribute("aria-activedescendant");
    else this.root.setAttribute("aria-activedescendant", `row-${this.#listing.activeId}`);
  }

  #animate(now) {
    const { moved, moves } = this.#listing;
    const still = this.#view.held || this.data.hold.pace(now) > 0;
    const movers = still ? [] : [...moved].map((id) => this.pool.get(id)).filter(Boolean);
    if (!this.#view.held) moved.clear();
    this.#motion.play(movers.map(({ element }) => element), moves, now);
  }

  // Records the threads on screen, and passes them on.
  #look(now) {
    const { top, height } = this.scroller;
    const { total } = this.#view;
    const seen = inView(top, height, total, this.#px);
    const wide = range(top, height, total, OVERSCAN, this.#px);
    this.#painted = this.#view.entries(seen);
    this.#seen = seen;
    this.#lookForNews(now);
    this.#listing.fresh.seen(new Set(this.#painted.map(({ id }) => id)), now);
    this.shown({ seen, ids: this.#view.entries(wide).map(({ id }) => id), end: wide.end });
  }

  // Counts as news what comes above the last row in view while the list is held, else what comes above the first
  // one; that is in view itself if nothing keeps the rows at their pixels.
  #lookForNews(now) {
    const { first, end } = this.#seen;
    const isHeld = this.data.hold.state(now) !== "live";
    this.#listing.looksAt(isHeld ? Math.max(0, end - 1) : this.scroller.top > 0 || this.pointer.inside ? first : null);
    if (!this.#view.held) for (const { id } of this.#painted) this.#listing.news.delete(id);
  }

  // Sets one timer for everything that changes by time alone: ages, marks, the end of a hold, the archive.
  #schedule(now) {
    const { rows, fresh, archive } = this.#listing;
    const ids = [...this.#painted.map(({ id }) => id), this.rowLook.openId];
    const shown = ids.map((id) => rows.get(id)).filter(Boolean);
    const waits = [this.data.movement.wait(now), fresh.wait(now), rowsChangeIn(shown, now), archive.wait(ids)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), Math.min(...waits.filter((ms) => ms !== null)) + 1);
  }

  #scrolled() {
    this.data.hold.scrolled(this.net.now());
    this.#ask();
  }

  #pressed(id, event) {
    if (!this.#listing) return;
    this.pointer.keyed = false;
    if (this.ui.picks.pressed(id, event)) return;
    this.#listing.activeId = id;
    const when = event.pointerType === "touch" ? null : event.target.closest(".row-when");
    if (when) this.ui.explain.open(id, when);
    else this.acts.open(id);
  }

  #topFor(index, top, align) { return topFor(index, top, this.scroller.height, align, this.#px); }

  /** @param {number} index */
  activate(index) {
    this.data.hold.keyed(this.net.now());
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

  #hovered() {
    const index = Math.floor((this.scroller.top + this.pointer.y) / this.#px);
    return this.pointer.inside ? this.#painted.find((row) => row.index === index) : undefined;
  }

  // A frame may come before the painting: from now on it counts by what holds the list now.
  #ask() {
    if (this.#ready) this.#lookForNews(this.net.now());
    this.ui.painter.ask("list", "header");
  }
}

// Fades in rows that moved; if many move, they change places without animation.
const MOST = 4;
const PER_SECOND = 4;
const MS = 160;
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

class Motion {
  #at = 0;
  #moves = 0;
  #perSecond = 0;

  /** @param {number} moves */
  restart(moves) {
    this.#moves = moves;
    this.#perSecond = 0;
  }

  // elements: rows that moved; moves: the number of moves of the list so far.
  /** @param {HTMLElement[]} elements @param {number} moves @param {number} now */
  play(elements, moves, now) {
    if (now - this.#at >= 1000) {
      this.#perSecond = moves - this.#moves;
      this.#at = now;
      this.#moves = moves;
    }
    const speed = Math.max(this.#perSecond, moves - this.#moves);
    if (calm.matches || speed > PER_SECOND || elements.length > MOST) return;
    for (const element of elements) fade(element);
  }
}

const fade = (element) => element.animate(
  [{ opacity: 0.3, translate: "0 -8px" }, { opacity: 1, translate: "0 0" }],
  { duration: MS, easing: "cubic-bezier(.2,0,0,1)" },
);

/** @param {HTMLElement} element */
function glow(element) {
  element.animate([{ backgroundColor: "var(--pulse)" }, {}], { duration: 600, easing: "ease-out" });
}

// The line between the live list and its archived threads.
class Seam {
  #y = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.element = document.createElement("div");
    this.element.className = "list-seam";
    // Screen readers read it together with the first row below.
    this.element.setAttribute("role", "presentation");
    this.element.append(document.createElement("span"));
    this.element.hidden = true;
    parent.append(this.element);
  }

  // y: null if it is out of view.
  /** @param {number | null} y @param {string} text */
  show(y, text) {
    const [label] = this.element.children;
    if (label.textContent !== text) label.textContent = text;
    if (y === this.#y) return;
    this.#y = y;
    this.element.hidden = y === null;
    if (y !== null) this.element.style.transform = `translateY(${y}px)`;
  }
}
