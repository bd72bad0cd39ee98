// Adds presence to the page: its panels, the line over the composer, colleagues' cursors.

import { html, render } from "lit-html";

import { ICONS } from "../elements/icons.js";
import { Lazy } from "../elements/lazy.js";
import { beside } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { viewersLine } from "./viewers.js";

export class PresencePanels extends PageModule {
  #panels;
  #cursors;
  #line;
  #holder;

  // mode: ThreadMode; open(id) opens a thread.
  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.#panels = {
      team: this.#panel("team", async () => {
        const { TeamPanel } = await import("./team.js");
        return new TeamPanel(page);
      }),
      online: this.#panel("online", async () => {
        const { OnlinePanel } = await import("./team.js");
        return new OnlinePanel(page);
      }),
    };
    this.#cursors = new Lazy({
      load: async () => {
        const { Cursors } = await import("./cursors.js");
        return new Cursors(page);
      },
      failed() {}, // the next move tries again
    });
    this.#line = document.createElement("div");
    this.#line.id = "here";
    document.getElementById("composer").before(this.#line);
    this.#holder = document.createElement("div");
    document.body.append(this.#holder);
    this.ui.painter.add("presence", () => this.paint());
  }

  #panel(name, load) {
    const failed = () => {
      document.getElementById(`${name}-panel`).hidePopover();
      this.ui.toasts.show(this.ui.language.t("error.network"));
    };
    return new Lazy({ load, failed });
  }

  /** @param {string} name */
  open(name) { document.getElementById(`${name}-panel`).showPopover(); }

  // moved: the new place of a colleague.
  async cursor(moved) {
    const wanted = moved || this.data.presence.others(this.data.thread.id).length;
    const part = wanted ? await this.#cursors.get() : this.#cursors.part;
    part?.look(moved);
  }

  paint() {
    this.cursor();
    render(viewersLine(this), this.#line);
    const panels = Object.entries(this.#panels);
    render(panels.map(([name, lazy]) => this.#popover(name, lazy)), this.#holder);
    for (const panel of this.#holder.querySelectorAll(":popover-open")) besideOpener(panel);
  }

  #popover(name, lazy) {
    const { t } = this.ui.language;
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

// Places the panel beside its opener; also called when the panel grows.
function besideOpener(panel) {
  const opener = document.querySelector(`[popovertarget="${panel.id}"]`);
  if (opener) beside(panel, opener.getBoundingClientRect());
}

function hideOnChoice(event) {
  const chosen = event.target.closest(".person-thread:not(.person-leave), button.person");
  if (chosen) event.currentTarget.hidePopover();
}

// The two buttons in the left column; more: a further one below them.
/** @param {Translate} t @param {Content} more */
export function presenceNav(t, more) {
  return html`<div class="nav-group nav-people">
    ${[["team", ICONS.team], ["online", ICONS.online]].map(([name, icon]) => html`
      <button type="button" class="nav-item" popovertarget=${`${name}-panel`} title=${t(name)}
        aria-label=${t(name)}><span class="nav-icon">${icon}</span><span class="nav-text"
        >${t(name)}</span></button>`)}${more}</div>`;
}
