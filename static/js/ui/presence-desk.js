// Brings presence onto the page: its panels, its line over the composer, faces in the thread.

import { html, render } from "lit-html";

import { ICONS } from "./icons.js";
import { Lazy } from "./lazy.js";
import { beside } from "./menu.js";
import { hereLine } from "./presence-thread.js";

export class PresenceDesk {
  #panels;
  #cursors;
  #line;
  #holder;

  constructor({ desk, page = document }) {
    this.desk = desk;
    this.#panels = {
      team: this.#panel("team", async () => {
        const { TeamPanel } = await import("./presence-team.js");
        return new TeamPanel(desk);
      }),
      online: this.#panel("online", async () => {
        const { OnlinePanel } = await import("./presence-online.js");
        return new OnlinePanel(desk);
      }),
    };
    this.#cursors = new Lazy({
      load: async () => {
        const { Cursors } = await import("./presence-cursors.js");
        return new Cursors(desk);
      },
      failed() {}, // the next move tries anew
    });
    this.#line = page.createElement("div");
    this.#line.id = "here";
    page.getElementById("composer").before(this.#line);
    this.#holder = page.createElement("div");
    page.body.append(this.#holder);
    desk.painter.add("presence", () => this.paint());
  }

  #panel(name, load) {
    const { desk } = this;
    const failed = () => {
      document.getElementById(`${name}-panel`).hidePopover();
      desk.toasts.show(desk.t("error.network"));
    };
    return new Lazy({ load, failed });
  }

  open(name) { document.getElementById(`${name}-panel`).showPopover(); }

  // moved: where a colleague reads or writes now.
  async cursor(moved) {
    const { presence, threadId } = this.desk;
    const wanted = moved || presence.others(threadId).length;
    const part = wanted ? await this.#cursors.get() : this.#cursors.part;
    part?.look(moved);
  }

  paint() {
    this.cursor();
    render(hereLine(this.desk), this.#line);
    const panels = Object.entries(this.#panels);
    render(panels.map(([name, lazy]) => this.#popover(name, lazy)), this.#holder);
    for (const panel of this.#holder.querySelectorAll(":popover-open")) besideOpener(panel);
  }

  #popover(name, lazy) {
    const { t } = this.desk;
    const { part } = lazy;
    return html`<div class="menu presence-panel" id=${`${name}-panel`} popover role="dialog"
      aria-label=${t(name)}
      @toggle=${(event) => this.#toggled(event, lazy)}
      @scroll=${(event) => part?.scrolled?.(event.currentTarget)}
      @click=${hideOnChoice}
      >${part ? part.render() : html`<h2 class="panel-title">${t(name)}</h2>
        <p class="panel-note">${t("loading")}</p>`}</div>`;
  }

  async #toggled(event, lazy) {
    const { currentTarget: element } = event;
    const open = event.newState === "open";
    if (open) besideOpener(element);
    const panel = open ? await lazy.get() : lazy.part;
    if (panel && open === element.matches(":popover-open")) panel.toggled(open);
  }
}

// Again as it grows.
function besideOpener(panel) {
  const opener = document.querySelector(`[popovertarget="${panel.id}"]`);
  if (opener) beside(panel, opener.getBoundingClientRect());
}

function hideOnChoice(event) {
  const chosen = event.target.closest(".person-thread, button.person");
  if (chosen) event.currentTarget.hidePopover();
}

// In the left column.
export function presenceNav({ t }) {
  return html`<div class="nav-group nav-people">
    ${[["team", ICONS.mine], ["online", ICONS.all]].map(([name, icon]) => html`
      <button type="button" class="nav-item" popovertarget=${`${name}-panel`} title=${t(name)}
        ><span class="nav-icon">${icon}</span><span class="nav-text">${t(name)}</span></button>`)}</div>`;
}
