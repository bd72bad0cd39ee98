// One rule of a sort: which threads it places, by which time, in which order.

import { html } from "lit-html";

import { ORDERS, SPLITS, TIMES } from "../../core/query/sort-rules.js";
import { ICONS } from "../elements/icons.js";
import { saidOf } from "./mistake.js";

/** @param {SortRuleParts} given */
export function sortRule({ rule, at, count, field, wrong, language, change, move, remove, drag }) {
  const { t } = language;
  const place = { place: at + 1 };
  const said = `sort-said-${rule.key}`;
  const moving = (key, to, isEnd) => html`<button type="button" class="icon-button sort-${key}"
    ?disabled=${isEnd} aria-label=${t(`sorts.rule.${key}`, place)} title=${t(`sorts.rule.${key}`, place)}
    @click=${(event) => movedBy(event, () => move(to))}>${ICONS[key]}</button>`;
  return html`<li class="sort-rule" aria-label=${t("sorts.rule", place)}>
    <span class="sort-handle" aria-hidden="true" title=${t("sorts.rule.drag")} @pointerdown=${drag}>⠿</span>
    <div class="sort-rule-body">
      <div class="sort-when"><span class="sort-when-label" aria-hidden="true">${
        t(at ? "sorts.when.else" : "sorts.when")}</span>${field.content({
          label: t("sorts.when.label", place), placeholder: t("sorts.when.all"), describedBy: said,
        })}</div>
      <p class="sort-said" id=${said} role="alert">${field.mistake
        ? saidOf(field.mistake, field.text, t) : wrong ? html`<span class="query-said">${wrong}</span>` : ""}</p>
      <div class="sort-how">
        ${select(t("sorts.by"), TIMES, rule.by, (by) => t(`sorts.by.${by}`), (by) => change({ by }))}
        ${select(t("sorts.order"), ORDERS, rule.order, (order) => t(`sorts.order.${order}`), (order) => change({ order }))}
        ${select(t("sorts.split"), ["", ...SPLITS], rule.split ?? "", (split) => t(`sorts.split.${split || "none"}`),
          (split) => change({ split: split || null }))}</div></div>
    <span class="sort-moves">${moving("up", at - 1, at === 0)}${moving("down", at + 1, at === count - 1)}
      <button type="button" class="icon-button sort-remove" ?disabled=${count === 1}
        aria-label=${t("sorts.rule.remove", place)} title=${t("sorts.rule.remove", place)} @click=${remove}
        >${ICONS.close}</button></span></li>`;
}

// The pressed button goes with its rule and keeps the focus; at an end the other one takes it.
function movedBy(event, run) {
  const button = event.currentTarget;
  run();
  const other = button.nextElementSibling?.matches(".sort-down") ? button.nextElementSibling
    : button.previousElementSibling;
  (button.disabled ? other : button).focus();
}

function select(label, values, current, textOf, run) {
  return html`<label><span>${label}</span><select @change=${({ target }) => run(target.value)}>${values.map((value) => html`<option
    value=${value} ?selected=${value === current}>${textOf(value)}</option>`)}</select></label>`;
}
