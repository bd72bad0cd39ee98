// The menu of moments until which the open thread, or the selected ones, are put off.

import { html, render } from "lit-html";

import { letterOf } from "../../core/keymap.js";
import { choicesInWords, farthest, ownMoment, snoozeChoices } from "../../core/snooze.js";
import { fieldsOf, ownZone } from "../../core/time.js";
import { nameOf } from "../elements/avatar.js";
import { menuItems, walkMenu } from "../elements/menu.js";
import { Popover } from "../elements/popover.js";

const KEYS = { later: "l", hours: "l", tomorrow: "t", monday: "m", own: "d", wakes: "r", wake: "w" };
// What it is placed below, the first that is on screen.
const OPENERS = [
  ".list-header .act-snooze", ".thread-acts .act-snooze", ".act-more", "#thread-head", "#list-header",
];

export class SnoozeMenu {
  #wakes = true; // the customer's next message wakes the thread
  #popover;
  #ownMoment;

  /** @param {SnoozeMenuParts} parts */
  constructor(parts) {
    const { element } = parts;
    this.parts = parts;
    this.element = element;
    this.#ownMoment = new OwnMoment({
      ...parts, zone: ownZone, snooze: (until, wakes) => this.#snooze(until, wakes),
    });
    element.addEventListener("keydown", (event) => this.#key(event));
    this.#popover = new Popover({ element, openers: OPENERS });
  }

  // event: the press on a button.
  /** @param {MouseEvent | null} event */
  open(event = null) {
    const { element } = this;
    if (!this.#popover.mayOpen(event)) return undefined;
    const refusal = this.#refusal();
    if (refusal) return void this.parts.toasts.show(refusal);
    this.#wakes = true;
    this.#paint();
    element.showPopover();
    this.#popover.place();
    return element.querySelector("button")?.focus();
  }

  // What the palette offers of it.
  /** @returns {Command[]} */
  commands() {
    const { picks, thread, language: { t } } = this.parts;
    if ((!picks.size && !thread.row) || this.#refusal()) return [];
    const snooze = (text, run) => ({
      text: `${t("act.snooze")}: ${text}`, keys: "h", also: t("also.snooze"), run,
    });
    return [
      ...this.#moments(true).map(({ text, run }) => snooze(text, run)),
      snooze(t("snooze.own"), () => this.#openOwn(true)),
      ...(this.#isSnoozed() ? [{ text: t("act.wake"), keys: "h", also: t("also.wake"), run: () => this.#wake() }] : []),
    ];
  }

  #refusal() {
    const { picks, thread, lists, language: { t } } = this.parts;
    const isClosed = picks.size ? lists.list.view === "history" : thread.row?.open === false;
    return isClosed ? t("snooze.closed") : "";
  }

  #paint() {
    const { picks, language: { t } } = this.parts;
    const title = picks.size ? t("snooze.many", { count: picks.size }) : t("snooze.title");
    this.element.setAttribute("aria-label", title);
    const items = [
      { heading: title },
      ...this.#moments(),
      { text: t("snooze.own"), key: KEYS.own, run: () => this.#openOwn() },
      { isLine: true },
      { text: t("snooze.wakes"), key: KEYS.wakes, checked: this.#wakes, stays: true,
        run: () => this.#setWakes(!this.#wakes) },
      ...(this.#isSnoozed() ? [{ text: t("act.wake"), key: KEYS.wake, run: () => this.#wake() }] : []),
    ];
    render(html`${menuItems(items, this.element.id)}`, this.element);
  }

  #moments(wakes = this.#wakes) {
    return choicesInWords(this.parts.now(), this.parts.language).map(({ name, at, text }) => ({
      text, key: KEYS[name], run: () => this.#snooze(at, wakes),
    }));
  }

  #isSnoozed() {
    const { picks, thread, lists, rows } = this.parts;
    if (!picks.size) return Boolean(thread.row?.snooze);
    return lists.list.view === "snoozed" || picks.ids.some((id) => rows.get(id)?.snooze);
  }

  #setWakes(wakes) {
    this.#wakes = wakes;
    this.#paint();
  }

  #openOwn(wakes = this.#wakes) {
    const { picks, thread } = this.parts;
    this.#ownMoment.open({
      wakes, at: picks.size ? null : thread.row?.snooze?.until ?? null,
      count: picks.size, name: picks.size || !thread.row ? "" : nameOf(thread.row, this.parts.language.t),
    });
  }

  // For the selected threads, or else for the open one.
  async #snooze(until, wakes) {
    const { picks, bulk, acting } = this.parts;
    const given = { until, wake: wakes ? "reply" : "never" };
    if (picks.size) (await bulk.get())?.run("snooze", given);
    else (await acting.get())?.actions.snooze(given);
  }

  async #wake() {
    const { picks, bulk, acting } = this.parts;
    if (picks.size) (await bulk.get())?.run("wake");
    else (await acting.get())?.actions.wake();
  }

  // Letters choose; what they do elsewhere they do not do here.
  #key(event) {
    walkMenu(event);
    if (event.key.length !== 1 || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const letter = letterOf(event);
    if (letter === "h") return this.element.hidePopover();
    const chosen = this.element.querySelector(`[aria-keyshortcuts="${CSS.escape(letter)}"]`);
    if (!chosen) return undefined;
    event.preventDefault();
    return /** @type {HTMLElement} */ (chosen).click();
  }
}

// A dialog for a date and a time of one's own, which says what they mean.
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
