// The page of queues for supervisors, in their order, with the form of one, and what counts as an admin's load.

import { html } from "lit-html";

import { faultAt, faultsOf, faultText, LateCheck } from "../core/hours/policies.js";
import { shown } from "../core/names.js";
import { refusalOf } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";
import { Saving, store } from "../ui/hours/saving.js";
import { given } from "./elements.js";
import { OrderedPage } from "./ordered.js";

const QUEUES = "/admin/api/queues";
const LOADS = ["waiting", "open"];
const NOT_SHARED = ["me", "built-in"]; // owners of views that cannot be queues

/** @extends {OrderedPage<Queue>} */
export class QueuesPage extends OrderedPage {
  /** @type {SavedView[]} */
  #views = [];
  /** @type {string[]} */
  #desks = [];
  #load = "";

  get kind() { return "queues"; }

  get action() {
    return this.saved && !this.isMoved && { text: this.t("queues.new"), run: () => this.edit(null) };
  }

  async begin() {
    const [{ queues, load }, { views }, { desks }] = await Promise.all([
      this.http.get(QUEUES), this.net.api.views(), this.net.api.desks(),
    ]);
    this.#views = views;
    this.#desks = desks.map((desk) => desk.name ?? desk);
    this.#load = load;
    this.take(queues);
  }

  async read() { return (await this.http.get(QUEUES)).queues; }
  saveIds(ids) { return this.http.put(`${QUEUES}/order`, { ids }); }

  content() {
    const { t } = this;
    return html`<p class="set-help area-about">${t("queues.about")}</p>
      ${this.entries()}
      ${this.moving()}
      ${this.order.length ? html`<section class="set-lines">${this.choice({
        name: "load", label: t("queues.counts"), help: t("queues.counts.about"), chosen: this.#load,
        options: LOADS.map((name) => [name, t(`queues.counts.${name}`)]), run: (load) => this.#count(load),
      })}</section>` : ""}`;
  }

  // The numbers go on changing while the page is shown.
  about(queue) {
    const { t } = this;
    const { waiting: count, accepting, eligible } = this.ui.queues.part?.board.of(queue.id) ?? queue;
    const admins = queue.admins === "all" ? t("queues.admins.all") : queue.admins.join(", ");
    return html`<bdi translate="no" class="policy-name">${shown(queue.name)}</bdi>
      <span class="policy-query">${t(`queues.mode.${queue.mode}`)} · <bdi>${admins}</bdi></span>
      <span class="policy-about">${t(numbersKey(queue.mode, accepting), {
        count, accepting: t.number(accepting), eligible: t.number(eligible),
      })}</span>`;
  }

  #count(load) {
    return this.run(async () => { this.#load = (await this.http.put(`${QUEUES}/load`, { load })).load; });
  }

  /** @param {Queue | null} queue null: a new one */
  edit(queue) {
    const taken = new Set(this.saved.map(({ view }) => view));
    const views = this.#views.filter(({ id, owner }) => !NOT_SHARED.includes(owner) && (id === queue?.view || !taken.has(id)));
    const form = new QueueForm({
      data: this.data, net: this.net, ui: this.ui, acts: this.acts, area: this.area, queue, views, desks: this.#desks,
      left: (saved) => (saved ? this.#saved(saved) : this.area.leaveForm()),
    });
    form.look(0);
    this.openForm(form);
  }

  #saved({ name }) {
    this.closeForm();
    return this.run(async () => {
      await this.begin();
      this.area.say(this.t("queues.saved", { name: shown(name) }));
    });
  }

  async remove({ id, name, waiting: count }) {
    const { t } = this;
    const about = { name: shown(name), count };
    const sure = await this.sure({
      title: t("queues.delete.title", about), text: t("queues.delete.text", about), yes: t("queues.delete.yes"),
    });
    if (!sure) return;
    await this.run(async () => {
      await this.http.delete(`${QUEUES}/${id}`);
      await this.begin();
      this.area.say(t("queues.deleted", about));
    });
  }
}

// The form of one queue: its view, its hand-out, its admins and its times; with what it would do now.

// The fields in seconds, with their limits.
const SECONDS = { take_within: [10, 3600], delay: [0, 3600], offline_after: [30, 3600] };
const WHICH = ["waiting", "all", "none"];
const FIELDS = ["/view", "/admins", "/take_within", "/delay", "/return/offline_after"];
/** @type {QueueFields} */
const FRESH = {
  view: "", mode: "push", admins: "all", take_within: 60, delay: 0, return: { offline_after: 120, which: "waiting" },
};

// Whole seconds within the limits of a field; undefined for another text.
/** @param {string} name @param {string} text */
export function secondsIn(name, text) {
  const [least, most] = SECONDS[name];
  const written = text.normalize("NFKC").trim();
  const seconds = /^\d{1,6}$/.test(written) ? Number(written) : NaN;
  return seconds >= least && seconds <= most ? seconds : undefined;
}

export class QueueForm extends PageModule {
  /** @type {Queue | QueueFields} */
  #queue;
  #fields; // as written: {view, mode, isAll, desks, which} and the texts of SECONDS
  #saved;

