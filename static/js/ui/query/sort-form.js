// The form of one sort: its title, its rules, and their effect on a view.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { wireOf } from "../../core/places.js";
import {
  compared, editedRule, moved, nameFor, ORDERS, ruleOf, rulesOf, SPLITS, TIMES, zoneWith,
} from "../../core/query/sort-rules.js";
import { mistakeOf } from "../../core/query/text.js";
import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { QueryField, saidOf } from "./field.js";
import { followDrag, moveButtons } from "./reorder.js";

export const SORTS = "/admin/api/sorts";
const PREVIEW_AFTER_MS = 400;
const TITLE_MAX = 80;
const RULES_MAX = 20;

export class SortForm {
  #rules;
  #fields = new Map(); // key of a rule → its field
  #title;
  #saved; // what is written, as it was saved
  #view;
  #problem = ""; // of the sort as a whole
  #theirs = null; // the version that somebody else has saved meanwhile
  #wrong = null; // {rule, text}: a mistake in a rule, other than in its query
  #preview = null;
  #busy = false;
  #timer = null;
  #run = 0;
  #told = ""; // text for screen readers, which do not read outside of the dialog
  #drag = null;

  /** @param {Pick<Page, "data" | "net" | "ui"> & {
   *   area: FormArea, sort: Partial<SavedSort> & { title: string; rules: SortRule[] }, taken: string[],
   *   left(saved: SavedSort | null): void,
   * }} page */
  constructor({ data, net, ui, area, sort, taken, left }) {
    this.area = area;
    this.data = data;
    this.net = net;
    this.ui = ui;
    this.sort = sort;
    this.taken = taken;
    this.left = left;
    this.#title = sort.title;
    this.#rules = sort.rules.map((rule) => editedRule(rule));
    this.#saved = this.#written();
    const { view } = data.lists.list;
    const { view: known } = wireOf(view);
    this.#view = data.choices.views.includes(known) || data.savedViews.of(view) ? known : "not_respond";
    this.#ask(0);
  }

