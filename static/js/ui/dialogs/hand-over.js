// The picker of a colleague or a desk for a handover of the open thread, or of the selected ones.

import { html, nothing, render } from "lit-html";

import { callsNobody, sees } from "../../core/mentions.js";
import { initial, shown } from "../../core/names.js";
import { deskReceivers, receivers } from "../../core/receivers.js";
import { hueStep } from "../elements/avatar.js";
import { PageModule } from "../elements/page-module.js";
import { onListKey, Popover } from "../elements/popover.js";
import { statusText } from "../presence/viewers.js";

// The picker is placed below the first of these that is on screen.
const OPENERS = [
  ".list-header .act-hand", "#bulk-menu", ".thread-acts .act-hand", "#thread-head", "#list-header",
];
const KNOWN_MS = 500; // presence is waited for no longer than this
const NOBODY = { id: 0, name: "", assigned: null };

export class HandOverPicker extends PageModule {
  #members = [];
  #desks = [];
  #failed = false;
  #query = "";
  #active = 0; // index of the entry that Enter chooses
  /** @type {Target} */
  #target = { ids: [], isPicked: false };
  #told = []; // words after `@` in the note that name nobody: the note was held because of them
  #order = null; // the offered entries: they keep their places until something else is looked for
  #waits = false; // whether presence, which decides the order, is not known yet
  #popover;

