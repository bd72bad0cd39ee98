// The exact times of one day in fields, beside the picture.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { clock, DAY } from "../../core/hours/clock.js";
import { BLOCKS_MAX, endOf, ofDay } from "../../core/hours/week.js";
import { ICONS } from "../elements/icons.js";
import { dayName } from "./words.js";

/** @param {DayHoursParts} parts */
export function dayHours({ week, problem, language, write, remove, add, copy }) {
  const { t } = language;
  const { day, blocks, key, wrong } = week;
  const name = dayName(day, "long", language);
  const own = ofDay(blocks, day);
  return html`<section class="day-hours" aria-label=${name}>
    <h3 class="day-name">${name}</h3>
    ${own.length ? "" : html`<p class="help-note">${t("hours.closed.day")}</p>`}
    <ul>${repeat(own, (one) => one.key, (one, at) => line(one, at))}</ul>
    <p class="day-problem" id="day-problem" role="alert">${problem}</p>
    <div class="day-acts"><button type="button" class="button day-add" ?disabled=${own.length >= BLOCKS_MAX}
        @click=${add}>${ICONS.add} ${t("hours.add")}</button>
      <button type="button" class="button day-copy" @click=${() => copy(false)}
        >${t("hours.copy.weekdays", { day: name })}</button>
      <button type="button" class="button day-copy-all" @click=${() => copy(true)}
        >${t("hours.copy.all", { day: name })}</button></div></section>`;

  function line(one, at) {
    const end = endOf(one);
    const isNight = end > DAY;
    return html`<li class="day-line" data-chosen=${one.key === key}>
      ${field(one, "from", clock(one.start), at)}<span aria-hidden="true">–</span>${
        field(one, "to", clock(isNight ? end - DAY : end), at)}
      <span class="day-next">${isNight ? t("hours.next_day", { day: dayName(day + 1, "short", language) }) : ""}</span>
      <button type="button" class="icon-button day-remove" aria-label=${t("hours.remove", { place: at + 1 })}
        title=${t("hours.remove", { place: at + 1 })} @click=${() => remove(one)}>${ICONS.close}</button></li>`;
  }

  function field(one, edge, text, at) {
    const isWrong = wrong?.key === one.key && wrong.edge === edge;
    return html`<input class="day-time" id=${`day-${edge}-${one.key}`} inputmode="numeric" autocomplete="off"
      maxlength="8" aria-label=${t(`hours.${edge}`, { place: at + 1 })} aria-invalid=${String(isWrong)}
      aria-describedby=${isWrong ? "day-problem" : ""} .value=${isWrong ? wrong.text : text}
      @focus=${() => { if (week.key !== one.key) week.choose(day, one.key); }}
      @change=${({ target }) => write(one, edge, target.value)}>`;
  }
}
