// The list as it was at a moment, in the place of the live one: a bar to choose the moment, and rows that can
// only be read.

import { html, render } from "lit-html";

import {
  besideOf, codeOf, firstOf, localOf, momentOf, momentOfLocal, PastList, pathOf, secondWords, spanNameOf, SPANS, stepOf,
} from "../../core/list/past.js";
import { inView, range, topFor } from "../../core/list/window.js";
import { listCall, listKey, timestamp } from "../../core/route.js";
import { ownZone } from "../../core/time.js";
import { emptyState } from "../elements/empty.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { Scroller } from "./input.js";
import { RowPool } from "./row.js";

const API = "/admin/api/history";
const EXPLAIN = (id) => `/admin/api/threads/${id}/explain`;
const OVERSCAN = 6;
const AHEAD = 20; // more rows are read when fewer than this are left below the screen
const TYPED_MS = 500; // a moment being typed is asked for once the keys rest
const MARKS_PX = 20;
const STEPS = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
  Home: -Infinity, End: Infinity,
};

export class PastPane extends PageModule {
  shown = false;
  /** @type {PastList} */
  past;
  #list = null; // the name of the list
  #activeId = null; // the row of the keyboard
  /** @type {{id?: number, at?: number, rank?: number | null}} */
  #asked = {}; // the place of the open thread, which may be below the rows that were read

