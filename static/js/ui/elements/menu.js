// A button with a menu below it: arrow keys move in it, Esc or a press elsewhere closes it.

import { html, nothing } from "lit-html";

import { ICONS } from "./icons.js";

const GAP_PX = 4;

// items: {text, key?, count?, checked?, toggles?, stays?, isRed?, run}, {heading} or {isLine}; toggles: it is checked
// by itself, not as one of several; stays: the same, and the menu stays open. toggled(open) is called when it
// opens or closes. start: the menu is aligned with the beginning of the button, else with its end.
export function menu({
  id, label, text, items, toggled = () => {}, className = "button", start = false,
}) {
  return html`
    <button type="button" class=${className} popovertarget=${id} aria-haspopup="menu"
      aria-label=${label} title=${label}>${text}</button>
    <div class="menu" id=${id} popover role="menu" aria-label=${label} ?data-start=${start}
      @toggle=${(event) => onToggle(event, toggled)} @keydown=${walkMenu}>
      ${menuItems(items, id)}
    </div>`;
}

// The content of a menu.
export const menuItems = (items, menuId) => items.map((item) => {
  if (item.isLine) return html`<div class="menu-line" role="separator"></div>`;
  return item.heading ? heading(item) : entry(item, menuId);
});

// Menu items that choose a priority.
/** @param {Translate} t */
export const priorityItems = (names, t, run, current) => names.map((name) => ({
  text: t(`priority.${name}`), checked: current && name === current, run: () => run(name),
}));

const heading = (item) => html`<div class="menu-heading" role="presentation">${item.heading}</div>`;

function entry(item, menuId) {
  const run = () => {
    if (!item.stays) document.getElementById(menuId).hidePopover();
    item.run();
  };
  const kind = item.stays || item.toggles ? "checkbox" : "radio";
  const role = item.checked === undefined ? "menuitem" : `menuitem${kind}`;
  return html`<button type="button" class="menu-item" role=${role} tabindex="-1" ?data-red=${item.isRed}
    aria-checked=${role === "menuitem" ? nothing : String(item.checked)}
    aria-keyshortcuts=${item.key?.length === 1 ? item.key : nothing} @click=${run}>
    <span class="menu-check">${item.checked ? ICONS.check : ""}</span>
    <span class="menu-text">${item.text}</span>
    ${item.count === undefined ? "" : html`<span class="menu-count">${item.count}</span>`}
    ${item.key ? html`<kbd>${item.key}</kbd>` : ""}</button>`;
}

function onToggle(event, toggled) {
  const element = event.currentTarget;
  const open = event.newState === "open";
  const opener = document.querySelector(`[popovertarget="${element.id}"]`);
  // If its pane is closed, an open menu disappears together with its opener.
  opener?.setAttribute("aria-expanded", String(open));
  if (open && opener) {
    placeBelow(element, opener.getBoundingClientRect());
    const first = element.querySelector("button");
    // A menu of acts begins at its top, a menu of choices at what is chosen.
    const isOfActs = first?.getAttribute("role") === "menuitem";
    ((!isOfActs && element.querySelector('[aria-checked="true"]')) || first)?.focus();
  }
  toggled(open);
}

// Places an element below the opener and inside the window.
/** @param {HTMLElement} element */
export function placeBelow(element, anchor) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const aligned = element.dataset.start === undefined ? anchor.right - width : anchor.left;
  const left = Math.min(Math.max(8, aligned), innerWidth - width - 8);
  const below = anchor.bottom + GAP_PX;
  const top = below + height > innerHeight - 8 ? Math.max(8, anchor.top - GAP_PX - height) : below;
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}

// Places an element to the right of the opener if there is room, and no lower than the window.
/** @param {HTMLElement} element */
export function beside(element, anchor) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = anchor.right + 2 * GAP_PX;
  if (left + width > innerWidth - 8) return placeBelow(element, anchor);
  element.style.left = `${left}px`;
  element.style.top = `${Math.max(8, Math.min(anchor.top, innerHeight - 8 - height))}px`;
}

// Moves the focus in a menu.
export function walkMenu(event) {
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
