// The week as a picture: a row for each day with blocks of open time. They are drawn, dragged and resized
// with the pointer, or moved by keys, in steps of a quarter of an hour.

import { html, svg } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { dragged, drawn, keyed } from "../../core/hours/week-edit.js";
import {
  BLOCKS_MAX, clock, DAY, DAYS, endOf, ofDay, piecesOf, replaced, without,
} from "../../core/hours/week.js";
import { ICONS } from "../elements/icons.js";
import { blockText, dayName, dayText, hoursText, weekText } from "./words.js";

const SLOP_PX = 4;
const PRESSED_MINUTES = 60; // length of a block made by a press without dragging
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21, 24];
const KEYS = "ArrowLeft ArrowRight ArrowUp ArrowDown Shift+ArrowLeft Shift+ArrowRight "
  + "Alt+Shift+ArrowLeft Alt+Shift+ArrowRight Enter Delete";

export class WeekPicture {
  #drag = null; // {one, kind, from, isMoved, listening}

  /** @param {WeekPictureOptions} options */
  constructor({ root, week, tell, language }) {
    this.root = root; // () → the element that holds it
    this.week = week;
    this.tell = tell; // (text) → tells screen readers what happened
    this.language = language;
  }

  get isDragging() { return this.#drag?.isMoved ?? false; }

  // The picture is no longer on the page.
  end() { this.#drag?.listening.abort(); }

  // now: {day, minute} in the zone, or null if unknown; wrong: days with a mistake.
  /** @param {{now: {day: number, minute: number} | null, wrong: number[]}} given */
  content({ now, wrong }) {
    const { t } = this.language;
    return html`<div class="week" role="group" aria-label=${t("hours.week")} data-dragging=${this.isDragging}>
      <div class="week-scale" aria-hidden="true">${HOURS.map((hour) => html`<span
        .style=${`left: ${(hour / 24) * 100}%`}>${hour}</span>`)}</div>
      ${DAYS.map((_, day) => this.#row(day, now, wrong.includes(day)))}
      <p class="unseen" id="week-keys">${t("hours.keys")}</p></div>`;
  }

  #row(day, now, isWrong) {
    const { week, language } = this;
    const name = dayText(week.blocks, day, language);
    return html`<div class="week-row" data-day=${DAYS[day]} data-chosen=${week.day === day} data-wrong=${isWrong}>
      <button type="button" class="week-day" aria-pressed=${String(week.day === day)} aria-label=${name} title=${name}
        @click=${() => week.choose(day, null)}>${dayName(day, "short", language)}</button>
      <div class="week-track" @pointerdown=${(event) => this.#press(event, day)}>
        ${repeat(piecesOf(week.blocks, day), pieceKey, (/** @type {WeekPiece} */ piece) => (
          piece.isTail ? this.#tail(piece) : this.#block(piece)))}
        ${now?.day === day ? html`<span class="week-now" aria-hidden="true"
          .style=${`left: ${(now.minute / DAY) * 100}%`}></span>` : ""}</div></div>`;
  }

  /** @param {WeekPiece} piece */
  #block({ block, from, to }) {
    const { week, language } = this;
    const text = blockText(block, language);
    const isNight = block.start + block.length > DAY;
    return html`<div class="week-block" id=${blockId(block.key)} role="button" tabindex="0" title=${text}
        aria-label=${text} aria-describedby="week-keys" aria-keyshortcuts=${KEYS}
        aria-pressed=${String(week.key === block.key)} data-night=${isNight} .style=${placed(from, to)}
        @keydown=${(event) => this.#key(event, block)} @focus=${() => this.#chosen(block)}
        ><span class="week-hours">${hoursText(block)}</span><span class="week-edge" data-edge="start"></span
        >${isNight ? "" : html`<span class="week-edge" data-edge="end"></span>`}</div>`;
  }

