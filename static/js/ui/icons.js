// Line icons, 16 pixels, in the colour of the text around them.

import { svg } from "lit-html";

const icon = (paths) => svg`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths}</svg>`;

export const ICONS = {
  arrival: icon(svg`<path d="M2.5 9.5h3l1 2h3l1-2h3M3.5 3.5h9l1 6v3h-11v-3z"/>`),
  not_respond: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.2l2 1.3"/>`),
  history: icon(svg`<rect x="2.5" y="3" width="11" height="3" rx="1"/><path d="M3.5 6v7h9V6M6.5 8.5h3"/>`),
  sort: icon(svg`<path d="M3 4.5h10M3 8h7M3 11.5h4"/>`),
  all: icon(svg`<path d="M3 4h10M3 8h10M3 12h10"/>`),
  unassigned: icon(svg`<circle cx="8" cy="8" r="5.5" stroke-dasharray="2.4 2"/>`),
  mine: icon(svg`<circle cx="8" cy="5.5" r="2.5"/><path d="M3 13c.6-2.6 2.5-4 5-4s4.4 1.4 5 4"/>`),
  settings: icon(svg`<path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6"/><circle cx="10" cy="5" r="1.5"/><circle cx="6" cy="11" r="1.5"/>`),
  down: icon(svg`<path d="M4.5 6.5L8 10l3.5-3.5"/>`),
  back: icon(svg`<path d="M10 3.5L5.5 8l4.5 4.5"/>`),
  close: icon(svg`<path d="M4 4l8 8M12 4l-8 8"/>`),
  explain: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 7.5v3.2M8 5.2v.1"/>`),
  locate: icon(svg`<circle cx="8" cy="8" r="3.5"/><path d="M8 2v2.5M8 11.5V14M2 8h2.5M11.5 8H14"/>`),
  check: icon(svg`<path d="M3.5 8.5l3 3 6-7"/>`),
};
