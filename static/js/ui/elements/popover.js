// Popovers opened by buttons, keys and commands, such as pickers: their place, the press that closes them,
// and the keys of a field with a list below it.

import { html } from "lit-html";

import { placeBelow } from "./menu.js";

// A press on the button of an open popover closes it, and then also becomes a click on the button.
const SAME_PRESS_MS = 300;
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Popover {
  #openers;
  #closedAt = -Infinity;

  // openers: selectors; the popover is placed below the first element that is on screen.
  /** @param {{element: HTMLElement, openers: string[], closed?: () => void}} given */
  constructor({ element, openers, closed = () => {} }) {
    this.element = element;
    this.#openers = openers;
    element.addEventListener("beforetoggle", ({ newState, timeStamp }) => {
      if (newState !== "closed") return;
      this.#closedAt = timeStamp;
      closed();
    });
  }

  get shown() { return this.element.matches(":popover-open"); }

  // Returns whether to open it now; an open one is closed. event: the press on a button.
  /** @param {MouseEvent | null} event */
  mayOpen(event) {
    if (this.shown) {
      this.element.hidePopover();
      return false;
    }
    return !event || event.timeStamp - this.#closedAt >= SAME_PRESS_MS;
  }

  place() {
    const openers = this.#openers.map((each) => document.querySelector(each));
    const opener = openers.find((each) => each?.checkVisibility()) ?? document.body;
    placeBelow(this.element, opener.getBoundingClientRect());
  }
}

// walk(step) moves in the list, choose(event) takes Enter. Letters do not work as shortcuts in
// the field.
export function onListKey(event, { walk, choose }) {
  if (event.isComposing || event.key === "Tab" || event.key === "Escape") return;
  event.stopPropagation();
  const step = STEPS[event.key];
  if (step) walk(step);
  else if (event.key === "Enter" && !event.target.matches("button")) choose(event);
  else return;
  event.preventDefault();
}

// Asks before something is done.

// Resolves to the answer; Esc and a press beside the question mean no. The focus is on the button for no,
// "Cancel" by default, so that a key that is still held down decides nothing.
// isRed: what is done cannot be undone.
/** @param {{element: HTMLElement, open: Function, close(): void}} dialog @param {{title: string, text: string, yes: string, no?: string, isRed?: boolean}} given @param {Translate} t @returns {Promise<boolean>} */
export function ask(dialog, { title, text, yes, no = "", isRed = false }, t) {
  let answer = false;
  const decide = (said) => {
    answer = said;
    dialog.close();
  };
  const { element } = dialog;
  return new Promise((resolve) => {
    dialog.open(title, () => html`<p id="ask-text">${text}</p><div class="dialog-acts">
      <button type="button" class="button ask-no" @click=${() => decide(false)}
        >${no || t("cancel")}</button>
      <button type="button" class="button ${isRed ? "button-red" : "button-accent"} ask-yes" @click=${() => decide(true)}
        >${yes}</button></div>`, () => {
      element.removeAttribute("role");
      element.removeAttribute("aria-describedby");
      resolve(answer);
    });
    // Opening it ends the question before, which removes them.
    element.setAttribute("role", "alertdialog");
    element.setAttribute("aria-describedby", "ask-text");
    /** @type {HTMLElement} */ (element.querySelector(".ask-no")).focus();
  });
}

// Asks before a form with changes is left.
/** @param {Parameters<typeof ask>[0]} dialog @param {Translate} t */
export const askToDiscard = (dialog, t) => ask(dialog, {
  title: t("unsaved.title"), text: t("unsaved.text.new"), yes: t("unsaved.discard"),
  no: t("unsaved.keep"), isRed: true,
}, t);