  // The part after midnight of a block of the day before.
  /** @param {WeekPiece} piece */
  #tail({ block, from, to }) {
    return html`<div class="week-tail" data-key=${block.key} data-chosen=${this.week.key === block.key}
      title=${blockText(block, this.language)} .style=${placed(from, to)}
      ><span class="week-hours" aria-hidden="true">${hoursText(block)}</span><span class="week-edge" data-edge="end"></span></div>`;
  }

  #chosen({ day, key }) { if (this.week.key !== key) this.week.choose(day, key); }

  #key(event, block) {
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    if (key === "Enter" || key === " ") this.#edit(block);
    else if (key === "Delete" || key === "Backspace") this.#remove(block);
    else {
      const direction = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[key];
      const isAcross = key === "ArrowLeft" || key === "ArrowRight";
      const isMove = !shiftKey && !altKey;
      if (!direction || ctrlKey || metaKey || (altKey && !shiftKey) || (!isAcross && !isMove)) return;
      this.#step(block, isAcross ? (isMove ? "move" : altKey ? "start" : "end") : "day", direction);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Focuses the fields with its exact times, beside the picture.
  #edit({ key }) { /** @type {HTMLInputElement} */ (document.getElementById(`day-from-${key}`))?.select(); }

  #step(block, kind, direction) {
    const { week, language } = this;
    const next = keyed(week.blocks, block, kind, direction);
    if (!next) return this.tell(language.t("hours.no_room"));
    week.begin(`${kind} ${block.key}`);
    week.set(replaced(week.blocks, next));
    week.choose(next.day, next.key);
    this.tell(blockText(next, language));
    document.getElementById(blockId(next.key))?.focus();
    return undefined;
  }

  #remove(block) {
    const { week, language } = this;
    const { blocks } = week;
    const left = ofDay(without(blocks, block.key), block.day);
    week.begin();
    week.set(without(blocks, block.key));
    const next = left.find(({ start }) => start > block.start) ?? left.at(-1);
    week.choose(block.day, next?.key ?? null);
    this.tell(language.t("hours.removed", { text: blockText(block, language) }));
    const element = next ? document.getElementById(blockId(next.key))
      : this.root().querySelector(`[data-day="${DAYS[block.day]}"] .week-day`);
    /** @type {HTMLElement} */ (element)?.focus();
  }

  // Returns the day, which may be one outside of the rows, and the minutes from midnight.
  #place({ clientX, clientY }) {
    const tracks = [...this.root().querySelectorAll(".week-track")].map((each) => each.getBoundingClientRect());
    const [first, second] = tracks;
    const row = Math.floor((clientY - first.top) / (second.top - first.top));
    const across = Math.min(Math.max((clientX - first.left) / first.width, 0), 1);
    return { day: Math.min(Math.max(row, -1), 7), minute: across * DAY };
  }

  // Follows the pointer until it is released: a block in another row is another element.
  #press(event, day) {
    const { target, button, clientX, clientY } = event;
    if (button !== 0 || !(target instanceof Element) || this.#drag) return;
    const holder = /** @type {HTMLElement} */ (target.closest(".week-block, .week-tail"));
    const key = holder ? Number(holder.dataset.key ?? holder.id.slice(blockId("").length)) : null;
    const one = key === null ? null : this.week.of(key);
    if (one && !holder.classList.contains("week-tail")) holder.focus({ preventScroll: true });
    else if (event.pointerType === "mouse") event.preventDefault();
    const edge = /** @type {HTMLElement} */ (target.closest(".week-edge"))?.dataset.edge;
    const listening = new AbortController();
    this.#drag = {
      one, kind: one ? edge ?? "move" : "new", from: { ...this.#place(event), day }, isMoved: false, listening,
      x: clientX, y: clientY, before: this.week.blocks,
    };
    this.#listen(listening.signal);
  }

  #listen(signal) {
    const on = (name, act) => addEventListener(name, act, { signal, capture: true });
    on("pointermove", (event) => this.#move(event));
    on("pointerup", () => this.#drop());
    on("pointercancel", () => this.#cancel());
    on("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.#cancel();
    });
  }

  #move(event) {
    const drag = this.#drag;
    if (!drag.isMoved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLOP_PX) return;
    const { week } = this;
    const to = this.#place(event);
    if (!drag.isMoved) {
      if (drag.kind === "new" && ofDay(week.blocks, drag.from.day).length >= BLOCKS_MAX) return;
      drag.isMoved = true;
      week.begin();
    }
    if (drag.kind === "new") {
      const next = drawn(drag.from, to, drag.one);
      week.set(drag.one ? replaced(week.blocks, next) : [...week.blocks, next]);
      drag.one = next;
    } else week.set(replaced(week.blocks, dragged(drag.one, drag.kind, drag.from, to)));
    const { day, key } = this.week.of(drag.one.key);
    week.choose(day, key);
  }

  // A press on free time makes a block of an hour, as far as there is room.
  #drop() {
    const { week } = this;
    const drag = this.#end();
    if (drag.isMoved) {
      stopClick();
      this.#finish(drag.one.key);
    } else if (drag.kind === "new") this.#make(drag.from);
    else if (week.key !== drag.one.key) week.choose(drag.one.day, drag.one.key);
  }

  #make({ day, minute }) {
    const { week } = this;
    if (ofDay(week.blocks, day).length >= BLOCKS_MAX) return;
    const start = Math.floor(minute / PRESSED_MINUTES) * PRESSED_MINUTES;
    const next = drawn({ day, minute: start }, { day, minute: start + PRESSED_MINUTES });
    week.begin();
    week.set([...week.blocks, next]);
    this.#finish(next.key);
  }

  // Merges the block with those that it overlaps or touches.
  #finish(key) {
    const { week, language } = this;
    const one = week.settle(key);
    week.choose(one.day, key);
    this.tell(blockText(one, language));
    document.getElementById(blockId(key))?.focus({ preventScroll: true });
  }

  #cancel() {
    const drag = this.#end();
    if (drag.isMoved) this.week.undo();
  }

  #end() {
    const drag = this.#drag;
    drag.listening.abort();
    this.#drag = null;
    return drag;
  }
}

