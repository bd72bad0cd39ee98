// The page of reports for supervisors: a number over time, its parts, and the threads behind each of them.

import { html } from "lit-html";

import { csvOf, fileName, rowsOfReport } from "../core/reports/csv.js";
import {
  daysIn, fitting, fromAddress, isAtMoment, isOfNow, isTimed, lacking, listOf, measureOf, notAddingUp, OF_QUERY, PERCENTILES, requestsOf, rowsIn, rowsOf, rowsRequest, stepOf, timeOf, toAddress,
} from "../core/reports/state.js";
import { endText, numberOf, numberText, partName, stepWords } from "../core/reports/words.js";
import { shown as shownName } from "../core/names.js";
import { format } from "../core/route.js";
import { fieldsOf, ownZone } from "../core/time.js";
import { refusalOf } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";
import { ReportChart } from "./chart.js";
import { Controls } from "./controls.js";
import { boundsText, histogramTable, keyOf, largeNumbers, LINES_MAX, partTable, stepTable, Week } from "./figures.js";
import { ReportThreads } from "./threads.js";

const API = "/admin/api/reports";
const SLOW_MS = 400; // after so long the page says that it counts
const LOOK_MS = 60_000; // a report up to now is read again so often
const FIRST_COUNTING_MS = 5000;
const BEHIND_MS = 2 * 60_000; // the counting usually is less behind than this
const KEPT_MAX = 8;
/** @type {Map<string, ReportShown>} reports by their addresses, shown at once when the admin comes back */
const kept = new Map();

export class ReportsPage extends PageModule {
  form = null; // the threads of a number, in place of the report
  isWide = true;
  isDirty = false;
  /** @type {ReportState} */
  #state = fromAddress(location.search, ownZone());
  /** @type {ReportShown | null} */
  #shown = null;
  /** @type {any} */
  #problem = null;
  #run = 0;
  #isSlow = false;
  #timer = null;
  #hasTable = false;
  #order = { column: 1, isUp: false }; // of the parts
  /** @type {ReportRows | null} */
  #opener = null; // the number that was pressed last
  #awaitsOpener = false; // whether it gets the focus once it is there
  #chart = new ReportChart();
  #ended = new AbortController();

