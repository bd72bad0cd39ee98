// Moves entries of an ordered list by buttons, keys and dragging.

import { html } from "lit-html";

import { ICONS } from "../elements/icons.js";

// The buttons that move an entry up and down. said(key): the label and the title of "up" and "down".
/** @param {{at: number, count: number, className: string, move: (to: number) => void,
 *   said: (key: "up" | "down") => {label: string, title: string}}} given */
export function moveButtons({ at, count, className, said, move }) {
  const button = (key, to, isEnd) => html`<button type="button" class="icon-button ${className}-${key}"
    ?disabled=${isEnd} aria-label=${said(key).label} title=${said(key).title}
    @click=${(event) => movedBy(event, () => move(to))}>${ICONS[key]}</button>`;
  return html`${button("up", at - 1, at === 0)}${button("down", at + 1, at === count - 1)}`;
}

// The pressed button moves with its entry and keeps the focus; at an end the other button gets it.
function movedBy({ currentTarget: button }, run) {
  run();
  const [up, down] = button.parentElement.children;
  (button.disabled ? (button === up ? down : up) : button).focus();
}

// Follows the pointer until it is released. A moved element would lose a captured pointer.
// end(isKept): false if Esc has undone the move.
/** @param {PointerEvent} event
 * @param {{list: () => Element, move: (to: number) => void, end: (isKept: boolean) => void}} given
 * @returns {AbortController | null} ends it without a word */
export function followDrag(event, { list, move, end }) {
  if (event.button !== 0) return null;
  event.preventDefault();
  const listening = new AbortController();
  const { signal } = listening;
  const stop = (isKept) => {
    listening.abort();
    end(isKept);
  };
  addEventListener("pointermove", ({ clientY }) => {
    const items = [...list().children];
    const to = items.findIndex((item) => clientY < item.getBoundingClientRect().bottom);
    move(to < 0 ? items.length - 1 : to);
  }, { signal });
  addEventListener("pointerup", () => stop(true), { signal });
  addEventListener("pointercancel", () => stop(false), { signal });
  addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    pressed.stopPropagation();
    stop(false);
  }, { signal, capture: true });
  return listening;
}
