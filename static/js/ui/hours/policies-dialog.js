// The dialog of policies for supervisors, in order: the first one that fits a thread counts.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { after, fieldsOf, isSameOrder, LateCheck, Recompute } from "../../core/hours/policies.js";
import { shown } from "../../core/names.js";
import { moved } from "../../core/query/sort-rules.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { followDrag, moveButtons } from "../query/reorder.js";
import { PolicyForm } from "./policy-form.js";
import { guardPage, lateLine, mayDiscard } from "./saving.js";
import { targetsText } from "./words.js";

export class PoliciesDialog extends PageModule {
  /** @type {Policy[] | null} */
  #known = null; // the saved policies
  /** @type {Policy[]} */
  #order = []; // in the order shown here
  /** @type {Calendar[]} */
  #calendars = [];
  #problem = "";
  #told = "";
  #busy = false;
  #dragged = null;
  /** @type {PolicyForm | null} */
  #form = null;

  /** @param {Page} page */
  constructor(page) {
    super(page);
    const changed = () => this.#paint();
    this.check = new LateCheck({ ask: (given) => this.net.api.previewPolicies(given), changed });
    this.recompute = new Recompute({ ask: () => this.net.api.policies(), changed });
    guardPage(() => this.#isMoved);
  }

  get #isMoved() { return this.#known !== null && !isSameOrder(this.#known, this.#order); }

  // Opens the dialog with the unsaved form, if there is one.
  async open() {
    if (!this.#form?.isDirty) this.#leaveForm();
    this.#told = "";
    this.#problem = "";
    this.#show();
    await this.#load();
  }

  #show() {
    const { t } = this.ui.language;
    this.ui.dialog.open(
      () => (this.#form ? t(this.#form.isNew ? "policies.new" : "policies.edit") : t("policies.title")),
      () => this.#content(), () => this.#closed(), () => this.#mayClose(),
    );
    this.recompute.watch(this.recompute.progress, { soon: true });
    if (this.#isMoved) this.#look(0);
  }

  #paint() { if (this.ui.dialog.element.open) this.ui.dialog.paint(); }

  #closed() {
    this.#pause();
    if (!this.#form?.isDirty) this.#leaveForm();
  }

  #pause() {
    this.recompute.stop();
    this.check.stop();
  }

  #leaveForm() {
    this.#form?.end();
    this.#form = null;
  }

  #mayClose() {
    if (!this.#form?.isDirty && !this.#isMoved) return true;
    this.#discard();
    return false;
  }

  // Resolves to whether unsaved changes are discarded.
  async #discard() {
    this.#pause();
    const sure = await mayDiscard({
      dialog: this.ui.dialog, show: () => this.#show(), name: this.#form?.name ?? this.ui.language.t("policies.order"),
      t: this.ui.language.t,
    });
    if (!sure) return false;
    if (!this.#form) this.#order = this.#known ?? [];
    this.#leaveForm();
    return true;
  }

  async #load() {
    try {
      const [{ policies, recompute }, { calendars }] = await Promise.all([this.net.api.policies(), this.net.api.calendars()]);
      this.#take(policies);
      this.#calendars = calendars;
      this.recompute.watch(recompute, { soon: true });
      this.#form?.renew({ policies, calendars });
    } catch (error) {
      this.#problem = refusalOf(error, this.ui.language.t);
    }
    this.#paint();
  }

