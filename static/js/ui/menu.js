// A button with a menu: opens below it, walked by arrow keys, closed by Esc or a press elsewhere.

import { html } from "lit-html";

import { PRIORITIES } from "../core/route.js";
import { ICONS } from "./icons.js";

const GAP_PX = 4;

// items: [{id, text, key?, checked?, run}] or {heading}; checkable: one of them is the current one.
export function menu({ id, label, text, items, toggled = () => {}, className = "button" }) {
  return html`
    <button type="button" class=${className} popovertarget=${id} aria-haspopup="menu"
      aria-label=${label} title=${label}>${text}</button>
    <div class="menu" id=${id} popover role="menu" aria-label=${label}
      @toggle=${(event) => onToggle(event, toggled)} @keydown=${onKey}>
      ${items.map((item) => (item.heading ? heading(item) : entry(item, id)))}
    </div>`;
}

export const priorities = (t, run, current) => PRIORITIES.map((name) => ({
  text: t(`priority.${name}`), checked: current && name === current, run: () => run(name),
}));

const heading = (item) => html`<div class="menu-heading" role="presentation">${item.heading}</div>`;

function entry(item, menuId) {
  const run = () => {
    document.getElementById(menuId).hidePopover();
    item.run();
  };
  const role = item.checked === undefined ? "menuitem" : "menuitemradio";
  return html`<button type="button" class="menu-item" role=${role} tabindex="-1"
    aria-checked=${String(item.checked === true)} @click=${run}>
    <span class="menu-check">${item.checked ? ICONS.check : ""}</span>
    <span class="menu-text">${item.text}</span>
    ${item.key ? html`<kbd>${item.key}</kbd>` : ""}</button>`;
}

function onToggle(event, toggled) {
  const element = event.currentTarget;
  const open = event.newState === "open";
  const opener = document.querySelector(`[popovertarget="${element.id}"]`);
  opener.setAttribute("aria-expanded", String(open));
  if (open) {
    place(element, opener.getBoundingClientRect());
    (element.querySelector('[aria-checked="true"]') ?? element.querySelector("button"))?.focus();
  }
  toggled(open);
}

// Below the opener and inside the window.
export function place(element, anchor) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = Math.min(Math.max(8, anchor.right - width), innerWidth - width - 8);
  const below = anchor.bottom + GAP_PX;
  const top = below + height > innerHeight - 8 ? Math.max(8, anchor.top - GAP_PX - height) : below;
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}

// To the right of the opener where there is room, and no lower than the window.
export function beside(element, anchor) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = anchor.right + 2 * GAP_PX;
  if (left + width > innerWidth - 8) return place(element, anchor);
  element.style.left = `${left}px`;
  element.style.top = `${Math.max(8, Math.min(anchor.top, innerHeight - 8 - height))}px`;
}

function onKey(event) {
  const items = [...event.currentTarget.querySelectorAll("button")];
  const at = items.indexOf(document.activeElement);
  const to = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[to].focus();
}
