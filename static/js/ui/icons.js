// Line icons, 16 pixels, in the colour of the text around them; drawn in templates/icons.svg, which
// is part of the page: offline, too, they are there.

import { svg } from "lit-html";

// ICONS.name, for each symbol of the file
export const ICONS = new Proxy({}, {
  get: (_, name) => svg`<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`,
});
