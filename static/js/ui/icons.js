// Line icons, 16 pixels, in the colour of the text around them; drawn in static/icons.svg.

import { svg } from "lit-html";

const FILE = new URL("../../icons.svg", import.meta.url);

// ICONS.name, for each symbol of the file
export const ICONS = new Proxy({}, {
  get: (_, name) => svg`<svg class="icon" aria-hidden="true"><use href="${FILE}#${name}"/></svg>`,
});
