// The list of canned replies above the composer, filtered by what follows a slash.

import { html } from "lit-html";

import { typedShortcut, fill, insert, suggest } from "../../core/thread/canned.js";
import { nameAsWritten } from "../elements/avatar.js";

const CACHED_MS = 60_000;

export class Canned {
  list = [];
  #loading = false;
  #fetchedAt = -Infinity;
  #asked = null;
  #byButton = false; // all are offered, whatever stands before the caret
  #active = 0;

  /** @param {CannedParts} parts */
  constructor({ api, thread, admin, now, painter, language }) {
    this.api = api;
    this.thread = thread;
    this.admin = admin;
    this.now = now;
    this.painter = painter;
    this.language = language;
  }

  get isOpen() { return this.#asked !== null; }
  get offered() {
    if (!this.isOpen) return [];
    return this.#byButton ? this.list : suggest(this.list, this.#asked);
  }

  get activeId() { return this.offered.length ? `canned-${this.#active}` : null; }

  // Resolves to the replies, which are fetched again if they are older than a minute.
  async load({ anew = false } = {}) {
    if (!anew && this.now() - this.#fetchedAt < CACHED_MS) return this.list;
    this.#fetchedAt = this.now();
    this.#loading = true;
    try {
      this.list = (await this.api.canned()).canned;
    } catch {
      this.#fetchedAt = -Infinity;
    }
    this.#loading = false;
    this.painter.ask("composer");
    return this.list;
  }

  // The text or the caret changed.
  typed(field) {
    this.#byButton = false;
    const asked = typedShortcut(field.value.slice(0, field.selectionStart));
    if (asked !== this.#asked) this.#active = 0;
    this.#asked = asked;
    if (asked !== null) this.load();
  }

  // The button beside the composer: all of them, or none any more.
  toggle(field) {
    if (this.isOpen) this.close();
    else {
      this.#asked = "";
      this.#byButton = true;
      this.#active = 0;
      this.load();
    }
    field.focus();
    this.painter.ask("composer");
  }

  close() {
    this.#asked = null;
    this.#byButton = false;
  }

  // Returns whether the list used the key.
  /** @param {any} event */
  key(event, field) {
    const { length } = this.offered;
    if (!length && !(this.isOpen && event.key === "Escape")) return false;
    if (event.key === "ArrowDown") this.#active = (this.#active + 1) % length;
    else if (event.key === "ArrowUp") this.#active = (this.#active + length - 1) % length;
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") {
      this.#insert(this.offered[this.#active], field);
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    this.painter.ask("composer");
    return true;
  }

  render(field) {
    const { t } = this.language;
    const choices = this.offered;
    if (!choices.length) return this.#none(t);
    const facts = this.#facts();
    return html`<div class="canned" id="canned" role="listbox" aria-label=${t("canned.title")}>
      ${choices.map(({ shortcut, body }, index) => html`<div class="canned-choice" role="option"
        id="canned-${index}" aria-selected=${String(index === this.#active)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => this.#insert(choices[index], field())}
        ><b>/${shortcut}</b><span dir="auto">${fill(body, facts)}</span></div>`)}</div>`;
  }

  // Said only where every reply was asked for: a slash may be just a slash.
  #none(t) {
    const isEmpty = this.#asked === "" && this.#fetchedAt > -Infinity && !this.#loading;
    return isEmpty && !this.list.length ? html`<div class="canned canned-none" role="status"
      >${t("canned.none.hint")}</div>` : "";
  }

  #insert({ body }, field) {
    const filled = fill(body, this.#facts());
    const { text, caret } = insert(field.value, field.selectionStart, filled, !this.#byButton);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.close();
    field.dispatchEvent(new Event("input"));
    field.focus();
  }

  #facts() {
    const { id, row } = this.thread;
    return {
      "customer.name": row ? nameAsWritten(row, this.language.t) : "",
      "admin.name": this.admin.name,
      "thread.id": String(id),
    };
  }
}