  /** @param {Page & { element: HTMLDialogElement }} page */
  constructor({ element, ...page }) {
    super(page);
    this.element = element;
    this.element.addEventListener("keydown", (event) => onListKey(event, {
      walk: (step) => this.#walk(step), choose: () => this.#chooseActive(),
    }));
    this.#popover = new Popover({
      element: this.element, openers: OPENERS,
      closed: () => this.data.presence.want("admin", "hand-over", []),
    });
  }

  get shown() { return this.#popover.shown; }

  // event: the press on a button. target: the threads, whichever are selected or open later.
  /** @param {MouseEvent | null} event @param {Target | null} target */
  open(event = null, target = this.ui.picks.target) {
    const { element } = this;
    if (!target || !this.#popover.mayOpen(event)) return undefined;
    this.#target = target;
    const refusal = this.#refusal();
    if (refusal) return void this.ui.toasts.show(refusal);
    this.#query = "";
    this.#active = 0;
    this.#told = [];
    this.#order = null;
    this.#waits = true;
    this.#paint();
    for (const field of element.querySelectorAll("input")) field.value = "";
    element.showPopover();
    this.#popover.place();
    element.querySelector("input")?.focus();
    return this.#load();
  }

  paint() {
    if (!this.shown) return;
    this.#paint();
    this.#popover.place();
  }

  #paint() {
    const { language: { t } } = this.ui;
    const { ids: { length: count }, isPicked } = this.#target;
    const title = isPicked ? t("hand.many", { count }) : t("hand.title");
    this.element.setAttribute("aria-label", title);
    const choices = this.#choices();
    this.#active = Math.max(0, Math.min(this.#active, choices.length - 1));
    render(html`
      <label class="menu-heading" for="hand-find">${title}</label>
      <input id="hand-find" class="hand-find" type="text" role="combobox" autocomplete="off"
        aria-expanded="true" aria-controls="hand-list" aria-autocomplete="list"
        aria-activedescendant=${choices.length ? `hand-${choices[this.#active].id}` : nothing}
        placeholder=${t(this.#desks.length > 1 ? "hand.find.desks" : "hand.find")} @input=${(event) => this.#find(event.target.value)}>
      <div id="hand-list" class="hand-list" role="listbox" aria-label=${title}>
        ${choices.map((choice, at) => this.#option(choice, at))}</div>
      ${this.#failed ? html`<p class="hand-none" role="status">${t("error.network")}</p>`
        : this.#members.length && !this.#waits && !choices.length
          ? html`<p class="hand-none" role="status">${t("hand.none")}</p>` : ""}
      <label class="hand-note"><span>${t("hand.note")}</span>
        <input id="hand-note" type="text" maxlength=${this.data.limits.message_characters}></label>
      ${this.#told.length ? html`<p class="hand-none" role="alert"><bdi>${t("mention.nobody", { words: this.#told.join(", ") })}</bdi>
        ${t("hand.anyway")}</p>` : ""}`,
    this.element);
  }

  // The row of the thread; undefined for several.
  get #row() { return this.ui.picks.rowOf(this.#target); }

  #refusal() {
    const { data: { admin }, ui: { language: { t } } } = this;
    const assignee = this.#row?.assignee;
    const isTheirs = assignee && assignee.id !== admin.id && admin.role !== "supervisor";
    return isTheirs ? t("error.already_claimed", { name: shown(assignee.name) }) : "";
  }

  // Nobody is offered before the order is known: then no entry moves under a pointer. The states and the numbers
  // of threads go on changing.
  #choices() {
    const { presence } = this.data;
    if (this.#waits && this.#members.length) {
      this.#waits = this.#members.some(({ id }) => !presence.of("admin", id));
    }
    if (this.#waits) return [];
    return (this.#order ??= this.#found());
  }

  // Returns matching colleagues, then desks; and "nobody" if a thread is assigned and nothing is typed.
  #found() {
    const { data: { admin, presence } } = this;
    const assigneeId = this.#row?.assignee?.id ?? null;
    const found = receivers(this.#members, this.#query, {
      adminId: admin.id, assigneeId, desks: this.#desksOfThreads(),
      dot: (id) => presence.dot("admin", id),
    });
    found.push(...deskReceivers(this.#desks, this.#query, this.#row?.desk ?? null));
    return assigneeId === null || this.#query ? found : [...found, NOBODY];
  }

  // For selected threads without rows here, the server checks the desks.
  #desksOfThreads() {
    const shownRows = this.#target.ids.map((id) => this.data.rows.get(id));
    return [...new Set(shownRows.filter(Boolean).map(({ desk }) => desk))];
  }

  #option(member, at) {
    const { id, name, assigned, desk } = member;
    if (desk) return this.#deskOption(id, desk, at);
    const { data: { admin, presence }, ui: { queues, language: { t } } } = this;
    const text = id === NOBODY.id ? t("hand.nobody") : id === admin.id ? t("hand.me") : shown(name);
    const state = id === NOBODY.id || id === admin.id ? "" : statusText(presence, "admin", id, t);
    const load = id === NOBODY.id || assigned === null ? ""
      : queues.part?.loadOf(member) || t("hand.has", { count: assigned });
    return this.#asOption(id, at, html`
      ${id === NOBODY.id ? html`<span class="avatar hand-nobody" aria-hidden="true"></span>`
        : html`<span class="avatar" data-hue=${hueStep(`admin/${id}`)} aria-hidden="true"
          ><span class="avatar-letter">${initial(name)}</span><span class="dot"
          data-dot=${presence.dot("admin", id)}></span></span>`}
      <span class="hand-who"><bdi translate="no" class="person-name">${text}</bdi>
        <span class="person-state">${[state, load].filter(Boolean).join(" · ")}</span></span>`);
  }

  #deskOption(id, desk, at) {
    return this.#asOption(id, at, html`<span class="avatar hand-nobody" aria-hidden="true"></span>
      <span class="hand-who"><bdi translate="no" class="person-name">${desk}</bdi>
        <span class="person-state">${this.ui.language.t("hand.desk")}</span></span>`);
  }

  #asOption(id, at, content) {
    const isActive = at === this.#active;
    return html`<div class="hand-option" id=${`hand-${id}`} role="option"
      aria-selected=${String(isActive)} @click=${() => this.#choose(this.#choices()[at])}
      @pointermove=${() => { if (!isActive) this.#walk(at - this.#active); }}
      >${content}</div>`;
  }

  #find(query) {
    this.#query = query;
    this.#active = 0;
    this.#order = null;
    this.#waits = !this.#members.length && !this.#failed;
    this.#paint();
  }

  #walk(step) {
    const choices = this.#choices();
    if (!choices.length) return;
    this.#active = (this.#active + step + choices.length) % choices.length;
    this.#paint();
    this.element.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  async #load() {
    const { data: { presence }, net: { api } } = this;
    const target = this.#target;
    this.#members = [];
    try {
      const { team, desks } = await api.team();
      if (target !== this.#target) return;
      this.#members = team;
      this.#desks = desks;
      this.#failed = false;
    } catch {
      this.#failed = true;
      this.#waits = false;
    }
    if (!this.shown) return;
    presence.want("admin", "hand-over", this.#members.map(({ id }) => id));
    this.paint();
    if (this.#waits) setTimeout(() => this.#offer(target), KNOWN_MS);
  }

  // Offers everybody in an order without presence, which is late.
  #offer(target) {
    if (target !== this.#target || !this.#waits) return;
    this.#waits = false;
    this.paint();
  }

  async #choose(member) {
    const { id, desk } = member;
    const { ui: { bulk, queues }, acts: { acting } } = this;
    const { ids, isPicked } = this.#target;
    /** @type {HTMLInputElement} */
    const field = this.element.querySelector("#hand-note");
    const note = field.value.trim();
    if (this.#holds(note, desk)) return;
    const to = desk ? { admin_id: null, desk } : { admin_id: id || null };
    const given = { ...to, ...(note && { note }) };
    this.element.hidePopover();
    if (await queues.part?.mayGive(member, ids) === false) return;
    if (isPicked) (await bulk.get())?.run("assign", given, ids);
    else (await acting.get())?.actions.handOver(given, ids[0]);
  }

  // Whether a note needs one more press: it has words after `@` that name nobody.
  #holds(note, desk) {
    const desks = [...this.#desksOfThreads(), ...(desk ? [desk] : [])];
    const known = this.#members.filter((member) => desks.every((one) => sees(member, one)));
    const words = callsNobody(note, known.map(({ name }) => name));
    if (words.every((word) => this.#told.includes(word))) return false;
    this.#told = words;
    this.#paint();
    this.#popover.place();
    return true;
  }

  #chooseActive() {
    const chosen = this.#choices()[this.#active];
    if (chosen) void this.#choose(chosen);
  }
}
