// The menu of moments until which the open thread, or the selected ones, can be snoozed.

import { html, render } from "lit-html";

import { letterOf } from "../../core/keymap.js";
import { fieldsOf, momentOf, momentOfFields, ownZone, reading } from "../../core/time.js";
import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { menuItems, walkMenu } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { Popover } from "../elements/popover.js";

const KEYS = { later: "l", hours: "l", tomorrow: "t", monday: "m", own: "d", wakes: "r", wake: "w" };
// The menu is placed below the first of these that is on screen.
const OPENERS = [
  ".list-header .act-snooze", ".thread-acts .act-snooze", "#thread-head", "#list-header",
];

export class SnoozeMenu extends PageModule {
  #wakes = true; // whether the customer's next message wakes the thread
  /** @type {Target} */
  #target = { ids: [], isPicked: false };
  #popover;
  #ownMoment;

  /** @param {Page & { element: HTMLDialogElement }} page */
  constructor({ element, ...page }) {
    super(page);
    this.element = element;
    this.#ownMoment = new OwnMoment({ ...page, zone: ownZone });
    element.addEventListener("keydown", (event) => this.#key(event));
    this.#popover = new Popover({ element, openers: OPENERS });
  }

  // event: the press on a button. target: the threads, whichever are selected or open later.
  /** @param {MouseEvent | null} event @param {Target | null} target */
  open(event = null, target = this.ui.picks.target) {
    const { element } = this;
    if (!target || !this.#popover.mayOpen(event)) return undefined;
    this.#target = target;
    const refusal = this.#refusal(target);
    if (refusal) return void this.ui.toasts.show(refusal);
    this.#wakes = true;
    this.#paint();
    element.showPopover();
    this.#popover.place();
    return element.querySelector("button")?.focus();
  }

  // The commands for the palette.
  /** @returns {Command[]} */
  commands() {
    const { ui: { picks, language: { t } } } = this;
    const target = picks.size ? picks.target : picks.opened;
    if (!target) return [];
    if ((!target.isPicked && !picks.rowOf(target)) || this.#refusal(target)) return [];
    const snooze = (text, run) => ({
      text: `${t("act.snooze")}: ${text}`, icon: ICONS.snoozed, keys: "h", also: t("also.snooze"), run,
    });
    return [
      ...this.#moments(target, true).map(({ text, run }) => snooze(text, run)),
      snooze(t("snooze.own"), () => this.#openOwn(target, true)),
      ...(this.#isSnoozed(target) ? [{
        text: t("act.wake"), icon: ICONS.snoozed, keys: "h", also: t("also.wake"), run: () => this.#wake(target),
      }] : []),
    ];
  }

  #refusal(target) {
    const { data: { lists }, ui: { picks, language: { t } } } = this;
    const isClosed = target.isPicked ? lists.list.view === "history" : picks.rowOf(target)?.open === false;
    return isClosed ? t("snooze.closed") : "";
  }

  #paint() {
    const { language: { t } } = this.ui;
    const target = this.#target;
    const { ids: { length: count }, isPicked } = target;
    const title = isPicked ? t("snooze.many", { count }) : t("snooze.title");
    this.element.setAttribute("aria-label", title);
    const items = [
      { heading: title },
      ...this.#moments(target, this.#wakes),
      { text: t("snooze.own"), key: KEYS.own, run: () => this.#openOwn(target, this.#wakes) },
      { isLine: true },
      { text: t("snooze.wakes"), key: KEYS.wakes, checked: this.#wakes, stays: true,
        run: () => this.#setWakes(!this.#wakes) },
      ...(this.#isSnoozed(target) ? [{ text: t("act.wake"), key: KEYS.wake, run: () => this.#wake(target) }] : []),
    ];
    render(html`${menuItems(items, this.element.id)}`, this.element);
  }

  #moments(target, wakes) {
    return choicesInWords(this.net.now(), this.ui.language).map(({ name, at, text }) => ({
      text, key: KEYS[name], run: () => this.#snooze(target, at, wakes),
    }));
  }

  #isSnoozed({ ids, isPicked }) {
    const { lists, rows } = this.data;
    return (isPicked && lists.list.view === "snoozed") || ids.some((id) => rows.get(id)?.snooze);
  }

  #setWakes(wakes) {
    this.#wakes = wakes;
    this.#paint();
  }

  #openOwn(target, wakes) {
    const row = this.ui.picks.rowOf(target);
    this.#ownMoment.open({
      wakes, at: row?.snooze?.until ?? null, count: target.ids.length,
      name: row ? nameOf(row, this.ui.language.t) : "",
      choose: (until, wakesThen) => this.#snooze(target, until, wakesThen),
    });
  }

  async #snooze({ ids, isPicked }, until, wakes) {
    const { ui: { bulk }, acts: { acting } } = this;
    const given = { until, wake: wakes ? "reply" : "never" };
    if (isPicked) (await bulk.get())?.run("snooze", given, ids);
    else (await acting.get())?.actions.snooze(given, ids[0]);
  }

  async #wake({ ids, isPicked }) {
    const { ui: { bulk }, acts: { acting } } = this;
    if (isPicked) (await bulk.get())?.run("wake", {}, ids);
    else (await acting.get())?.actions.wake(ids[0]);
  }

  // Letters choose a moment, and do not work as shortcuts here.
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

// A dialog to type a date and a time, which shows their meaning.
class OwnMoment extends PageModule {
  #fields = { date: "", time: "" };
  #wakes = true;
  #isTold = false; // whether the reason of a refusal is shown: after the first try
  /** @type {(until: number, wakes: boolean) => void} */
  #choose = () => {};

  /** @param {Page & { zone(): string }} page */
  constructor({ zone, ...page }) {
    super(page);
    this.zone = zone;
  }

