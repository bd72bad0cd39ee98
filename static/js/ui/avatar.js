// The round letter that stands for a customer; its colours come from css/avatar.css by hue.

import { html } from "lit-html";

import { hue, initial } from "../core/faces.js";

const STEP = 24; // css/avatar.css has a colour for every 24th degree

export const hueStep = (id) => Math.round(hue(id) / STEP) % (360 / STEP);

// Without a name, the id that their source gave them: SOURCE/ID without the source.
export const ownId = (id) => id.slice(id.indexOf("/") + 1);
const known = (customer, none) => customer?.name || (customer?.id ? ownId(customer.id) : none);
export const nameOf = (row, t) => known(row.customer, t("row.nameless"));
export const isNamed = (customer) => Boolean(customer?.name);
export const who = (row, t, className = "") => html`<bdi class=${className}
  ?data-nameless=${!isNamed(row.customer)}>${nameOf(row, t)}</bdi>`;
export const faceId = (row) => row.customer?.id ?? row.thread;

export function avatar(row, t, dot = "") {
  return html`<span class="avatar" data-hue=${hueStep(faceId(row))} aria-hidden="true"
    ><span class="avatar-letter">${initial(nameOf(row, t))}</span>${dot}</span>`;
}
