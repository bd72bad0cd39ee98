// The round letter that stands for a customer; its colours come from css/avatar.css by hue.

import { html } from "lit-html";

import { hue, initial } from "../core/faces.js";

const STEP = 24; // css/avatar.css has a colour for every 24th degree

export const hueStep = (id) => Math.round(hue(id) / STEP) % (360 / STEP);

export const nameOf = (row, t) => row.customer?.name || row.customer?.id || t("row.nameless");
export const faceId = (row) => row.customer?.id ?? row.thread;

export function avatar(row, t, dot = "") {
  return html`<span class="avatar" data-hue=${hueStep(faceId(row))} aria-hidden="true"
    ><span class="avatar-letter">${initial(nameOf(row, t))}</span>${dot}</span>`;
}