  // at: the moment that is set already; name: of a single thread; count: the number of several threads;
  // choose: called with the moment.
  /** @param {{wakes: boolean, at: number | null, count: number, name: string,
   *   choose(until: number, wakes: boolean): void}} given */
  open({ wakes, at, count, name, choose }) {
    const { net: { now }, ui: { dialog, language: { t } }, zone } = this;
    const tomorrow = snoozeChoices(now(), zone()).find((choice) => choice.name === "tomorrow");
    this.#fields = fieldsOf(at ?? tomorrow.at, zone());
    this.#wakes = wakes;
    this.#choose = choose;
    this.#isTold = false;
    dialog.open(
      name ? t("snooze.own.title", { name }) : t("snooze.many", { count }), () => this.#content());
    /** @type {HTMLElement} */ (dialog.element.querySelector("[name=date]")).focus();
  }

  get #moment() {
    const { data: { limits }, net: { now }, zone } = this;
    return ownMoment(this.#fields, now(), zone(), limits.snooze_years);
  }

  #content() {
    const { data: { limits }, net: { now }, ui: { dialog, language: { t } }, zone } = this;
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

  // The moment in words, or the mistake.
  #result() {
    const { data: { limits }, ui: { language: { t, words } }, zone } = this;
    const { at, problem } = this.#moment;
    const isWrong = problem && (this.#isTold || problem !== "incomplete");
    const said = at ? t("snooze.own.result", { time: words.whole(at), zone: zone() })
      : isWrong ? t(`snooze.own.${problem}`, { years: limits.snooze_years }) : "";
    return html`<p class="snooze-result" id="snooze-result" role="status"
      data-wrong=${String(Boolean(isWrong))}>${said}</p>`;
  }

  #set(changes) {
    Object.assign(this.#fields, changes);
    this.ui.dialog.paint();
  }

  #submit(event) {
    event.preventDefault();
    const { at } = this.#moment;
    if (at) {
      this.ui.dialog.close();
      this.#choose(at, this.#wakes);
      return;
    }
    this.#isTold = true;
    this.ui.dialog.paint();
    /** @type {HTMLElement} */ (
      this.ui.dialog.element.querySelector(this.#fields.date ? "[name=time]" : "[name=date]")).focus();
  }
}

// The moments until which a thread may be snoozed, by the clocks of a time zone. Pure: now is a parameter.
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = 15 * MINUTE_MS; // offsets from UTC are multiples of a quarter of an hour

const LATER_MS = 3 * HOUR_MS;
const EVENING_HOUR = 17; // "later today" is at this hour or earlier, as long as it is LEAST_MS ahead
const LEAST_MS = HOUR_MS;
const MORNING = { hour: 9, minute: 0 };
const MONDAY = 1;
const YEAR_MAX = 9999; // a date field accepts more than a Date can hold

// Returns the moment some days after `now`, at a time of day.
/** @param {number} now @param {number} days @param {{hour: number, minute: number}} time @param {string} zone */
function inDays(now, days, { hour, minute }, zone) {
  const { year, month, day } = reading(now, zone);
  return momentOf({ year, month, day: day + days, hour, minute }, zone);
}

// Days until the next Monday: 7 on a Monday.
function daysToMonday(now, zone) {
  const { year, month, day } = reading(now, zone);
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return (MONDAY - weekday + 7) % 7 || 7;
}

// Returns three hours from now, rounded up to a quarter; or the evening, if it is earlier and an hour ahead.
function later(now, zone) {
  const at = Math.ceil((now + LATER_MS) / QUARTER_MS) * QUARTER_MS;
  const evening = inDays(now, 0, { hour: EVENING_HOUR, minute: 0 }, zone);
  return evening < at && evening >= now + LEAST_MS ? evening : at;
}

const hasSameDay = (a, b) => a.day === b.day && a.month === b.month && a.year === b.year;

// Returns the moments in the menu: {name, at}. `hours` replaces `later` if that would be tomorrow.
/** @param {number} now @param {string} zone @returns {{name: string, at: number}[]} */
export function snoozeChoices(now, zone) {
  const at = later(now, zone);
  const isToday = hasSameDay(reading(at, zone), reading(now, zone));
  return [
    { name: isToday ? "later" : "hours", at },
    { name: "tomorrow", at: inDays(now, 1, MORNING, zone) },
    { name: "monday", at: inDays(now, daysToMonday(now, zone), MORNING, zone) },
  ];
}

// Returns the moment of these fields as {at}, or {problem: "incomplete" | "past" | "far"}.
// years: the longest snooze.
/** @param {{date: string, time: string}} fields @returns {{at?: number, problem?: string}} */
export function ownMoment({ date, time }, now, zone, years) {
  if (Number(date.split("-")[0]) > YEAR_MAX) return { problem: "far" };
  const at = momentOfFields(date, time, zone);
  if (at === null) return { problem: "incomplete" };
  if (at <= now) return { problem: "past" };
  return at > farthest(now, years) ? { problem: "far" } : { at };
}

// A year has at least 365 days, so the server accepts everything offered here.
/** @param {number} now @param {number} years */
export const farthest = (now, years) => now + years * 365 * DAY_MS;

// The moments of the snooze menu in words.

// Returns [{name, at, text: "Tomorrow, Tue 9:00"}, …].
/** @param {number} now @param {Pick<TimeGiven, "t" | "words">} given @param {string} zone */
export function choicesInWords(now, { t, words }, zone = ownZone()) {
  const timeOf = { later: words.clock, monday: (at) => words.dated(at, now) };
  const moment = (at) => words.moment(at, now);
  return snoozeChoices(now, zone).map(({ name, at }) => ({
    name, at, text: t(`snooze.${name}`, { time: (timeOf[name] ?? moment)(at) }),
  }));
}
