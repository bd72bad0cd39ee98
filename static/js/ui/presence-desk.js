// Brings presence onto the page: its panels, its line over the composer, its place in the column.

import { html, render } from "lit-html";

import { ICONS } from "./icons.js";
import { place } from "./menu.js";
import { OnlinePanel } from "./presence-online.js";
import { TeamPanel } from "./presence-team.js";
import { hereLine } from "./presence-thread.js";

export class PresenceDesk {
  #panels;
  #line;
  #holder;

  constructor({ desk, page = document }) {
    this.desk = desk;
    this.#panels = { team: new TeamPanel(desk), online: new OnlinePanel(desk) };
    this.#line = page.createElement("div");
    this.#line.id = "here";
    page.getElementById("composer").before(this.#line);
    this.#holder = page.createElement("div");
    page.body.append(this.#holder);
    desk.painter.add("presence", () => this.paint());
  }

  paint() {
    render(hereLine(this.desk), this.#line);
    render(Object.entries(this.#panels).map(([name, panel]) => html`
      <div class="menu presence-panel" id=${`${name}-panel`} popover role="dialog" aria-label=${this.desk.t(name)}
        @toggle=${(event) => this.#toggled(event, panel)}
        @scroll=${(event) => panel.scrolled?.(event.currentTarget)}
        @click=${(event) => { if (event.target.closest(".person-thread, button.person")) event.currentTarget.hidePopover(); }}
        >${panel.render()}</div>`), this.#holder);
    for (const element of this.#holder.querySelectorAll(":popover-open")) putBeside(element);
  }

  #toggled(event, panel) {
    const open = event.newState === "open";
    const { currentTarget: element } = event;
    if (open) putBeside(element);
    panel.toggled(open);
  }
}

// What is in a panel comes later, and changes how high it is.
function putBeside(element) {
  const opener = document.querySelector(`[popovertarget="${element.id}"]`);
  if (!opener) return;
  place(element, opener.getBoundingClientRect());
  const over = element.offsetTop + element.offsetHeight - innerHeight + 8;
  if (over > 0) element.style.top = `${Math.max(8, element.offsetTop - over)}px`;
}

// In the left column.
export function presenceNav({ t }) {
  return html`<div class="nav-group">
    ${[["team", ICONS.mine], ["online", ICONS.all]].map(([name, icon]) => html`
      <button type="button" class="nav-item" popovertarget=${`${name}-panel`} title=${t(name)}
        ><span class="nav-icon">${icon}</span><span class="nav-text">${t(name)}</span></button>`)}</div>`;
}