  // Takes the saved policies; keeps an unsaved order as far as possible.
  #take(policies) {
    const wasMoved = this.#isMoved;
    const places = new Map(this.#order.map(({ id }, at) => [id, at]));
    this.#known = policies;
    this.#order = wasMoved ? [...policies].sort((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity))
      : policies;
    if (this.#isMoved) this.#look(0);
    else this.check.look(null);
  }

  #content() {
    const { t } = this.ui.language;
    if (this.#form) return html`${this.#form.content()}${progressLine(this.recompute.progress, t)}`;
    const order = this.#order;
    return html`<p class="help-note">${t("policies.about")}</p>
      ${progressLine(this.recompute.progress, t)}
      ${this.#known || this.#problem ? "" : html`<p role="status">${t("loading")}</p>`}
      ${this.#known && !order.length ? html`<p class="hours-none">${t("policies.empty")}</p>` : ""}
      <ol class="policy-list" data-dragging=${this.#dragged !== null}>${repeat(order, ({ id }) => id, (policy, at) => policyItem({
        policy, at, count: order.length, language: this.ui.language, isDragged: this.#dragged === policy.id,
        calendar: this.#calendars.find(({ id }) => id === policy.calendar),
        edit: () => this.#edit(policy), drop: () => this.#delete(policy), move: (to) => this.#move(policy, to),
        drag: (event) => this.#drag(event, policy),
      }))}</ol>
      ${order.length ? html`<p class="policy-rest">${t("policies.rest")}</p>` : ""}
      ${this.#isMoved ? this.#moving() : ""}
      <p class="unseen" role="status">${this.#told}</p>
      <p class="form-problem" role="alert">${this.#problem}</p>
      <div class="form-acts"><button type="button" class="button policies-hours" @click=${() => this.#openCalendars()}
          >${t("hours.title")}</button>
        <button type="button" class="button button-accent policy-new" ?disabled=${this.#isMoved} @click=${() => this.#edit({
          id: undefined, name: "", query: "", calendar: 0, first_reply: 30, next_reply: 60,
        })}>${t("policies.new")}</button></div>`;
  }

  #moving() {
    const { t } = this.ui.language;
    return html`<section class="policy-order" aria-label=${t("policies.order")}>
      ${lateLine(this.check, t)}
      <div class="form-acts"><button type="button" class="button policy-order-undo" ?disabled=${this.#busy}
          @click=${() => this.#putBack()}>${t("policies.order.undo")}</button>
        <button type="button" class="button button-accent policy-order-save" ?disabled=${this.#busy}
          @click=${() => this.#saveOrder()}>${t("policies.order.save")}</button></div></section>`;
  }

