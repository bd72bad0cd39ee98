// A week in small, beside the name of a calendar.

import { svg, html } from "lit-html";

import { DAY } from "../../core/hours/clock.js";
import { DAYS, piecesOf } from "../../core/hours/week.js";
import { weekText } from "./words.js";

const ROW = 5;
const HOUR = 4;

/** @param {Block[]} blocks @param {Parts["language"]} language */
export function weekThumb(blocks, language) {
  const width = 24 * HOUR;
  const height = DAYS.length * ROW;
  return html`<svg class="week-thumb" role="img" aria-label=${weekText(blocks, language)}
    viewBox="0 0 ${width} ${height}" width=${width} height=${height}>
    ${DAYS.map((_, day) => svg`<rect class="thumb-day" x="0" y=${day * ROW} width=${width} height=${ROW - 1}/>
      ${piecesOf(blocks, day).map(({ from, to }) => svg`<rect class="thumb-open" x=${(from / DAY) * width}
        y=${day * ROW} width=${((to - from) / DAY) * width} height=${ROW - 1}/>`)}`)}</svg>`;
}
