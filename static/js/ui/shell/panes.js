// The parts of the page: F6 goes from one to the next, and the list's width is set by key or drag.

import { onResize } from "../../browser.js";
import { LIST_PX } from "../../core/prefs.js";

const PANES = ["nav", "list", "messages", "composer"];

// step: 1 for the next one, -1 for the one before.
/** @param {number} step */
export function nextPane(step, hasThread) {
  const shown = PANES.filter((id) => document.getElementById(id).offsetParent !== null
    && (id !== "composer" || hasThread));
  const at = shown.findIndex((id) => document.getElementById(id).contains(document.activeElement));
  const next = shown[(at + step + shown.length) % shown.length];
  const element = document.getElementById(next);
  /** @type {HTMLElement | null} */
  const inside = element.querySelector('[aria-current="true"].nav-item, textarea');
  (inside ?? element).focus();
}

const clamp = (px) => Math.min(Math.max(LIST_PX.least, Math.round(px)), LIST_PX.most);

export class Splitter {
  #dragged = false;

  /** @param {SplitterParts} parts */
  constructor({ element, panel, list, prefs, language }) {
    this.element = element;
    this.panel = panel;
    this.list = list;
    this.prefs = prefs;
    this.language = language;
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

  label() { this.element.setAttribute("aria-label", this.language.t("list.width")); }

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

  // px: null for the width that the style sheet gives.
  #set(px) {
    this.prefs.change({ list_width: px });
    this.#write();
  }

  #write() {
    const { list_width: px } = this.prefs.kept;
    if (px) document.documentElement.style.setProperty("--list-px", `${clamp(px)}px`);
    else document.documentElement.style.removeProperty("--list-px");
  }

  #tell() { this.element.setAttribute("aria-valuenow", String(this.list.offsetWidth)); }
}