  #openCalendars() {
    this.#pause();
    this.ui.calendarsDialog.open();
  }

  #edit(policy) {
    const { net, ui, ui: { dialog } } = this;
    this.#problem = "";
    this.#form = new PolicyForm({
      net, ui, policy, policies: this.#known ?? [], calendars: this.#calendars,
      openCalendars: () => this.#openCalendars(), left: (saved) => this.#left(saved),
    });
    this.#form.look(0);
    dialog.paint();
    /** @type {HTMLInputElement} */ (document.getElementById("policy-name"))?.select();
  }

  async #left(saved) {
    const { id } = saved ?? this.#form.policy;
    if (!saved && this.#form.isDirty && !await this.#discard()) return;
    this.#leaveForm();
    this.#told = saved ? this.ui.language.t("policies.saved", { name: saved.name }) : "";
    this.#show();
    if (saved) await this.#load();
    this.#focus(id, ".policy-open");
  }

  #focus(id, part) {
    const { element } = this.ui.dialog;
    const item = element.querySelector(`[data-policy="${id}"] ${part}`);
    /** @type {HTMLElement} */ (item ?? element.querySelector(".policy-new"))?.focus();
  }

  #move({ id, name }, to) {
    const from = this.#order.findIndex((one) => one.id === id);
    if (to < 0 || to >= this.#order.length || to === from) return false;
    this.#order = moved(this.#order, from, to);
    this.#told = this.ui.language.t("policies.moved", { name, place: to + 1, total: this.#order.length });
    this.#look();
    this.#paint();
    return true;
  }

  #look(waitMs = undefined) { this.check.look(this.#isMoved ? this.#order.map(fieldsOf) : null, waitMs); }

  #drag(event, policy) {
    const before = this.#order;
    const drag = followDrag(event, {
      list: () => this.ui.dialog.element.querySelector(".policy-list"),
      move: (to) => this.#move(policy, to),
      end: (isKept) => {
        this.#dragged = null;
        if (!isKept) this.#order = before;
        this.#look();
        this.#paint();
      },
    });
    if (drag) this.#dragged = policy.id;
    this.#paint();
  }

  #putBack() {
    this.#order = this.#known;
    this.#problem = "";
    this.check.look(null);
    this.#paint();
    /** @type {HTMLElement} */ (this.ui.dialog.element.querySelector(".policy-open"))?.focus();
  }

  // First checks whether the order is still the one that was changed: a colleague's change is told, not undone.
  async #saveOrder() {
    const { t } = this.ui.language;
    this.#busy = true;
    this.#problem = "";
    this.#paint();
    try {
      const { policies } = await this.net.api.policies();
      if (isSameOrder(policies, this.#known)) {
        await this.net.api.orderPolicies(this.#order.map(({ id }) => id));
        this.#known = this.#order;
        this.#told = t("policies.order.saved");
        await this.#load();
      } else {
        this.#take(policies);
        this.#problem = t("policies.order.other");
      }
    } catch (error) {
      this.#problem = refusalOf(error, t);
    }
    this.#busy = false;
    this.#paint();
    if (!this.#isMoved) /** @type {HTMLElement} */ (this.ui.dialog.element.querySelector(".policy-open"))?.focus();
  }

  // Before deleting it, says how many threads would be late without it.
  async #delete({ id, name }) {
    const { t } = this.ui.language;
    if (this.#busy) return undefined;
    this.#busy = true;
    const found = await this.net.api.previewPolicies(after(this.#known, { id, fields: null })).catch(() => null);
    this.#busy = false;
    if (!this.ui.dialog.element.open || this.#form) return undefined;
    const late = found ? t("policies.delete.late", { count: found.late_after, now: found.late_now }) : "";
    this.#pause();
    const sure = await ask(this.ui.dialog, {
      title: t("policies.delete.title", { name }), text: `${t("policies.delete.text")} ${late}`.trim(),
      yes: t("hours.act.delete"),
    }, t);
    this.#problem = "";
    this.#show();
    if (!sure) return this.#focus(id, ".policy-delete");
    try {
      await this.net.api.dropPolicy(id);
      this.#told = t("policies.deleted", { name });
    } catch (error) {
      this.#problem = refusalOf(error, t);
    }
    await this.#load();
    return this.#focus(0, "");
  }
}

// A policy in the list: its place, name and promises; it is moved by dragging and by keys.
/** @param {PolicyItemOptions} given */
function policyItem({ policy, at, count, calendar, language, isDragged, edit, drop, move, drag }) {
  const { t } = language;
  const name = shown(policy.name);
  const said = (key) => ({ label: `${t(`policies.${key}`)}: ${name}`, title: t(`policies.${key}`) });
  return html`<li class="policy" data-policy=${policy.id} data-dragged=${isDragged}>
    <span class="policy-handle" aria-hidden="true" title=${t("policies.drag")} @pointerdown=${drag}>⠿</span>
    <button type="button" class="policy-open" aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown" title=${t("policies.open")}
      @click=${edit} @keydown=${(event) => onKey(event, at, move)}><span class="policy-place">${t.number(at + 1)}</span>
      <span class="policy-text"><bdi translate="no" class="policy-name">${name}</bdi>
        <span class="policy-query" dir="auto">${shown(policy.query) || t("query.all")}</span>
        <span class="policy-about">${targetsText(policy, language)} · <bdi translate="no">${shown(calendar?.name ?? "")}</bdi></span></span></button>
    <span class="policy-acts">${moveButtons({ at, count, className: "policy", said, move })}
      <button type="button" class="icon-button policy-delete" aria-label=${`${t("policies.delete")}: ${name}`}
        title=${t("policies.delete")} @click=${drop}>${ICONS.close}</button></span></li>`;
}

function onKey(event, at, move) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { currentTarget } = event;
  move(at + step);
  currentTarget.focus();
}

// The progress of recomputing the due times of waiting threads after a change.

// Screen readers read only its beginning and its end.
/** @param {Progress | null} progress @param {Translate} t */
const progressLine = (progress, t) => html`<div class="recompute" data-running=${progress !== null}>
  <p class="unseen" role="status">${progress ? t("recompute") : ""}</p>
  ${progress ? html`<progress aria-label=${t("recompute")} max=${Math.max(1, progress.of)} value=${progress.done}></progress>
    <span aria-hidden="true">${t("recompute.progress", { count: progress.done, of: progress.of })}</span>` : ""}</div>`;
