// What is said about a mistake in a query: what is wrong, and what would be right there.

import { html } from "lit-html";

import { aroundWord, LENGTH_MAX } from "../../core/query/mistake.js";
import { expectedTexts } from "./words.js";

/** @param {QueryMistake} mistake @param {string} text @param {Translate} t */
export function saidOf(mistake, text, t) {
  const { at, end, expected, isLong } = mistake;
  if (isLong) return html`<span class="query-said">${t("query.long", { count: LENGTH_MAX })}</span>`;
  const wrong = at < end ? aroundWord(text, mistake) : "";
  const said = wrong ? t("query.wrong", { text: wrong }) : t("query.unfinished");
  return html`<span class="query-said">${said}</span> ${expected.length
    ? html`<span class="query-expected">${t("query.expected")} ${expectedTexts(expected, t)
      .map(({ text: one, isCode }, index) => html`${index ? ", " : ""}${isCode
        ? html`<code>${one}</code>` : one}`)}</span>` : wrong ? t("query.end") : ""}`;
}
