// A list of proposals above the composer, filtered by the text before the caret. Arrow keys move in it;
// Enter, Tab or a click take a proposal, Escape closes it.

import { html } from "lit-html";

import { folded, unmarked } from "../../core/find.js";
import {
  callsNobody, colleagues, insertName, mayCall, meant, sees, typedName,
} from "../../core/mentions.js";
import { initial, shown } from "../../core/names.js";
import { hueStep } from "../elements/avatar.js";
import { statusText } from "../presence/viewers.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Proposals {
  active = 0;
  /** @type {string | null} */
  asked = null; // the text that filters the proposals

  // name: begins the ids of the list and of its entries.
  /** @param {{name: string, painter: Ui["painter"]}} parts */
  constructor({ name, painter }) {
    this.name = name;
    this.painter = painter;
  }

  /** @returns {any[]} */
  get offered() { return []; }

  // Whether Escape closes the list.
  get isOpen() { return this.offered.length > 0; }

  get activeId() { return this.offered.length ? `${this.name}-${this.active}` : null; }

  /** @param {string | null} asked */
  ask(asked) {
    if (asked !== this.asked) this.active = 0;
    this.asked = asked;
  }

  close() { this.asked = null; }

  // Returns the text and the caret after a proposal was taken.
  /** @param {any} one @param {HTMLTextAreaElement} field @returns {{text: string, caret: number}} */
  written(one, field) { throw new Error(`${this.name}: nothing is written for ${one} in ${field}`); }

  // Returns whether the list used the key.
  /** @param {any} event */
  key(event, field) {
    const { offered } = this;
    const step = STEPS[event.key];
    const takes = event.key === "Tab" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey);
    if (event.key === "Escape" && this.isOpen) this.close();
    else if (!offered.length) return false;
    else if (step) this.active = (this.active + step + offered.length) % offered.length;
    else if (takes) this.#take(offered[this.active], field);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    this.painter.ask("composer");
    return true;
  }

  // look(one): returns the content of an entry.
  choices(field, label, look) {
    const { offered, name } = this;
    return html`<div class="canned" id="${name}-list" role="listbox" aria-label=${label}>
      ${offered.map((one, index) => html`<div class="canned-choice ${name}-choice" role="option"
        id="${name}-${index}" aria-selected=${String(index === this.active)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => this.#take(one, field())}>${look(one)}</div>`)}</div>`;
  }

  #take(one, field) {
    const { text, caret } = this.written(one, field);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.close();
    field.dispatchEvent(new Event("input"));
    field.focus();
  }
}

// The list of colleagues above a note, filtered by the text after `@`.
const CACHED_MS = 60_000;

export class MentionCompletion extends Proposals {
  #members = [];
  #fetchedAt = -Infinity;
  #done = ""; // the text up to the name inserted last
  #chosen = new Map(); // thread → (id → name)
  #loaded = false; // whether a request for the team has ended
  /** @type {Promise<void> | null} */
  #loading = null; // the running request
  /** @type {(() => void) | null} */
  #again = null; // sends the note that waits for it
  #isKnown = false; // whether it has succeeded once
  told = []; // words after `@` in the shown note that name nobody: the note was held because of them

  /** @param {Page} page */
  constructor({ data, net, ui }) {
    super({ name: "mention", painter: ui.painter });
    this.data = data;
    this.net = net;
    this.ui = ui;
  }

