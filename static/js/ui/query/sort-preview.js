// What a sort would do: the bits of its scores, and the first threads of a view before and after.

import { html } from "lit-html";

import { compared } from "../../core/query/sort-rules.js";
import { nameOf } from "../elements/avatar.js";

const BITS_MAX = 53; // of a score in Redis
const ROWS_AT_ONCE = 200;

// The rows of these threads, as far as they are not known.
/** @param {Parts["rows"]} rows @param {Parts["api"]} api @param {number[]} ids */
export async function fetchRows(rows, api, ids) {
  const missing = [...new Set(ids)].filter((id) => !rows.get(id));
  for (let at = 0; at < missing.length; at += ROWS_AT_ONCE) {
    const answer = await api.rows(missing.slice(at, at + ROWS_AT_ONCE)).catch(() => ({ rows: [] }));
    for (const row of answer.rows) rows.put(row);
  }
}

/** @param {SortPreviewAnswer} preview @param {Parts["rows"]} rows @param {Translate} t */
export function sortPreview({ bits, tiers, moved, of, before, after, whole }, rows, t) {
  return html`<p class="sort-size"><meter min="0" max=${BITS_MAX} high=${BITS_MAX - 2} value=${bits}
      aria-label=${t("sorts.bits.label")}></meter> ${t("sorts.bits", { count: bits, of: BITS_MAX })}
      · ${t("sorts.tiers", { count: tiers })}</p>
    <p class="sort-moved">${t("sorts.moved", { count: moved, of })}</p>
    ${whole ? "" : html`<p class="help-note">${t("sorts.partial")}</p>`}
    ${before.length || after.length ? table(compared(before, after), rows, t) : ""}`;
}

function table(places, rows, t) {
  return html`<div class="sort-compared" tabindex="0" role="region" aria-label=${t("sorts.compared")}>
    <table><thead><tr><th scope="col">${t("sorts.place")}</th><th scope="col">${t("sorts.before")}</th>
      <th scope="col">${t("sorts.after")}</th></tr></thead>
      <tbody>${places.map((each, place) => line(each, place, rows, t))}</tbody></table></div>`;
}

function line({ was, id, up }, place, rows, t) {
  return html`<tr data-moved=${String(id !== undefined && up !== 0)}><th scope="row">${t.number(place + 1)}</th>
    <td><bdi translate="no">${nameIn(rows, was, t)}</bdi></td>
    <td><bdi translate="no">${nameIn(rows, id, t)}</bdi> ${id === undefined ? "" : movement(up, t)}</td></tr>`;
}

function movement(up, t) {
  if (up === 0) return "";
  if (up === null) return html`<span class="sort-came">${t("sorts.came")}</span>`;
  const said = t(up > 0 ? "sorts.up" : "sorts.down", { count: Math.abs(up) });
  return html`<span class="sort-came"><span aria-hidden="true">${up > 0 ? "↑" : "↓"}${
    t.number(Math.abs(up))}</span><span class="unseen">${said}</span></span>`;
}

function nameIn(rows, id, t) {
  if (id === undefined) return "";
  const row = rows.get(id);
  return row ? nameOf(row, t) : `#${id}`;
}
