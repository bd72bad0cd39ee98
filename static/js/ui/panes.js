// The parts of the page: F6 goes from one to the next, and the list's width is set by key or drag.

import { LIST_PX } from "../core/prefs.js";

const PANES = ["nav", "list", "messages", "composer"];

export function nextPane(desk, step) {
  const shown = PANES.filter((id) => document.getElementById(id).offsetParent !== null
    && (id !== "composer" || desk.threadId !== null));
  const at = shown.findIndex((id) => document.getElementById(id).contains(document.activeElement));
  const next = shown[(at + step + shown.length) % shown.length];
  const element = document.getElementById(next);
  (element.querySelector('[aria-current="true"].nav-item, textarea') ?? element).focus();
}

const clamp = (px) => Math.min(Math.max(LIST_PX.least, Math.round(px)), LIST_PX.most);

export class Splitter {
  #dragged = false;

  constructor({ element, panel, list, desk }) {
    Object.assign(this, { element, panel, list, desk });
    element.setAttribute("aria-valuemin", LIST_PX.least);
    element.setAttribute("aria-valuemax", LIST_PX.most);
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("pointerdown", (event) => {
      this.#dragged = true;
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => this.#drag(event));
    element.addEventListener("pointerup", () => this.#drop());
    element.addEventListener("dblclick", () => this.#set(null));
    this.#write();
    new ResizeObserver(() => this.#tell()).observe(list);
  }

  label() { this.element.setAttribute("aria-label", this.desk.t("list.width")); }

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
    this.panel.style.setProperty("--list-px", `${px}px`);
  }

  #drop() {
    if (this.#dragged) this.#set(clamp(this.list.offsetWidth));
    this.#dragged = false;
  }

  // px: null for the width that fits the window.
  #set(px) {
    this.desk.prefs.change({ list_width: px });
    this.#write();
  }

  #write() {
    const { list_width: px } = this.desk.prefs.kept;
    if (px) this.panel.style.setProperty("--list-px", `${clamp(px)}px`);
    else this.panel.style.removeProperty("--list-px");
  }

  #tell() { this.element.setAttribute("aria-valuenow", this.list.offsetWidth); }
}
