// In the left column: who I am for the others, and as what.

import { html } from "lit-html";

import { initial } from "../../core/initials.js";
import { shown } from "../../core/shown.js";
import { hueStep } from "../elements/avatar.js";
import { statusText } from "./words.js";

// Opens the panel in which that is set.
/** @param {OwnStateParts} parts */
export function ownState({ admin, presence, presencePanels, language: { t } }) {
  const dot = presence.dot("admin", admin.id);
  const status = statusText(presence, "admin", admin.id, t);
  return html`<button type="button" class="nav-me" data-dot=${dot}
    @click=${() => presencePanels.open("team")} aria-haspopup="dialog"
    title=${`${admin.name} · ${status}`}
    aria-label=${`${admin.name}, ${status}`}
    ><span class="avatar nav-avatar" data-hue=${hueStep(`admin/${admin.id}`)} aria-hidden="true"
      ><span class="avatar-letter">${initial(admin.name)}</span><span class="dot" data-dot=${dot}></span></span>
    <span class="nav-text"><bdi translate="no" class="nav-name">${shown(admin.name)}</bdi>
      <span class="nav-status">${status}</span></span></button>`;
}