  /** @param {Page} page */
  constructor(page) {
    super(page);
    const pane = document.getElementById("pane-list");
    this.root = document.createElement("section");
    Object.assign(this.root, { id: "past", className: "past", hidden: true });
    this.root.setAttribute("aria-labelledby", "past-title");
    this.bar = document.createElement("div");
    this.bar.className = "past-bar";
    this.frame = document.createElement("div");
    this.frame.className = "list-frame";
    this.rows = document.createElement("div");
    Object.assign(this.rows, { id: "past-list", className: "list past-list", tabIndex: 0 });
    this.rows.setAttribute("role", "listbox");
    this.notice = document.createElement("div");
    this.notice.className = "past-notice";
    this.frame.append(this.rows, this.notice);
    this.root.append(this.bar, this.frame);
    pane.append(this.root);
    this.pane = pane;
    const ask = () => this.ui.painter.ask("past");
    this.scroller = new Scroller({ root: this.rows, scrolled: ask, resized: ask });
    this.pool = new RowPool(this.scroller.spacer);
    this.rows.addEventListener("click", (event) => this.#pressed(event));
    this.rows.addEventListener("keydown", (event) => this.#key(event));
    this.ui.painter.add("past", () => this.paint());
  }

  get #px() { return this.ui.density.rowPx; }
  get #ids() { return this.past.shown?.ids ?? []; }
  // The window of rows that were read, and one that is empty while more follow.
  get #count() { return this.#ids.length + (this.past.shown?.next ? 1 : 0); }

  // Shows the moment of the address. isAsked: the admin has just chosen it.
  open(isAsked = false) {
    const { at, span } = this.acts.navigation;
    if (at === null) return;
    const { list } = this.data.lists;
    if (!this.#list || listKey(list) !== listKey(this.#list)) this.past = this.#begin(list);
    if (!this.shown) this.ui.picks.clear();
    this.#show(true);
    if (at !== this.past.at) this.past.go(at);
    this.past.look(spanNameOf(span));
    this.paint();
    if (isAsked) /** @type {HTMLElement} */ (this.root.querySelector(".past-slider")).focus();
  }

  close() {
    if (!this.shown) return;
    const hadFocus = this.root.contains(document.activeElement);
    this.#show(false);
    this.#list = null;
    if (hadFocus) this.ui.listPane.focus();
  }

  #show(shown) {
    this.shown = shown;
    this.root.hidden = !shown;
    this.pane.toggleAttribute("data-past", shown);
    this.ui.past = shown ? this : null;
  }

  #get(list, path, given) {
    return this.net.api.http.get(`${path}?${new URLSearchParams({ ...listCall(list), ...given })}`);
  }

  // Begins with a list, at its top. What was asked for may still be answered after the past was left.
  #begin(list) {
    this.#list = list;
    this.#activeId = null;
    this.#asked = {};
    this.scroller.to(0);
    const past = new PastList({
      ask: ({ at, after, limit }) => this.#get(list, API, {
        at: timestamp(at), ...(after && { after: after.join(",") }), limit: String(limit ?? 100),
      }),
      marksOf: ({ from, to }, steps) => this.#get(list, `${API}/marks`, {
        since: timestamp(from), until: timestamp(to), steps: String(steps),
      }),
      loaded: (at) => { if (past === this.past) this.#loaded(at); },
      changed: () => this.ui.painter.ask("past"),
      now: this.net.now,
    });
    return past;
  }

  // The address follows, and a screen reader hears the total, which the slider says by itself.
  #loaded(at) {
    if (!this.shown || this.acts.navigation.at === null) return;
    this.acts.navigation.goPast(at, true);
    if (!this.bar.querySelector(".past-slider:focus")) this.ui.announce(this.#said());
  }

  // Returns the place of the open thread on the list, from 0: null if it was not there, undefined if that is not
  // known, or not yet.
  #rank() {
    const { id } = this.data.thread;
    const { shown, at } = this.past;
    if (id === null || shown?.at !== at) return undefined;
    const index = shown.ids.indexOf(id);
    if (index >= 0 || !shown.next) return index < 0 ? null : index;
    if (this.#asked.id !== id || this.#asked.at !== at) this.#askRank({ id, at });
    return this.#asked.rank;
  }

  async #askRank(asked) {
    this.#asked = asked;
    const answer = await this.#get(this.#list, EXPLAIN(asked.id), { at: timestamp(asked.at) }).catch((error) => error);
    asked.rank = answer.status === 404 ? null : answer.rank;
    this.ui.painter.ask("past");
  }

  // Esc leaves the past, or goes from the thread to the list. Changes of the thread that are open beside it are
  // closed first.
  back() {
    const changes = document.getElementById("changes");
    if (changes?.checkVisibility({ visibilityProperty: true })) this.ui.changes.close();
    else if (this.root.contains(document.activeElement)) this.acts.navigation.goPast(null);
    else this.focus();
  }

  focus() { this.rows.focus({ preventScroll: true }); }

  /** @param {number} step */
  walk(step) {
    if (!this.#ids.length) return;
    const at = this.#ids.indexOf(this.#activeId);
    const first = Math.ceil(this.scroller.top / this.#px);
    this.#activate(at < 0 ? first : at + step);
  }

  /** @param {number} direction */
  page(direction) { this.walk(direction * Math.max(1, Math.floor(this.scroller.height / this.#px) - 1)); }
  toTop() { this.#activate(0); }
  toEnd() { this.#activate(this.#ids.length - 1); }
  openActive() { if (this.#ids.includes(this.#activeId)) this.acts.open(this.#activeId); }

  #activate(index) {
    const at = Math.min(Math.max(0, index), this.#ids.length - 1);
    this.#activeId = this.#ids[at] ?? null;
    this.scroller.to(topFor(at, this.scroller.top, this.scroller.height, "nearest", this.#px));
    this.ui.painter.ask("past");
  }

  #pressed({ target, pointerType }) {
    const row = target.closest(".row[data-thread]");
    if (!row) return;
    this.#activeId = Number(row.dataset.thread);
    const when = pointerType === "touch" ? null : target.closest(".row-when");
    if (when) this.ui.explain.open(this.#activeId, when);
    else this.acts.open(this.#activeId);
  }

  #key(event) {
    if (event.key !== "w" || event.ctrlKey || event.metaKey || event.altKey || !this.#ids.includes(this.#activeId)) return;
    event.stopPropagation();
    const when = this.pool.get(this.#activeId)?.element.querySelector(".row-when");
    this.ui.explain.open(this.#activeId, when);
  }

  paint() {
    if (!this.shown) return;
    render(this.#bar(), this.bar);
    render(this.#notice(), this.notice);
    this.rows.setAttribute("aria-busy", String(this.past.isWaiting));
    this.#paintRows();
  }

  #paintRows() {
    const { t, words } = this.ui.language;
    const { shown } = this.past;
    const { view, sort } = this.#list;
    this.rows.setAttribute("aria-label", t("past.list", { view: t(`view.${view}`), sort: t(`sort.${sort}`) }));
    const px = this.#px;
    this.scroller.resize(this.#count * px);
    const { top, height } = this.scroller;
    const { first, end } = range(top, height, this.#count, OVERSCAN, px);
    const seen = inView(top, height, this.#count, px);
    const ids = this.#ids;
    const keys = Array.from({ length: end - first }, (_, place) => ids[first + place] ?? "more");
    const look = {
      view, sort, byWait: this.data.sortsByWait.includes(sort), now: shown?.at ?? 0, t, words,
      adminId: this.data.adminId, own: "", fresh: false, mark: "", picked: false,
    };
    this.pool.show(keys, (key, row) => {
      const at = key === "more" ? ids.length : ids.indexOf(key);
      const outside = at < seen.first || at >= seen.end;
      if (key === "more") row.bindEmpty(t("list.loading"));
      else {
        row.bind(`past-${key}`, shown.rows.get(key), {
          ...look, outside, current: key === this.data.thread.id, active: key === this.#activeId,
        });
      }
      row.element.dataset.thread = key;
      row.place(this.scroller.place(at * px, px), { at, of: shown.total });
    });
    const isActive = ids.includes(this.#activeId) && this.pool.get(this.#activeId);
    if (isActive) this.rows.setAttribute("aria-activedescendant", `row-past-${this.#activeId}`);
    else this.rows.removeAttribute("aria-activedescendant");
    if (shown?.next && end + AHEAD >= ids.length) this.past.more();
  }

  // What stands in place of rows, or above them: why a moment cannot be shown.
  #notice() {
    const { t } = this.ui.language;
    const { problem, shown, since } = this.past;
    if (!problem) {
      return shown?.total === 0 ? emptyState({ icon: ICONS.hours, title: t("past.empty") })
        : shown ? "" : emptyState({ title: t("loading") });
    }
    const code = codeOf(problem);
    if (code === "too_early" && since) {
      const first = firstOf(since);
      return emptyState({
        icon: ICONS.hours, title: t("past.too_early", { time: this.#words(since) }),
        acts: [{ text: t("past.first"), run: () => this.past.go(first) }],
      });
    }
    if (code === "in_the_future") {
      return emptyState({ icon: ICONS.hours, title: t("past.future"), acts: [{ text: t("past.now"), run: () => this.#leave() }] });
    }
    return emptyState({
      icon: ICONS.unsent, title: problem.status === 404 ? t("past.no_view") : refusalOf(problem, t),
      acts: [{ text: t("retry"), run: () => this.past.go(this.past.at) }],
    });
  }

  #words(at) { return secondWords(this.ui.language.region, ownZone())(at, this.net.now()); }
  #leave() { this.acts.navigation.goPast(null); }

  #bar() {
    const { t } = this.ui.language;
    const { at, shown, problem } = this.past;
    const { view, query, sort } = this.#list;
    const total = shown && !problem ? html`<span class="past-total">${t("header.total", { count: shown.total })}</span> · ` : "";
    return html`<div class="past-head">
        <div class="past-words"><h2 class="past-title" id="past-title">${t("past.title", { time: this.#words(at) })}</h2>
          <p class="past-what">${total}${query ?? t(`view.${view}`)} · ${t(`sort.${sort}`)}</p>
          ${this.data.thread.id === null ? "" : html`<p class="past-thread">${this.#threadText()}</p>`}</div>
        <button type="button" class="button past-now" title=${t("past.now.title")} @click=${() => this.#leave()}
          >${t("past.now")}</button></div>
      ${this.#slider()}
      <div class="past-choices">
        <input type="datetime-local" class="past-field" step="1" aria-label=${t("past.field")}
          .value=${localOf(at, ownZone())} @change=${(event) => this.#typed(event)}>
        <select class="past-span" aria-label=${t("past.span")} @change=${({ target }) => this.#chooseSpan(target.value)}>
          ${Object.keys(SPANS).map((span) => html`<option value=${span} ?selected=${span === this.past.spanName}
            >${t(`past.span.${span}`)}</option>`)}</select></div>
      <p class="past-note">${t("past.note")}</p>`;
  }

  #slider() {
    const { t } = this.ui.language;
    const { at, span, marks } = this.past;
    const last = span?.last ?? 1;
    return html`<div class="past-time">
      <svg class="past-marks" viewBox="0 0 ${last} ${MARKS_PX}" preserveAspectRatio="none" aria-hidden="true"
        ><path d=${pathOf(marks, MARKS_PX)}></path></svg>
      <input type="range" class="past-slider" min="0" max=${last} step="1" aria-label=${t("past.slider")}
        aria-valuetext=${this.#said()}
        .value=${String(span ? stepOf(span, at) : last)}
        @input=${({ target }) => span && this.past.drag(momentOf(span, Number(target.value)))} @keydown=${(event) => this.#slide(event)}>
      <div class="past-ends">${this.#jump(-1, "previous")}<span class="past-end" aria-hidden="true">${span ? this.#end(span.from) : ""}</span>
        <span aria-hidden="true">${span ? this.#end(span.to) : ""}</span>${this.#jump(1, "next")}</div></div>`;
  }

  // The moment, and once they are known the total and the place of the open thread.
  #said() {
    const { at, shown } = this.past;
    const total = shown?.at === at ? this.ui.language.t("header.total", { count: shown.total }) : "";
    return [this.#words(at), total, this.#threadText()].filter(Boolean).join(", ");
  }

  #threadText() {
    const { t } = this.ui.language;
    const rank = this.#rank();
    if (rank === null) return t("past.thread.not_here");
    return rank === undefined ? "" : t("past.thread", { place: rank + 1, total: this.past.shown.total });
  }

  // The ends of the slider, to the minute.
  #end(at) { return this.ui.language.words.moment(at, this.net.now()); }

  // The button to the mark before or after. One without a mark keeps the focus.
  #jump(direction, name) {
    const { t } = this.ui.language;
    const { at, marks } = this.past;
    return html`<button type="button" class="icon-button past-${name}" aria-label=${t(`past.${name}`)} title=${t(`past.${name}`)}
      aria-disabled=${String(!besideOf(marks, at, direction))} @click=${() => this.past.goBeside(direction)}
      >${ICONS.back}</button>`;
  }

  #slide(event) {
    const steps = STEPS[event.key];
    if (steps === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.past.step(steps);
  }

  // The span is in the address, so that others see the same there.
  #chooseSpan(span) {
    this.acts.navigation.span = span;
    this.acts.navigation.goPast(this.past.at, true);
  }

  #typed({ target }) {
    const at = momentOfLocal(target.value, ownZone());
    if (at !== null) this.past.go(at, { restMs: TYPED_MS });
  }
}
