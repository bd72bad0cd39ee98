// What a search found, in the order of the answer.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { parts } from "../../core/find.js";
import { age } from "../../core/time.js";
import { avatar, langOf, who } from "../elements/avatar.js";

/** @param {ResultListParts} given */
export function resultList({ results, active, choose, scrolled, ...given }) {
  return html`<div class="search-results" id="search-results" role="listbox"
    aria-label=${given.language.t("search.results")}
    tabindex="-1" @scroll=${(event) => scrolled(event.currentTarget)}>
    ${repeat(results, keyOf, (one, index) => result(one, index, index === active, choose, given))}</div>`;
}

/** @param {Found} found */
function result({ row: found, message }, index, active, choose, { rows, thread, now, language }) {
  const { t, words } = language;
  const row = rows.get(found.id) ?? found;
  const at = message?.at ?? row.recent_at;
  return html`<div class="found ${active ? "search-active" : ""}" role="option"
    id="found-${index}"
    aria-selected=${String(active)} ?data-current=${row.id === thread.id}
    @click=${() => choose(index)}>${avatar(row, t)}
    <span class="found-text"><span class="found-line">${who(row, t, "found-name")}
      ${row.open ? "" : html`<span class="found-badge">${t("thread.closed")}</span>`}
      <time class="row-time" title=${words.exact(at)}
        >${words.short(age(at, now()), t("time.now"))}</time></span>
    <span class="found-line"><span class="found-excerpt" dir="auto"
      lang=${(message && !message.private && langOf(row, t)) || nothing}>${message ? excerpt(message)
      : row.preview?.body ?? t("row.no_message")}</span>
      ${row.unanswered > 0 ? html`<span
        class="row-count">${row.unanswered}</span>` : ""}</span></span></div>`;
}

/** @param {Found} found */
const keyOf = ({ row, message }) => `${row.id}-${message?.id ?? ""}`;

const excerpt = (message) => parts(message.excerpt, message.marks ?? [])
  .map(({ text, marked }) => (marked ? html`<mark>${text}</mark>` : text));
