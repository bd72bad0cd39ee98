// A dialog for a date and a time of one's own, which says what they mean.

import { html } from "lit-html";

import { farthest, ownMoment, snoozeChoices } from "../../core/snooze/moments.js";
import { fieldsOf } from "../../core/zone.js";

export class OwnMoment {
  #fields = { date: "", time: "" };
  #wakes = true;
  #isTold = false; // why it is refused: told once it was tried

  /** @param {OwnMomentParts} parts */
  constructor(parts) { this.parts = parts; }

  // at: the moment that is set already; name: of the one thread, count: of how many else.
  /** @param {{wakes: boolean, at: number | null, count: number, name: string}} given */
  open({ wakes, at, count, name }) {
    const { dialog, now, zone, language: { t } } = this.parts;
    const tomorrow = snoozeChoices(now(), zone()).find((choice) => choice.name === "tomorrow");
    this.#fields = fieldsOf(at ?? tomorrow.at, zone());
    this.#wakes = wakes;
    this.#isTold = false;
    dialog.open(
      name ? t("snooze.own.title", { name }) : t("snooze.many", { count }), () => this.#content());
    /** @type {HTMLElement} */ (dialog.element.querySelector("[name=date]")).focus();
  }

  get #moment() {
    const { now, zone, limits } = this.parts;
    return ownMoment(this.#fields, now(), zone(), limits.snooze_years);
  }

  #content() {
    const { dialog, now, zone, limits, language: { t } } = this.parts;
    const least = fieldsOf(now(), zone()).date;
    const most = fieldsOf(farthest(now(), limits.snooze_years), zone()).date;
    return html`<form class="form snooze-form" novalidate @submit=${(event) => this.#submit(event)}>
      <div class="snooze-fields">
        <label>${t("snooze.own.date")}<input type="date" name="date" required min=${least} max=${most}
          aria-describedby="snooze-result" .value=${this.#fields.date}
          @input=${({ target }) => this.#set({ date: target.value })}></label>
        <label>${t("snooze.own.time")}<input type="time" name="time" required
          aria-describedby="snooze-result" .value=${this.#fields.time}
          @input=${({ target }) => this.#set({ time: target.value })}></label></div>
      ${this.#result()}
      <label class="choice"><input type="checkbox" .checked=${this.#wakes}
        @change=${({ target }) => { this.#wakes = target.checked; }}><span>${t("snooze.wakes")}</span></label>
      <div class="form-acts"><button type="button" class="button" @click=${() => dialog.close()}
          >${t("cancel")}</button>
        <button type="submit" class="button button-accent">${t("act.snooze")}</button></div></form>`;
  }

  // The moment in words, or what is wrong with it.
  #result() {
    const { zone, limits, language: { t, words } } = this.parts;
    const { at, problem } = this.#moment;
    const isWrong = problem && (this.#isTold || problem !== "incomplete");
    const said = at ? t("snooze.own.result", { time: words.whole(at), zone: zone() })
      : isWrong ? t(`snooze.own.${problem}`, { years: limits.snooze_years }) : "";
    return html`<p class="snooze-result" id="snooze-result" role="status"
      data-wrong=${String(Boolean(isWrong))}>${said}</p>`;
  }

  #set(changes) {
    Object.assign(this.#fields, changes);
    this.parts.dialog.paint();
  }

  #submit(event) {
    event.preventDefault();
    const { at } = this.#moment;
    if (at) {
      this.parts.dialog.close();
      this.parts.snooze(at, this.#wakes);
      return;
    }
    this.#isTold = true;
    this.parts.dialog.paint();
    /** @type {HTMLElement} */ (
      this.parts.dialog.element.querySelector(this.#fields.date ? "[name=time]" : "[name=date]")).focus();
  }
}