/** @param {number | string} key */
const blockId = (key) => `week-block-${key}`;
const pieceKey = ({ block, isTail }) => `${block.key}${isTail ? "+" : ""}`;
const placed = (from, to) => `left: ${(from / DAY) * 100}%; width: ${((to - from) / DAY) * 100}%`;

// After a drag, neither the dragged block nor anything beside the dialog is clicked.
function stopClick() {
  const stop = (event) => event.stopPropagation();
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
}

// The exact times of one day in fields, beside the picture.
/** @param {DayHoursOptions} options */
export function dayHours({ week, problem, language, write, remove, add, copy }) {
  const { t } = language;
  const { day, blocks, key, wrong } = week;
  const name = dayName(day, "long", language);
  const own = ofDay(blocks, day);
  return html`<section class="day-hours" aria-label=${name}>
    <h2 class="day-name">${name}</h2>
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

// A small picture of a week, beside the name of a calendar.
const ROW = 5;
const HOUR = 4;

/** @param {Block[]} blocks @param {Ui["language"]} language */
export function weekThumb(blocks, language) {
  const width = 24 * HOUR;
  const height = DAYS.length * ROW;
  return html`<svg class="week-thumb" role="img" aria-label=${weekText(blocks, language)}
    viewBox="0 0 ${width} ${height}" width=${width} height=${height}>
    ${DAYS.map((_, day) => svg`<rect class="thumb-day" x="0" y=${day * ROW} width=${width} height=${ROW - 1}/>
      ${piecesOf(blocks, day).map(({ from, to }) => svg`<rect class="thumb-open" x=${(from / DAY) * width}
        y=${day * ROW} width=${((to - from) / DAY) * width} height=${ROW - 1}/>`)}`)}</svg>`;
}