  /** @param {Page & { area: any }} page */
  constructor({ area, ...page }) {
    super(page);
    this.area = area;
    const paint = () => this.area.paint();
    this.controls = new Controls({
      api: this.net.api, views: () => this.#views(), language: this.ui.language, paint, changed: (changes) => this.#choose(changes),
    });
    const { signal } = this.#ended;
    this.week = new Week({ changed: paint, signal });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint, { signal });
  }

  get t() { return this.ui.language.t; }
  get action() { return this.#shown ? { text: this.t("reports.csv"), run: () => this.#save() } : null; }

  async begin() {
    this.area.rename(toAddress(this.#state, rowsIn(location.search)), true);
    await this.moved();
  }

  end() {
    this.#run += 1;
    this.#ended.abort();
    clearTimeout(this.#timer);
    this.#chart.end();
  }

  // The address is another one of this page.
  async moved() {
    const state = fromAddress(location.search, ownZone());
    const isOther = toAddress(state) !== toAddress(this.#state);
    this.#state = state;
    this.controls.set(state.query);
    this.#shown = kept.get(toAddress(state)) ?? this.#shown;
    const hadRows = this.form !== null;
    this.#follow(rowsIn(location.search));
    this.area.paint();
    if (hadRows && !this.form) this.#focusOpener();
    if (isOther || !this.#shown || !hadRows) await this.#read();
    else this.#lookAgain();
  }

  /** @param {Partial<ReportState>} changes */
  #choose(changes) {
    const isOnlyShown = "shown" in changes && this.#shown !== null;
    const days = changes.span === "own" && this.#state.span !== "own" ? daysIn(this.#state, this.net.now()) : {};
    this.#state = fitting({ ...this.#state, ...days, ...changes });
    this.controls.set(this.#state.query);
    this.area.rename(toAddress(this.#state));
    if (isOnlyShown) this.#take({ ...this.#shown, state: { ...this.#shown.state, ...changes } });
    this.area.paint();
    if (!isOnlyShown) this.#read(true);
  }

  // The lists whose length can be counted: [id, name].
  #views() {
    const { data: { choices, savedViews }, t } = this;
    return [...choices.views.filter((name) => name !== "mine" && name !== "unassigned" && name !== "mentions")
      .map((name) => [name, t(`view.${name}`)]), ...savedViews.list.map(({ id, name }) => [id, shownName(name)])];
  }

  get #time() { return timeOf(this.#state, this.net.now()); }

  get #lacks() { return lacking(this.#state, this.net.now()); }

  // The report of before stays until the next one is there, or is refused.
  async #read(isChosen = false) {
    clearTimeout(this.#timer);
    const run = ++this.#run;
    const state = this.#state;
    const time = this.#time;
    this.#problem = null;
    this.#isSlow = false;
    if (this.#lacks) {
      this.#shown = null;
      return this.area.paint();
    }
    this.#timer = setTimeout(() => { this.#isSlow = true; this.area.paint(); }, SLOW_MS);
    try {
      const asked = requestsOf(state, time);
      const [steps, parts] = await Promise.all([asked.steps, asked.parts].map((given) => (
        given ? this.net.api.http.get(`${API}?${new URLSearchParams(given)}`) : null)));
      if (run !== this.#run) return undefined;
      this.#take({ state, time, steps, parts });
      if (isChosen) this.ui.announce(this.#heard(state, steps.total));
    } catch (error) {
      if (run !== this.#run) return undefined;
      this.#problem = this.controls.refuse(error) ? null : error;
      if (this.#shown && toAddress(this.#shown.state) !== toAddress(state)) this.#shown = null;
    }
    clearTimeout(this.#timer);
    this.#isSlow = false;
    this.#lookAgain();
    this.area.paint();
    if (this.#awaitsOpener && document.activeElement?.localName === "h1") this.#focusOpener();
    return undefined;
  }

  // The words that a screen reader speaks of a new report.
  #heard({ metric }, total) {
    const { t } = this;
    const number = typeof total === "number" ? numberText(total, isTimed(metric), t) : PERCENTILES.map((one) => (
      `${t(`reports.${one}`)} ${numberText(total[one], true, t)}`)).join(", ");
    return `${t(`reports.metric.${metric}`)}: ${number}`;
  }

  /** @param {ReportShown} shown */
  #take(shown) {
    this.#shown = shown;
    kept.delete(toAddress(shown.state));
    kept.set(toAddress(shown.state), shown);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value);
  }

  // Numbers up to now are read again, as they change.
  #lookAgain() {
    if (!this.#shown || this.#problem) return;
    clearTimeout(this.#timer);
    const ms = this.#shown.steps.counted_until === null ? FIRST_COUNTING_MS : LOOK_MS;
    this.#timer = setTimeout(() => {
      if (document.visibilityState === "visible" && !this.form) this.#read();
      else this.#lookAgain();
    }, ms);
  }

  /** @returns {ReportLook} */
  get #look() {
    const { language } = this.ui;
    const { state } = this.#shown ?? { state: this.#state };
    return {
      order: { ...this.#order, by: (column) => this.#sortBy(column) },
      shown: this.#shown, t: language.t, words: stepWords(language.region, state.timezone),
      open: this.#opening(state), asItWas: (at, part) => this.#listAddress(state, at, part),
      follow: (event) => this.#followLink(event), ownTime: (at) => this.#ownTime(state, at),
    };
  }

  // Sorts the parts by a column, names from A on and numbers from the largest on; or the other way round.
  #sortBy(column) {
    const isSame = column === this.#order.column;
    this.#order = { column, isUp: isSame ? !this.#order.isUp : column === 0 };
    this.area.paint();
  }

  // Returns what a press on a number runs: it shows its threads, or the list that it counts.
  #opening(state) {
    const measure = measureOf(state.metric);
    if (measure === "time") return null;
    if (measure !== "list") return (rows) => this.#openRows(rows);
    return ({ to }) => {
      const address = this.#listAddress(state, Math.min(to, this.net.now()), null);
      if (address) this.#goTo(address);
    };
  }

  // The address of the list as it was at a moment; null if no list had the same threads, or none is known.
  #listAddress(state, at, part) {
    const list = listOf(state, part);
    const since = this.#shown?.steps.known_since ?? Infinity;
    return list === null || at < since || at > this.net.now() ? null : `/${format({ ...list, at })}`;
  }

  // A moment by the admin's own clock, which the desk shows; "" if the report has that clock, too.
  #ownTime({ timezone }, at) {
    const zone = ownZone();
    const { language } = this.ui;
    return timezone === zone ? "" : this.t("reports.own_time", { time: stepWords(language.region, zone).written("moment", at) });
  }

  /** @param {string} address of a list of the desk, which takes the place of where the area returns to */
  #goTo(address) { this.area.close(() => location.replace(address)); }

  // A link to a list of the desk.
  #followLink(event) {
    this.area.onPlainPress(event, () => this.#goTo(event.currentTarget.getAttribute("href")));
  }

  /** @param {ReportRows} rows */
  #openRows(rows) {
    // The report on screen counts, if another report is still being read.
    this.#run += 1;
    clearTimeout(this.#timer);
    this.#isSlow = false;
    this.#state = this.#shown.state;
    this.controls.set(this.#state.query);
    this.area.rename(toAddress(this.#state, rows));
    this.#follow(rows);
    this.area.paint();
    this.area.focus();
    this.area.root.querySelector(".area-main").scrollTop = 0;
  }

  /** @param {ReportRows | null} rows */
  #follow(rows) {
    if (rows) this.#opener = rows;
    if (!rows) this.form = null;
    else if (!this.form || toAddress(this.#state, this.form.rows) !== toAddress(this.#state, rows)) {
      const { data, net, ui, acts } = this;
      this.form = new ReportThreads({
        data, net, ui, acts, address: toAddress(this.#state, rows), state: this.#state, rows, changed: () => this.area.paint(), look: () => this.#look,
        partText: () => this.#partText(rows),
        ask: (after) => net.api.http.get(`${API}/threads?${new URLSearchParams({
          ...rowsRequest(this.#state, rows), ...(after && { after: after.join(",") }),
        })}`),
      });
      this.form.begin();
    }
  }

  /** @param {ReportRows} rows */
  #partText({ part, least, below }) {
    const { t } = this;
    const bounds = least !== null || below !== null ? boundsText({ least, below }, t) : "";
    return [part === null ? "" : this.#nameOf(part), bounds].filter(Boolean).join(", ");
  }

  #nameOf(part) {
    const { t } = this;
    if (this.#state.by === "hour") return this.#look.words.hourOfWeek(Number(part));
    const { parts: all = [] } = this.#shown?.parts ?? this.#shown?.steps ?? {};
    return partName(this.#state, all.find(({ key }) => key === part) ?? { key: part, name: part }, t);
  }

  closeForm() {
    this.form = null;
    this.area.rename(toAddress(this.#state));
    this.area.paint();
    this.#focusOpener();
    if (this.#shown) this.#lookAgain();
    else this.#read();
  }

  #focusOpener() {
    const key = this.#opener ? keyOf(this.#opener, this.#shown) : "";
    const opener = this.area.root.querySelector(`[data-rows="${CSS.escape(key)}"]`);
    this.#awaitsOpener = !opener && !this.#shown;
    if (opener) opener.focus();
    else this.area.focus();
  }

  content() {
    const { t } = this;
    const isWaiting = this.#isSlow;
    return html`${this.controls.content(this.#state, this.#lacks)}
      <p class="report-about">${this.#about()}</p>
      <p class="report-state" role="status" data-busy=${String(isWaiting)}>${this.#said(isWaiting)}</p>
      <div class="report-picture" aria-busy=${String(isWaiting)}>${this.#shown ? this.#picture() : html`<div
        class="report-empty"></div>`}</div>`;
  }

  // Says how the number on screen is counted.
  #about() {
    const { t } = this;
    const { metric, hours } = (this.#shown ?? { state: this.#state }).state;
    const isOpening = hours === "opening" && measureOf(metric) === "durations";
    return [t(`reports.about.${metric}`), isOpening ? t("reports.hours.about") : ""].filter(Boolean).join(" ");
  }

  #said(isWaiting) {
    const { t } = this;
    if (this.#problem) {
      return html`<span class="report-problem">${refusalOf(this.#problem, t)}</span>
        <button type="button" class="button" @click=${() => this.#read()}>${t("retry")}</button>`;
    }
    if (isWaiting) return t("reports.counting");
    const until = this.#shown?.steps.counted_until;
    if (measureOf(this.#shown?.state.metric) === "list") return this.#saidOfList();
    if (until === null) return t("reports.first_counting");
    if (until !== undefined && this.net.now() - until > BEHIND_MS) {
      return t("reports.counted_until", { time: this.#look.words.written("hour", until) });
    }
    return "";
  }

  // Where a list is not known from the first step on, says since when.
  #saidOfList() {
    const { values, known_since: since } = this.#shown.steps;
    return values[0] === null ? this.t("reports.known_from", { time: this.#look.words.written("hour", since) }) : "";
  }

  #picture() {
    const { t } = this;
    const look = this.#look;
    const { state, steps } = this.#shown;
    const why = notAddingUp(state);
    return html`${largeNumbers(look)}
      ${this.#overTime(look)}
      ${state.by === "hour" ? html`<section><h2>${t("reports.week")}</h2><p class="set-help">${t(`reports.week.about.${
        measureOf(state.metric)}`)}</p>${this.week.content(look, (shown) => this.#choose({ shown }))}</section>` : ""}
      ${state.by && state.by !== "hour" ? html`<section><h2>${t("reports.divided.of", { by: t(`reports.by.${state.by}`).toLocaleLowerCase(t.locale) })}</h2>
        <p class="set-help">${isOfNow(state) ? t("reports.divided.now") : ""} ${why ? t(`reports.sum.${why}`) : ""}</p>${partTable(look)}</section>` : ""}
      ${steps.histogram?.some(({ count }) => count) ? html`<section><h2>${t("reports.histogram")}</h2>${histogramTable(look)}</section>` : ""}
      ${measureOf(state.metric) === "list" ? "" : html`<p class="set-help report-late">${
        steps.counted_until === null ? "" : t("reports.as_of", { time: look.words.written("hour", steps.counted_until) })} ${t("reports.late")}</p>`}`;
  }

  #overTime(look) {
    const { t } = this;
    const { state, steps } = this.#shown;
    const { lines, kind } = this.#lines();
    queueMicrotask(() => this.#draw(look));
    return html`<section><h2>${t("reports.over_time")}</h2>
      <div class="report-chart"><ul class="report-legend" aria-hidden="true">${lines.map(({ name }, at) => html`<li
          ?data-lone=${lines.length === 1}><svg class="report-swatch" data-series=${at} viewBox="0 0 20 8"><path d="M0 4h20"></path></svg><bdi
          translate="no">${name}</bdi></li>`)}</ul>
        <div class="report-plot" id="report-plot" data-kind=${kind} aria-hidden="true"></div>
        <p class="report-read" id="report-read" aria-hidden="true"></p></div>
      <button type="button" class="button report-toggle" aria-expanded=${String(this.#hasTable)} @click=${() => {
        this.#hasTable = !this.#hasTable;
        this.area.paint();
      }}>${t("reports.table")}</button>
      ${this.#hasTable ? stepTable(look, this.#drawnParts(), (at) => this.#stepName(look, at)) : ""}</section>`;
  }

  // The parts that have a line of their own: the first ones.
  #drawnParts() {
    const { parts: all } = this.#shown.steps;
    return all.slice(0, LINES_MAX);
  }

  #stepName({ words }, at) {
    const { state, steps, time } = this.#shown;
    const step = stepOf(state);
    if (isAtMoment(state.metric)) return endText({ end: steps.steps[at + 1] ?? time.to, step }, state, words, this.t);
    const text = words.written(step, steps.steps[at]);
    return step === "week" ? this.t("reports.week_of", { day: text }) : text;
  }

  // The lines of the chart: percentiles, the largest parts, or the whole.
  #lines() {
    const { t } = this;
    const { state, steps } = this.#shown;
    const measure = measureOf(state.metric);
    const kind = measure === "durations" ? "durations" : measure === "time" ? "time" : "count";
    if (kind === "durations") {
      return { kind, columns: false, lines: PERCENTILES.map((one) => ({
        name: t(`reports.${one}`), values: steps.values.map((value) => numberOf(value, one)),
      })) };
    }
    const drawn = this.#drawnParts();
    if (drawn.length) {
      return { kind, columns: false, lines: drawn.map((part) => ({
        name: partName(state, part, t), values: part.values,
      })) };
    }
    return { kind, columns: !isAtMoment(state.metric), lines: [{ name: t(`reports.metric.${state.metric}`), values: steps.values }] };
  }

  #draw(look) {
    const root = document.getElementById("report-plot");
    const read = document.getElementById("report-read");
    if (!root || !this.#shown) return;
    const { t } = this;
    const { state, steps, time } = this.#shown;
    const { lines, kind, columns } = this.#lines();
    read.textContent ||= this.#hint();
    this.#chart.show(root, {
      t, lines, kind, columns, labels: steps.steps, ticks: this.#ticks(look),
      pointed: (at) => {
        read.textContent = at === null ? this.#hint() : `${this.#stepName(look, at)}: ${lines.map(({ name, values }) => (
          `${name} ${numberText(numberOf(values[at], state.shown), kind !== "count", t)}`)).join(" · ")}`;
      },
      pressed: (at) => look.open?.(rowsOf({ from: steps.steps[at], to: steps.steps[at + 1] ?? time.to })),
    });
  }

  #hint() { return this.t(this.#look.open ? "reports.chart.hint" : "reports.chart.point"); }

  // The labels of the steps below the chart; "" where none may stand.
  #ticks({ words }) {
    const { state, steps: { steps }, time: { to } } = this.#shown;
    const isHours = stepOf(state) === "hour";
    const isLong = steps.length > 50;
    const isEnd = isHours && isAtMoment(state.metric);
    return (isEnd ? [...steps.slice(1), to] : steps).map((at) => {
      if (!isHours) return words.written("date", at);
      const { time } = fieldsOf(at, state.timezone);
      if (isLong) return time === "00:00" ? words.written("date", at) : "";
      return time.endsWith(":00") ? words.written("clock", at) : "";
    });
  }

  #save() {
    const { t } = this;
    const { state, time } = this.#shown;
    const rows = rowsOfReport(this.#shown, {
      t, partName: (part) => partName(state, part, t), hourName: this.#look.words.hourOfWeek,
      listName: (view) => (view === OF_QUERY ? t("reports.view.query") : this.#views().find(([id]) => id === view)?.[1] ?? view),
    });
    this.area.download([csvOf(rows)], "text/csv;charset=utf-8", fileName(state, time));
    this.area.say(t("reports.saved"));
  }
}
