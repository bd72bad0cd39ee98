// The list of canned replies above the composer, filtered by what follows a slash.

import { html } from "lit-html";

import { typedShortcut, fill, insert, suggest } from "../../core/thread/canned.js";
import { nameAsWritten } from "../elements/avatar.js";
import { Proposals } from "./proposals.js";

const CACHED_MS = 60_000;

export class Canned extends Proposals {
  list = [];
  #loading = false;
  #fetchedAt = -Infinity;
  #byButton = false; // all are offered, whatever stands before the caret

  /** @param {CannedParts} parts */
  constructor({ api, thread, admin, now, painter, language }) {
    super({ name: "canned", painter });
    this.api = api;
    this.thread = thread;
    this.admin = admin;
    this.now = now;
    this.language = language;
  }

  get isOpen() { return this.asked !== null; }
  get offered() {
    if (!this.isOpen) return [];
    return this.#byButton ? this.list : suggest(this.list, this.asked);
  }

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
    this.ask(asked);
    if (asked !== null) this.load();
  }

  // The button beside the composer: all of them, or none any more.
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
    const { t } = this.language;
    if (!this.offered.length) return this.#none(t);
    const facts = this.#facts();
    return this.choices(field, t("canned.title"), ({ shortcut, body }) => html`<b>/${shortcut}</b><span
      dir="auto">${fill(body, facts)}</span>`);
  }

  // Said only where every reply was asked for: a slash may be just a slash.
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
    const { id, row } = this.thread;
    return {
      "customer.name": row ? nameAsWritten(row, this.language.t) : "",
      "admin.name": this.admin.name,
      "thread.id": String(id),
    };
  }
}
