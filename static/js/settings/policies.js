// The page of policies for supervisors, in order: the first one that fits a thread counts.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { after, fieldsOf, isSameOrder, LateCheck, Recompute } from "../core/hours/policies.js";
import { shown } from "../core/names.js";
import { moved } from "../core/query/sort-rules.js";
import { ICONS } from "../ui/elements/icons.js";
import { PolicyForm } from "../ui/hours/policy-form.js";
import { lateLine } from "../ui/hours/saving.js";
import { targetsText } from "../ui/hours/words.js";
import { followDrag, moveButtons } from "../ui/query/reorder.js";
import { SettingsPage } from "./elements.js";

export class PoliciesPage extends SettingsPage {
  /** @type {Policy[] | null} */
  #known = null; // the saved policies
  /** @type {Policy[]} */
  #order = []; // in the order shown here
  /** @type {Calendar[]} */
  #calendars = [];
  #told = "";
  #busy = false;
  #dragged = null;

  /** @param {Page & { area: import("./area.js").SettingsArea }} page */
  constructor(page) {
    super(page);
    const changed = () => this.area.paint();
    this.check = new LateCheck({ ask: (given) => this.net.api.previewPolicies(given), changed });
    this.recompute = new Recompute({ ask: () => this.net.api.policies(), changed });
  }

  get #isMoved() { return this.#known !== null && !isSameOrder(this.#known, this.#order); }
  get isDirty() { return this.#isMoved || super.isDirty; }

  get action() {
    const fresh = { id: undefined, name: "", query: "", calendar: 0, first_reply: 30, next_reply: 60 };
    return this.#known && !this.#isMoved && { text: this.t("policies.new"), run: () => this.#edit(fresh) };
  }

  begin() { return this.#load(); }

  end() {
    super.end();
    this.recompute.stop();
    this.check.stop();
  }

  async #load() {
    const [{ policies, recompute }, { calendars }] = await Promise.all([this.net.api.policies(),
      this.net.api.calendars()]);
    this.#take(policies);
    this.#calendars = calendars;
    this.recompute.watch(recompute, { soon: true });
  }

  // Takes the saved policies; keeps an unsaved order as far as possible.
  #take(policies) {
    const wasMoved = this.#isMoved;
    const places = new Map(this.#order.map(({ id }, at) => [id, at]));
    this.#known = policies;
    this.#order = wasMoved ? [...policies].sort((a,
      b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity))
      : policies;
    if (this.#isMoved) this.#look(0);
    else this.check.look(null);
  }

  content() {
    const { t, ui: { language } } = this;
    const order = this.#order;
    return html`<p class="set-help area-about">${t("policies.about")}
        <a href="/settings/hours" @click=${(event) => this.area.followLink(event,
          "hours")}>${t("settings.hours")}</a></p>
      ${progressLine(this.recompute.progress, t)}
      ${this.#known ? "" : html`<p role="status">${t("loading")}</p>`}
      ${this.#known && !order.length ? html`<p class="hours-none">${t("policies.empty")}</p>` : ""}
      <ol class="policy-list" data-dragging=${this.#dragged !== null}>${repeat(order, ({ id }) => id,
        (policy, at) => policyItem({
        policy, at, count: order.length, language, isDragged: this.#dragged === policy.id,
        calendar: this.#calendars.find(({ id }) => id === policy.calendar),
        edit: () => this.#edit(policy), drop: () => this.#delete(policy), move: (to) => this.#move(policy,
          to),
        drag: (event) => this.#drag(event, policy),
      }))}</ol>
      ${order.length ? html`<p class="policy-rest">${t("policies.rest")}</p>` : ""}
      ${this.#isMoved ? this.#moving() : ""}
      <p class="unseen" role="status">${this.#told}</p>`;
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

  #edit(policy) {
    const { net, ui, area } = this;
    const form = new PolicyForm({
      net, ui, area, policy, policies: this.#known, calendars: this.#calendars,
        openCalendars: () => area.open("hours"),
      left: (saved) => (saved ? this.#saved(saved) : area.leaveForm()),
    });
    form.look(0);
    this.openForm(form);
  }

  #saved({ name }) {
    this.closeForm();
    return this.run(async () => {
      await this.#load();
      this.area.say(this.t("policies.saved", { name }));
    });
  }

  #paint() { this.area.paint(); }

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
      list: () => this.area.root.querySelector(".policy-list"),
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
    this.check.look(null);
    this.#paint();
    this.#focusFirst();
  }

  // First checks whether the order is still the one that was changed: a colleague's change is not undone.
  async #saveOrder() {
    const { t, net: { api } } = this;
    this.#busy = true;
    this.#paint();
    await this.run(async () => {
      const { policies } = await api.policies();
      if (isSameOrder(policies, this.#known)) {
        await api.orderPolicies(this.#order.map(({ id }) => id));
        this.#known = this.#order;
        await this.#load();
        this.area.say(t("policies.order.saved"));
      } else {
        this.#take(policies);
        this.area.say(t("policies.order.other"));
      }
    });
    this.#busy = false;
    this.#paint();
    if (!this.#isMoved) this.#focusFirst();
  }

  #focusFirst() { /** @type {HTMLElement} */ (this.area.root.querySelector(".policy-open"))?.focus(); }

  // Before deleting it, says how many threads would be late without it.
  async #delete({ id, name }) {
    const { t, net: { api } } = this;
    if (this.#busy) return;
    this.#busy = true;
    const found = await api.previewPolicies(after(this.#known, { id, fields: null })).catch(() => null);
    this.#busy = false;
    const late = found ? t("policies.delete.late", { count: found.late_after, now: found.late_now }) : "";
    const sure = await this.sure({
      title: t("policies.delete.title", { name }), text: `${t("policies.delete.text")} ${late}`.trim(),
        yes: t("hours.act.delete"),
    });
    if (!sure) return;
    await this.run(async () => {
      await api.dropPolicy(id);
      await this.#load();
      this.area.say(t("policies.deleted", { name }));
    });
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
    <button type="button" class="policy-open" aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      title=${t("policies.open")}
      @click=${edit} @keydown=${(event) => onKey(event, at, move)}><span
        class="policy-place">${t.number(at + 1)}</span>
      <span class="policy-text"><bdi translate="no" class="policy-name">${name}</bdi>
        <span class="policy-query" dir="auto">${shown(policy.query) || t("query.all")}</span>
        <span class="policy-about">${targetsText(policy, language)} · <bdi
          translate="no">${shown(calendar?.name ?? "")}</bdi></span></span></button>
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
  ${progress ? html`<progress aria-label=${t("recompute")} max=${Math.max(1, progress.of)}
    value=${progress.done}></progress>
    <span aria-hidden="true">${t("recompute.progress", { count: progress.done,
      of: progress.of })}</span>` : ""}</div>`;
