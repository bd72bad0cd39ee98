// Moves a saved view of the left column to another place: by the pointer, or by Alt and an arrow key.

import { PageModule } from "../elements/page-module.js";

const SLOP_PX = 6;
const EDGE_PX = 20; // this near to its edge, the list scrolls
const SCROLL_PX = 8;
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

export class ViewDrag extends PageModule {
  id = null; // of the view that is being dragged
  #press = null; // {id, x, y, list, from}
  #listening = null;

  // Fingers scroll the list; they move views in the dialog.
  /** @param {PointerEvent} event */
  press({ target, clientX, clientY, button, pointerType }) {
    const view = target instanceof Element ? target.closest("[data-view]") : null;
    if (!(view instanceof HTMLElement) || button !== 0 || pointerType === "touch") return;
    const id = view.dataset.view;
    const from = this.data.savedViews.list.findIndex((each) => each.id === id);
    this.#press = { id, x: clientX, y: clientY, list: view.parentElement, from };
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const on = (name, act) => addEventListener(name, act, { signal, capture: true });
    on("pointermove", (event) => this.#move(event));
    on("pointerup", () => this.#end());
    on("pointercancel", () => this.#cancel());
    on("keydown", (event) => {
      if (event.key === "Escape" && this.id !== null) this.#cancel(event);
    });
  }

  // Alt and an arrow key move the focused view; it keeps the focus.
  /** @param {{target: HTMLElement, key: string}} event */
  key({ target, key }) {
    const view = target.closest("[data-view]");
    const id = view instanceof HTMLElement ? view.dataset.view : "";
    const { savedViews: views } = this.data;
    const place = views.list.findIndex((view) => view.id === id);
    if (place < 0 || !views.move(id, place + STEPS[key])) return;
    this.ui.painter.ask("nav");
    // An element loses the focus when it is moved in the page.
    requestAnimationFrame(() => target.focus());
    this.#announce(id);
  }

  #announce(id) {
    const { list } = this.data.savedViews;
    const place = list.findIndex((view) => view.id === id);
    if (place < 0) return;
    this.ui.announce(this.ui.language.t("views.moved", {
      name: list[place].name, place: place + 1, total: list.length,
    }));
  }

  #move({ clientX, clientY, buttons }) {
    const { id, x, y, list } = this.#press;
    if (!buttons) return this.#end();
    if (this.id === null && Math.hypot(clientX - x, clientY - y) < SLOP_PX) return undefined;
    this.id = id;
    const { top, bottom } = list.getBoundingClientRect();
    if (clientY < top + EDGE_PX) list.scrollTop -= SCROLL_PX;
    else if (clientY > bottom - EDGE_PX) list.scrollTop += SCROLL_PX;
    const [first, second] = list.children;
    const step = second ? second.offsetTop - first.offsetTop : 1;
    this.data.savedViews.move(id, Math.floor((clientY - top + list.scrollTop) / step));
    this.ui.painter.ask("nav");
    return undefined;
  }

  #cancel(event) {
    const { id, from } = this.#press;
    event?.preventDefault();
    event?.stopPropagation();
    this.data.savedViews.move(id, from);
    this.#end();
  }

  #end() {
    const { id } = this;
    this.#listening.abort();
    this.id = null;
    if (id === null) return;
    // The dragged view must not be clicked as well.
    const stop = (event) => event.stopPropagation();
    addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", stop, { capture: true }));
    this.#announce(id);
    this.ui.painter.ask("nav");
  }
}
