// The pane that a narrow screen shows, and what Esc and the back button leave.

import { onResize } from "../../browser.js";
import { LIST_PX } from "../../core/prefs.js";
import { PageModule } from "../elements/page-module.js";

export class Layout extends PageModule {
  panel = "list"; // "list" or "thread"
  #narrow = window.matchMedia("(max-width: 720px)");

  get #onlyThread() { return this.panel === "thread" && this.#narrow.matches; }

  back() {
    const { past } = this.ui;
    if (this.ui.picks.size) return this.ui.picks.clear();
    if (this.ui.search.shown && !this.#onlyThread) return this.ui.search.back();
    if (this.#onlyThread) {
      this.panel = "list";
      this.ui.painter.ask("shell");
    }
    else if (past) return past.back();
    return (past ?? this.ui.listPane).focus();
  }
}

// The panes of the page: F6 moves between them, and the list's width is set by keys or dragging.
const PANES = ["nav", "list", "past-list", "messages", "composer"];

// step: 1 for the next pane, -1 for the previous one.
/** @param {number} step */
export function nextPane(step, hasThread) {
  const shown = PANES.filter((id) => document.getElementById(id)?.checkVisibility({ visibilityProperty: true })
    && (id !== "composer" || hasThread));
  const at = shown.findIndex((id) => document.getElementById(id).contains(document.activeElement));
  const next = shown[(at + step + shown.length) % shown.length];
  const element = document.getElementById(next);
  /** @type {HTMLElement | null} */
  const inside = element.querySelector('[aria-current="true"].nav-item, textarea');
  (inside ?? element).focus();
}

const clamp = (px) => Math.min(Math.max(LIST_PX.least, Math.round(px)), LIST_PX.most);

export class Splitter extends PageModule {
  #dragged = false;

  /** @param {Page & { element: HTMLDialogElement, panel: HTMLElement, list: HTMLElement }} page */
  constructor({ element, panel, list, ...page }) {
    super(page);
    this.element = element;
    this.panel = panel;
    this.list = list;
    element.setAttribute("aria-valuemin", String(LIST_PX.least));
    element.setAttribute("aria-valuemax", String(LIST_PX.most));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("pointerdown", (event) => {
      this.#dragged = true;
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => this.#drag(event));
    element.addEventListener("pointerup", () => this.#drop());
    element.addEventListener("dblclick", () => this.#set(null));
    this.#write();
    onResize(list, () => this.#tell());
  }

  label() { this.element.setAttribute("aria-label", this.ui.language.t("list.width")); }

  #key(event) {
    const step = { ArrowLeft: -LIST_PX.step, ArrowRight: LIST_PX.step }[event.key];
    const to = { Home: LIST_PX.least, End: LIST_PX.most }[event.key];
    if (step === undefined && to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#set(clamp(to ?? this.list.offsetWidth + step));
  }

  #drag(event) {
    if (!this.#dragged) return;
    const px = clamp(event.clientX - this.panel.getBoundingClientRect().left);
    document.documentElement.style.setProperty("--list-px", `${px}px`);
  }

  #drop() {
    if (this.#dragged) this.#set(clamp(this.list.offsetWidth));
    this.#dragged = false;
  }

  // px: null for the width in the style sheet.
  #set(px) {
    this.data.prefs.change({ list_width: px });
    this.#write();
  }

  #write() {
    const { list_width: px } = this.data.prefs.kept;
    if (px) document.documentElement.style.setProperty("--list-px", `${clamp(px)}px`);
    else document.documentElement.style.removeProperty("--list-px");
  }

  #tell() { this.element.setAttribute("aria-valuenow", String(this.list.offsetWidth)); }
}

// The height of rows: as chosen, and larger on touch screens.
const ROW_PX = { comfortable: 64, compact: 44, touch: 72 };

export class Density extends PageModule {
  #touch = window.matchMedia("(pointer: coarse)");

  // changed(fromPx): called with the former height of rows.
  /** @param {Page & { changed: (fromPx: number) => void, root?: HTMLElement }} page */
  constructor({ changed, root = document.documentElement, ...page }) {
    super(page);
    this.changed = changed;
    this.root = root;
    this.#write();
    this.#touch.addEventListener("change", () => this.#apply());
  }

  get name() { return this.#touch.matches ? "touch" : this.data.prefs.kept.density; }

  /** @param {string} density */
  choose(density) {
    this.data.prefs.change({ density });
    this.#apply();
  }

  #apply() {
    const from = this.rowPx;
    this.#write();
    this.changed(from);
  }

  #write() {
    this.rowPx = ROW_PX[this.name];
    this.root.dataset.density = this.name;
    this.root.style.setProperty("--row-px", `${this.rowPx}px`);
  }
}

// Light, dark or system. The server writes the attribute, so that a page does not load in another theme.
export class Theme {
  constructor(page = document) {
    this.page = page;
  }

  get name() { return this.page.documentElement.dataset.theme || "system"; }

  /** @param {string} name */
  choose(name) { this.page.documentElement.dataset.theme = name; }
}