  get title() { return this.ui.language.t(this.sort.name ? "sorts.edit.title" : "sorts.new"); }
  get isDirty() { return this.#written() !== this.#saved; }

  #written() { return JSON.stringify([this.#title, rulesOf(this.#rules)]); }

  // The form is closed.
  end() {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#drag?.abort();
  }

  content() {
    const { t } = this.ui.language;
    queueMicrotask(() => { for (const field of this.#fields.values()) field.after(); });
    return html`<form class="form sort-form" @submit=${(event) => this.#submit(event)}>
      <label>${t("sorts.name")}<input name="title" required maxlength=${TITLE_MAX} autocomplete="off" dir="auto"
        .value=${this.#title} @input=${({ target }) => { this.#title = target.value; }}></label>
      <fieldset class="sort-rules"><legend>${t("sorts.rules")}</legend>
        <p class="help-note">${t("sorts.rules.about")}</p>
        <ol>${repeat(this.#rules, ({ key }) => key, (rule, at) => sortRule({
          rule, at, count: this.#rules.length, field: this.#fieldOf(rule), language: this.ui.language,
          wrong: this.#wrong?.rule === at ? this.#wrong.text : "",
          change: (changes) => this.#change(rule, changes), move: (to) => this.#move(at, to),
          remove: () => this.#remove(at), drag: (event) => this.#startDrag(event, rule),
        }))}</ol>
        <button type="button" class="button sort-add" ?disabled=${this.#rules.length >= RULES_MAX}
          @click=${() => this.#add()}>${t("sorts.rules.add")}</button></fieldset>
      <section class="sort-preview" aria-label=${t("sorts.preview")}>
        <label class="setting">${t("sorts.preview")}<select @change=${({ target }) => this.#look(target.value)}
          >${this.#views().map(([id, name]) => html`<option value=${id} ?selected=${id === this.#view}
            >${name}</option>`)}</select></label>
        <div role="status">${this.#preview ? sortPreview(this.#preview, this.data.rows, t) : this.#waiting()}</div>
      </section>
      <p class="unseen" role="status">${this.#told}</p>
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts">${this.#theirs ? html`<button type="button" class="button sort-take"
          @click=${() => this.#take()}>${t("sorts.take")}</button>` : ""}
        <button type="button" class="button" @click=${() => this.#leave(null)}
          >${t("cancel")}</button>
        <button type="submit" class="button button-accent" ?disabled=${this.#busy}>${
          t(this.#theirs ? "sorts.replace" : "save")}</button></div>
    </form>`;
  }

  #waiting() {
    const { t } = this.ui.language;
    return this.#problem || this.#wrong || this.#hasMistake() ? t("sorts.preview.wrong") : t("loading");
  }

  #hasMistake() { return [...this.#fields.values()].some(({ mistake }) => mistake !== null); }

  // Returns the rules in the form that the server checks and saves.
  #given() {
    const rules = rulesOf(this.#rules);
    return { rules, timezone: zoneWith(this.sort, rules) };
  }

  #views() {
    const { data: { choices, savedViews }, ui: { language: { t } } } = this;
    return [...choices.views, ...savedViews.list.map(({ id }) => id)].map((id) => [id, t(`view.${id}`)]);
  }

  #fieldOf(rule) {
    const { net: { api }, ui: { language } } = this;
    if (!this.#fields.has(rule.key)) {
      const field = new QueryField({
        id: `sort-when-${rule.key}`, api, language, changed: () => this.#paint(),
        typed: (when) => this.#change(rule, { when }),
      });
      field.text = rule.when;
      this.#fields.set(rule.key, field);
    }
    return this.#fields.get(rule.key);
  }

  #paint() { this.area.paint(); }

  #change(rule, changes) {
    Object.assign(rule, changes);
    this.#ask();
  }

  #move(from, to) {
    if (to < 0 || to >= this.#rules.length || to === from) return;
    this.#rules = moved(this.#rules, from, to);
    this.#told = this.ui.language.t("sorts.rules.moved", { from: from + 1, to: to + 1 });
    this.#ask();
  }

  #remove(at) {
    this.#fields.delete(this.#rules[at].key);
    this.#rules = this.#rules.filter((_, index) => index !== at);
    this.#told = this.ui.language.t("sorts.rules.removed", { place: at + 1 });
    this.#ask();
    this.#fields.get(this.#rules[Math.min(at, this.#rules.length - 1)].key)?.focus();
  }

  // Adds a rule before the last one, which places the remaining threads.
  #add() {
    const rule = editedRule({ by: "waiting_since", order: "oldest", when: "is:waiting" });
    this.#rules = [...this.#rules.slice(0, -1), rule, ...this.#rules.slice(-1)];
    this.#ask();
    this.#fields.get(rule.key)?.focus();
  }

  #startDrag(event, rule) {
    this.#drag?.abort();
    const list = event.currentTarget.closest("ol");
    const from = this.#rules.indexOf(rule);
    this.#drag = followDrag(event, {
      list: () => list, move: (to) => this.#move(this.#rules.indexOf(rule), to),
      end: (isKept) => { if (!isKept) this.#move(this.#rules.indexOf(rule), from); },
    });
  }

  #look(view) {
    this.#view = view;
    this.#ask(0);
  }

  // Asks for the effect of the sort after a pause in editing.
  #ask(ms = PREVIEW_AFTER_MS) {
    clearTimeout(this.#timer);
    this.#run += 1;
    const run = this.#run;
    this.#clearProblems();
    this.#paint();
    this.#timer = setTimeout(() => this.#fetch(run), ms);
  }

  #clearProblems() {
    this.#problem = "";
    this.#wrong = null;
    for (const field of this.#fields.values()) field.mistake = null;
  }

  async #fetch(run) {
    const { data: { rows }, net: { api } } = this;
    try {
      const preview = await api.http.post(`${SORTS}/preview`, { ...this.#given(), view: this.#view });
      await fetchRows(rows, api, [...preview.before, ...preview.after]);
      if (run === this.#run) this.#preview = preview;
    } catch (error) {
      if (run !== this.#run) return;
      this.#preview = null;
      this.#refused(error);
    }
    if (run === this.#run) this.#paint();
  }

  // Shows a refusal at its place: in a query, at a rule, or at the sort.
  #refused(error) {
    const { t } = this.ui.language;
    const place = ruleOf(error.body);
    const rule = place && this.#rules[place.rule];
    const field = rule && this.#fields.get(rule.key);
    const mistake = field ? mistakeOf(error.body, field.text) : null;
    if (mistake) {
      field.mistake = mistake;
      field.after();
    } else if (rule) this.#wrong = { rule: place.rule, text: refusalOf(error, t) };
    else this.#problem = refusalOf(error, t);
  }

  // Takes the version that somebody else has saved in place of the edited one.
  #take() {
    this.sort = this.#theirs;
    this.#theirs = null;
    this.#title = this.sort.title;
    this.#rules = this.sort.rules.map((rule) => editedRule(rule));
    this.#fields.clear();
    this.#saved = this.#written();
    this.#ask(0);
  }

  async #submit(event) {
    event.preventDefault();
    const title = this.#title.trim();
    const { name } = this.sort;
    this.#clearProblems();
    this.#busy = true;
    this.#paint();
    try {
      const given = { title, ...this.#given(), changed_at: (this.#theirs ?? this.sort).changed_at };
      const { http } = this.net.api;
      const saved = name ? await http.put(`${SORTS}/${name}`, given)
        : await http.post(SORTS, { ...given, name: nameFor(title, this.taken) });
      this.#leave({ name, title, ...saved });
    } catch (error) {
      this.#theirs = error.code === "changed_meanwhile" ? error.body.sort : null;
      this.#refused(error);
    }
    this.#busy = false;
    this.#paint();
  }

  #leave(saved) {
    if (saved) this.#saved = this.#written();
    this.left(saved);
  }
}

// The effect of a sort: the bits of its scores, and the first threads of a view before and after.
const BITS_MAX = 53; // of a score in Redis
const ROWS_AT_ONCE = 200;

// Fetches the rows of these threads that are not known.
/** @param {Data["rows"]} rows @param {Net["api"]} api @param {number[]} ids */
async function fetchRows(rows, api, ids) {
  const missing = [...new Set(ids)].filter((id) => !rows.get(id));
  for (let at = 0; at < missing.length; at += ROWS_AT_ONCE) {
    const answer = await api.rows(missing.slice(at, at + ROWS_AT_ONCE)).catch(() => ({ rows: [] }));
    for (const row of answer.rows) rows.put(row);
  }
}

/** @param {SortPreviewAnswer} preview @param {Data["rows"]} rows @param {Translate} t */
function sortPreview({ bits, tiers, moved, of, before, after, whole }, rows, t) {
  return html`<p class="sort-size"><meter min="0" max=${BITS_MAX} high=${BITS_MAX - 2} value=${bits}
      aria-label=${t("sorts.bits.label")}></meter> ${t("sorts.bits", { count: bits, of: BITS_MAX })}
      · ${t("sorts.tiers", { count: tiers })}</p>
    <p class="sort-moved">${t("sorts.moved", { count: moved, of })}</p>
    ${whole ? "" : html`<p class="help-note">${t("sorts.partial")}</p>`}
    ${before.length || after.length ? table(compared(before, after), rows, t) : ""}`;
}

function table(places, rows, t) {
  return html`<div class="sort-compared" tabindex="0" role="region" aria-label=${t("sorts.compared")}>
    <table><thead><tr><th scope="col">${t("sorts.place")}</th><th scope="col">${t("sorts.before")}</th>
      <th scope="col">${t("sorts.after")}</th></tr></thead>
      <tbody>${places.map((each, place) => line(each, place, rows, t))}</tbody></table></div>`;
}

function line({ was, id, up }, place, rows, t) {
  return html`<tr data-moved=${String(id !== undefined && up !== 0)}><th scope="row">${t.number(place + 1)}</th>
    <td><bdi translate="no">${nameIn(rows, was, t)}</bdi></td>
    <td><bdi translate="no">${nameIn(rows, id, t)}</bdi> ${id === undefined ? "" : movement(up, t)}</td></tr>`;
}

function movement(up, t) {
  if (up === 0) return "";
  if (up === null) return html`<span class="sort-came">${t("sorts.came")}</span>`;
  const said = t(up > 0 ? "sorts.up" : "sorts.down", { count: Math.abs(up) });
  return html`<span class="sort-came"><span aria-hidden="true">${up > 0 ? "↑" : "↓"}${
    t.number(Math.abs(up))}</span><span class="unseen">${said}</span></span>`;
}

function nameIn(rows, id, t) {
  if (id === undefined) return "";
  const row = rows.get(id);
  return row ? nameOf(row, t) : `#${id}`;
}

// One rule of a sort: its threads, the time that sorts them, and the order.
/** @param {SortRuleOptions} given */
function sortRule({ rule, at, count, field, wrong, language, change, move, remove, drag }) {
  const { t } = language;
  const place = { place: at + 1 };
  const said = `sort-said-${rule.key}`;
  const moving = (key) => ({ label: t(`sorts.rule.${key}`, place), title: t(`sorts.rule.${key}`, place) });
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
    <span class="sort-moves">${moveButtons({ at, count, className: "sort", said: moving, move })}
      <button type="button" class="icon-button sort-remove" ?disabled=${count === 1}
        aria-label=${t("sorts.rule.remove", place)} title=${t("sorts.rule.remove", place)} @click=${remove}
        >${ICONS.close}</button></span></li>`;
}

function select(label, values, current, textOf, run) {
  return html`<label><span>${label}</span><select @change=${({ target }) => run(target.value)}>${values.map((value) => html`<option
    value=${value} ?selected=${value === current}>${textOf(value)}</option>`)}</select></label>`;
}