  get offered() {
    if (this.asked === null) return [];
    return colleagues(this.#members, this.asked, {
      adminId: this.data.adminId, desk: this.data.thread.row?.desk ?? "",
      dot: (id) => this.data.presence.dot("admin", id),
    });
  }

  // The text or the caret of a note has changed.
  typed(field) {
    const before = field.value.slice(0, field.selectionStart);
    const isDone = this.#done !== "" && before.startsWith(this.#done)
      && !before.slice(this.#done.length).includes("@");
    const asked = isDone ? null : typedName(before);
    this.ask(asked);
    this.told = this.told.filter((word) => field.value.includes(word));
    if (asked !== null) this.#load();
  }

  // Whether a note needs one more press; `told` has its words that name nobody. If the team is not known yet,
  // again() is called once it is.
  /** @param {string} body @param {() => void} again */
  holds(body, again) {
    if (!mayCall(body)) return false;
    if (!this.#loaded) {
      // Several presses meanwhile are one: the second one would confirm what nobody has read.
      if (!this.#again) void this.#load().then(() => this.#tryAgain());
      this.#again = again;
      return true;
    }
    const desk = this.data.thread.row?.desk ?? "";
    const known = this.#members.filter((member) => member.id === this.data.adminId || sees(member, desk));
    const words = this.#isKnown ? callsNobody(body, known.map(({ name }) => name)) : [];
    if (words.every((word) => this.told.includes(word))) return false;
    this.told = words;
    this.painter.ask("composer");
    return true;
  }

  #tryAgain() {
    const again = this.#again;
    this.#again = null;
    again?.();
  }

  close() {
    if (this.asked === null) return;
    super.close();
    this.data.presence.want("admin", "mention", []);
  }

  // Returns the ids chosen for names that several colleagues share; called when a note is sent.
  /** @param {number} threadId @param {string} body @returns {number[]} */
  take(threadId, body) {
    const chosen = this.#chosen.get(threadId) ?? new Map();
    this.#chosen.delete(threadId);
    return meant(body, chosen);
  }

  render(field) {
    const { data: { presence }, ui: { language: { t } } } = this;
    if (!this.offered.length) return "";
    return this.choices(field, t("mention.title"), (member) => html`<span class="avatar"
      data-hue=${hueStep(`admin/${member.id}`)} aria-hidden="true"
      ><span class="avatar-letter">${initial(member.name)}</span>
      <span class="dot" data-dot=${presence.dot("admin", member.id)}></span></span>
      <bdi translate="no" class="mention-name">${shown(member.name)}</bdi>
      <span>${statusText(presence, "admin", member.id, t)}</span>`);
  }

  written(member, field) {
    const { text, caret } = insertName(field.value, field.selectionStart, member.name);
    const { id } = this.data.thread;
    const chosen = this.#chosen.get(id) ?? new Map();
    this.#chosen.set(id, chosen.set(member.id, member.name));
    this.#done = text.slice(0, caret);
    return { text, caret };
  }

  async #load() {
    if (this.net.now() - this.#fetchedAt >= CACHED_MS) {
      this.#loading ??= this.#fetch().finally(() => { this.#loading = null; });
      await this.#loading;
    }
    if (this.asked === null) return;
    this.data.presence.want("admin", "mention", this.#members.map(({ id }) => id));
    this.painter.ask("composer");
  }

  async #fetch() {
    const begun = this.net.now();
    try {
      this.#members = (await this.net.api.team()).team;
      this.#isKnown = true;
      this.#fetchedAt = begun;
    } catch { /* the next key tries again */ }
    this.#loaded = true;
  }
}

// The list of canned replies above the composer, filtered by the text after a slash.
export class Canned extends Proposals {
  list = [];
  #loading = false;
  #fetchedAt = -Infinity;
  #byButton = false; // whether all are offered, regardless of the text before the caret

  /** @param {Page} page */
  constructor({ data, net, ui }) {
    super({ name: "canned", painter: ui.painter });
    this.data = data;
    this.net = net;
    this.ui = ui;
  }

  get isOpen() { return this.asked !== null; }
  get offered() {
    if (!this.isOpen) return [];
    return this.#byButton ? this.list : suggest(this.list, this.asked);
  }