  /** @param {Page & { area: FormArea, queue: Queue | null, views: SavedView[], desks: string[],
   *   left(saved: Queue | null): void }} page */
  constructor({ area, queue, views, desks, left, ...page }) {
    super(page);
    this.area = area;
    this.views = views;
    this.desks = desks;
    this.left = left;
    this.check = new LateCheck({
      ask: (draft) => this.#http.post(`${QUEUES}/preview`, draft), changed: () => area.paint(),
    });
    this.saving = new Saving({
      kind: "queue", fields: FIELDS, root: () => area.root, language: this.ui.language,
      changed: () => area.paint(), gone: () => this.#gone(),
    });
    this.#begin(queue ?? FRESH);
  }

  get #http() { return this.net.api.http; }
  get #isNew() { return !("id" in this.#queue); }
  get title() { return this.ui.language.t(this.#isNew ? "queues.new" : "queues.edit"); }
  get isDirty() { return JSON.stringify(this.#fields) !== this.#saved; }
  end() { this.check.stop(); }

  #begin(queue) {
    this.#queue = queue;
    const { view, mode, admins, take_within, delay, return: { offline_after: offline, which } } = queue;
    const isAll = admins === "all";
    this.#fields = {
      view: view || (this.views[0]?.id ?? ""), mode, isAll, desks: isAll ? [] : admins, which,
      take_within: String(take_within), delay: String(delay), offline_after: String(offline),
    };
    this.#saved = JSON.stringify(this.#fields);
  }

  // The fields as the server takes them; null if one of them is wrong.
  /** @returns {QueueFields | null} */
  #draft() {
    const { view, mode, isAll, desks, which } = this.#fields;
    const { take_within, delay, offline_after } = Object.fromEntries(Object.keys(SECONDS)
      .map((name) => [name, secondsIn(name, this.#fields[name])]));
    const isWhole = view && (isAll || desks.length)
      && [take_within, delay, offline_after].every((seconds) => seconds !== undefined);
    return isWhole ? {
      view, mode, admins: isAll ? "all" : desks, take_within, delay, return: { offline_after, which },
    } : null;
  }

  #set(changes) {
    this.#fields = { ...this.#fields, ...changes };
    this.saving.clear(this.#faults());
    this.look();
    this.area.paint();
  }

  #faults() {
    const { view, isAll, desks } = this.#fields;
    const seconds = Object.keys(SECONDS).filter((name) => secondsIn(name, this.#fields[name]) === undefined);
    return [
      ...(view ? [] : [{ pointer: "/view", code: "choose" }]),
      ...(isAll || desks.length ? [] : [{ pointer: "/admins", code: "choose" }]),
      ...seconds.map((name) => ({ pointer: pointerOf(name), code: "seconds" })),
    ];
  }

  // Asks what the queue would do now.
  /** @param {number} [waitMs] */
  look(waitMs) { this.check.look(/** @type {any} */ (this.#draft()), waitMs); }

  content() {
    const { t } = this.ui.language;
    const { mode, which } = this.#fields;
    return html`<form class="form set-form policy-form queue-form" novalidate @submit=${(event) => this.#submit(event)}>
      ${this.#view()}
      <fieldset class="set-checks"><legend class="set-label">${t("queues.mode")}</legend>${
        ["push", "pull"].map((one) => html`<label class="choice"><input type="radio" name="mode" value=${one}
          .checked=${one === mode} @change=${() => this.#set({ mode: one })}> <span>${t(`queues.mode.${one}`)}</span></label>`)}</fieldset>
      ${this.#admins()}
      ${mode === "push" ? this.#seconds("take_within") : ""}
      ${this.#seconds("delay")}
      <label>${t("queues.return")}<select name="which" @change=${({ target }) => this.#set({ which: target.value })}>${
        WHICH.map((one) => html`<option value=${one} ?selected=${one === which}>${t(`queues.return.${one}`)}</option>`)}</select></label>
      ${which === "none" ? "" : this.#seconds("offline_after")}
      <div class="form-foot"><section class="policy-late" aria-label=${t("queues.now.label")}>${this.#now()}</section>
        ${this.#foot()}</div></form>`;
  }

  #view() {
    const { t } = this.ui.language;
    const { view } = this.#fields;
    return html`<label>${t("queues.view")}${this.views.length ? html`<select name="view" aria-describedby="view-said"
        aria-invalid=${String(this.#said("/view") !== "")} @change=${({ target }) => this.#set({ view: target.value })}
        >${this.views.map(({ id, name }) => html`<option value=${id} ?selected=${id === view}>${shown(name)}</option>`)}</select>`
      : html`<span class="set-help">${t("queues.view.none")}</span>`}
      ${this.#order(this.views.find(({ id }) => id === view)?.sort)}${this.#saying("/view", "view")}</label>`;
  }

  // The order in which the view's threads go out, with a soft warning if the newest are first.
  #order(sort) {
    const { t } = this.ui.language;
    return sort && html`<span class="set-help">${t("queues.view.about", { sort: shown(t(`sort.${sort}`)) })}</span>
      ${this.data.sortsByWait.includes(sort) ? "" : html`<span class="late-line queue-newest" data-more="true"
        ><span>${t("queues.view.newest")}</span></span>`}`;
  }

  #admins() {
    const { t } = this.ui.language;
    const { isAll, desks } = this.#fields;
    const toggle = (desk) => this.#set({
      desks: desks.includes(desk) ? desks.filter((one) => one !== desk) : [...desks, desk],
    });
    return html`<fieldset class="set-checks queue-admins" aria-describedby="admins-said"><legend class="set-label">${t("queues.admins")}</legend>
      ${[true, false].map((all) => html`<label class="choice"><input type="radio" name="admins" value=${all ? "all" : "desks"}
        .checked=${isAll === all} @change=${() => this.#set({ isAll: all })}> <span>${
        t(all ? "queues.admins.all" : "queues.admins.desks")}</span></label>`)}
      ${isAll ? "" : html`<div class="queue-desks">${this.desks.map((desk) => html`<label class="choice"><input type="checkbox"
        name="desks" value=${desk} .checked=${desks.includes(desk)} @change=${() => toggle(desk)}> <bdi>${desk}</bdi></label>`)}</div>`}
      ${this.#saying("/admins", "admins")}</fieldset>`;
  }

  #seconds(name) {
    const { t } = this.ui.language;
    const hasAbout = name !== "offline_after";
    return html`<label class="queue-seconds"><span>${t(`queues.${name}`)}</span>
      <span class="queue-seconds-field"><input name=${name} inputmode="numeric" autocomplete="off" maxlength="6"
        aria-invalid=${String(this.#said(pointerOf(name)) !== "")} aria-describedby=${`${name}-said`}
        .value=${this.#fields[name]} @input=${({ target }) => this.#set({ [name]: target.value })}> ${t("queues.seconds")}</span>
      ${hasAbout ? html`<span class="set-help">${t(`queues.${name}.about`)}</span>` : ""}
      ${this.#saying(pointerOf(name), name)}</label>`;
  }

  #saying(pointer, name) {
    return html`<span class="field-said" id=${`${name}-said`} role="alert">${this.#said(pointer)}</span>`;
  }

  #said(pointer) {
    const { t } = this.ui.language;
    const fault = faultAt(this.saving.faults, pointer);
    if (!fault) return "";
    const name = Object.keys(SECONDS).find((one) => pointerOf(one) === pointer);
    if (fault.code === "choose") return t(pointer === "/view" ? "queues.view.choose" : "queues.admins.choose");
    if (!name) return faultText(fault, t);
    const [from, count] = SECONDS[name];
    return t("queues.seconds.wrong", { from, count });
  }

  #now() {
    const { t } = this.ui.language;
    const { state, error, answer } = this.check;
    const counts = /** @type {QueueCounts | null} */ (/** @type {unknown} */ (answer));
    const text = state === "refused" ? faultText(faultsOf(error.body)[0], t) || refusalOf(error, t)
      : counts ? nowText(counts, this.#fields.mode, t) : t(state === "asking" ? "loading" : "queues.now.incomplete");
    return html`<p class="late-line queue-now-line-text" role="status" aria-busy=${String(state === "asking")}>${text}</p>`;
  }

  #foot() {
    const { t } = this.ui.language;
    return this.saving.foot({
      shown: (theirs) => [[t("queues.mode"), t(`queues.mode.${theirs.mode}`)],
        [t("queues.admins"), theirs.admins === "all" ? t("queues.admins.all") : theirs.admins.join(", ")],
        [t("queues.take_within"), `${theirs.take_within} ${t("queues.seconds")}`],
        [t("queues.delay"), `${theirs.delay} ${t("queues.seconds")}`]],
      take: (theirs) => {
        this.#begin(theirs);
        this.look();
      },
      replace: ({ changed_at }) => {
        this.#queue = /** @type {Queue} */ ({ ...this.#queue, changed_at });
        void this.#save();
      },
      cancel: () => this.left(null),
    });
  }

  #submit(event) {
    given(event);
    this.saving.clear(this.#faults());
    if (!this.saving.faults.length) return this.#save();
    this.area.paint();
    return this.saving.focus('form [aria-invalid="true"], .queue-desks input');
  }

  async #save() {
    const draft = this.#draft();
    await this.saving.run(async () => {
      const { queue } = await store(this.#http, QUEUES, /** @type {{ id?: number }} */ (this.#queue), draft);
      this.#saved = JSON.stringify(this.#fields);
      this.left(queue);
    });
  }

  // The queue was deleted meanwhile: it can be saved as a new one.
  #gone() {
    this.#queue = /** @type {QueueFields} */ (this.#draft() ?? FRESH);
    return this.ui.language.t("queues.gone");
  }
}

// Admins who ask for threads need not accept any.
const numbersKey = (mode, accepting) => (mode === "pull" ? "queues.numbers.waiting"
  : accepting ? "queues.numbers" : "queues.numbers.nobody");

// The threads that a queue would hand out now, and the admins who would get one at once.
/** @param {QueueCounts} counts @param {string} mode @param {Translate} t */
export function nowText({ waiting: count, accepting, eligible }, mode, t) {
  const admins = mode === "pull" ? "" : accepting ? t("queues.now.eligible", {
    accepting: t.number(accepting), eligible: t.number(Math.min(eligible, count)),
  }) : t("queues.now.nobody");
  return `${t("queues.now", { count })} ${admins}`.trim();
}

const pointerOf = (name) => (name === "offline_after" ? "/return/offline_after" : `/${name}`);
