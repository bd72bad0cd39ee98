// Line icons, 16 pixels, in the colour of the surrounding text; drawn in templates/icons.svg, which
// is part of the page, so that they are there offline, too.

import { svg } from "lit-html";

// ICONS.name, for each symbol of the file
/** @type {Record<string, import("lit-html").TemplateResult<2>>} */
export const ICONS = new Proxy({}, {
  get: (_, name) => svg`<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`,
});
