// A line of the left column: an icon, a name, a count.

import { html, nothing } from "lit-html";

// short: what stands below the icon in a narrow window; told: at the end of the line; about: further
// lines of the tooltip; kind: what styles tell it by; keys: what works while it has the focus.
/** @param {any} given */
export function navItem({
  icon, text, short = text, about = "", count, told, current, kind = nothing, keys = nothing, t, run,
}) {
  const number = count === undefined ? "" : t.number(count);
  return html`<button type="button" class="nav-item" data-kind=${kind} aria-current=${current ? "true" : "false"}
    aria-label=${number ? `${text}, ${number}` : text} title=${about ? `${text}\n${about}` : text}
    aria-keyshortcuts=${keys} @click=${run}
    ><span class="nav-icon">${icon}</span><span class="nav-text">${text}</span>
    <span class="nav-short" aria-hidden="true">${short}</span>
    <span class="nav-count" translate="no" data-compact=${count >= 1000 ? t.compact(count) : nothing}
      >${told ?? number}</span></button>`;
}