  // Resolves to the replies, which are fetched again if they are older than a minute.
  async load({ always = false } = {}) {
    if (!always && this.net.now() - this.#fetchedAt < CACHED_MS) return this.list;
    this.#fetchedAt = this.net.now();
    this.#loading = true;
    try {
      this.list = (await this.net.api.canned()).canned;
    } catch {
      this.#fetchedAt = -Infinity;
    }
    this.#loading = false;
    this.painter.ask("composer");
    return this.list;
  }

  // The text or the caret has changed.
  typed(field) {
    this.#byButton = false;
    const asked = typedShortcut(field.value.slice(0, field.selectionStart));
    this.ask(asked);
    if (asked !== null) this.load();
  }

  // The button beside the composer: shows all replies, or closes the list.
  toggle(field) {
    if (this.isOpen) this.close();
    else {
      this.asked = "";
      this.#byButton = true;
      this.active = 0;
      this.load();
    }
    field.focus();
    this.painter.ask("composer");
  }

  close() {
    super.close();
    this.#byButton = false;
  }

  render(field) {
    const { t } = this.ui.language;
    if (!this.offered.length) return this.#none(t);
    const facts = this.#facts();
    return this.choices(field, t("canned.title"), ({ shortcut, body }) => html`<b>/${shortcut}</b><span
      dir="auto">${fill(body, facts)}</span>`);
  }

  // Said only if all replies were asked for: a slash may be just a slash.
  #none(t) {
    const isEmpty = this.asked === "" && this.#fetchedAt > -Infinity && !this.#loading;
    return isEmpty && !this.list.length ? html`<div class="canned canned-none" role="status"
      >${t("canned.none.hint")}</div>` : "";
  }

  written({ body }, field) {
    const filled = fill(body, this.#facts());
    return insert(field.value, field.selectionStart, filled, !this.#byButton);
  }

  #facts() {
    const { id, row } = this.data.thread;
    return {
      "customer.name": row?.customer?.name ?? "",
      "admin.name": this.data.admin.name,
      "thread.id": String(id),
    };
  }
}

// Canned replies: found by the text after a slash, with placeholders for names.

// A slash of any width, and the text after it.
const ASKED = /(?:^|\s)[/\uff0f]([^\s/\uff0f]*)$/u;
const SHORTCUT = /^[a-z0-9-]*$/;
const NAMES = /\{\{\s*([a-z]+\.[a-z]+)\s*\}\}/g;
// The name of a customer with the comma before it, a Japanese title, the comma after it, and the next letter.
const CUSTOMER = /([,，、]?[ \t]*)\{\{\s*customer\.name\s*\}\}(?:[ \t]*(?:様|さま|さん))?([,，、:：]?[ \t]*)([^{]?)/gu;
const SHOWN_MAX = 8;

// Returns the part of a shortcut right before the caret, or null.
/** @param {string} before */
export function typedShortcut(before) {
  const [, typed] = ASKED.exec(before) ?? [];
  const asked = folded(typed ?? "");
  return typed !== undefined && SHORTCUT.test(asked) ? asked : null;
}

// Returns first the replies with a shortcut that begins with the text, then those that contain it.
export function suggest(canned, asked) {
  const begins = canned.filter(({ shortcut }) => shortcut.startsWith(asked));
  const holds = canned.filter((one) => !begins.includes(one)
    && (one.shortcut.includes(asked) || unmarked(one.body).includes(asked)));
  return [...begins, ...(asked ? holds : [])].slice(0, SHOWN_MAX);
}

// facts: {"customer.name": "Mai", …}; unknown placeholders stay. A customer without a name is left out,
// with the comma that sets a name off: "Welcome, {{customer.name}}!" becomes "Welcome!".
/** @param {string} body */
export const fill = (body, facts) => (facts["customer.name"] === "" ? withoutCustomer(body) : body)
  .replace(NAMES, (whole, name) => facts[name] ?? whole);

const withoutCustomer = (body) => body.replace(CUSTOMER, (whole, before, after, next, at) => (
  before === "" && (at === 0 || body[at - 1] === "\n") ? next.toLocaleUpperCase() : after + next));

// typed: the reply replaces a slash and a shortcut before the caret.
/** @param {string} text @param {string} body */
export function insert(text, caret, body, typed = true) {
  const before = typed ? text.slice(0, caret).replace(/[/\uff0f]\S*$/u, "") : text.slice(0, caret);
  return { text: before + body + text.slice(caret), caret: before.length + body.length };
}
