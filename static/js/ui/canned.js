// Above the composer: replies that were written before, chosen by what follows a slash.

import { html } from "lit-html";

import { askedFor, fill, insert, suggest } from "../core/canned.js";
import { nameOf } from "./avatar.js";

const FRESH_MS = 60_000;

export class Canned {
  list = [];
  #fetchedAt = -Infinity;
  #asked = null;
  #active = 0;

  constructor(desk) {
    this.desk = desk;
  }

  get offered() { return this.#asked === null ? [] : suggest(this.list, this.#asked); }
  get activeId() { return this.offered.length ? `canned-${this.#active}` : null; }

  async load({ anew = false } = {}) {
    const { api, now } = this.desk;
    if (!anew && now() - this.#fetchedAt < FRESH_MS) return;
    this.#fetchedAt = now();
    try {
      this.list = (await api.canned()).canned;
    } catch {
      this.#fetchedAt = -Infinity;
    }
    this.desk.ask("composer");
  }

  // Hears what stands before the caret.
  typed(field) {
    const asked = askedFor(field.value.slice(0, field.selectionStart));
    if (asked !== this.#asked) this.#active = 0;
    this.#asked = asked;
    if (asked !== null) this.load();
  }

  close() { this.#asked = null; }

  // Returns whether the key was one of the list.
  key(event, field) {
    const { length } = this.offered;
    if (!length) return false;
    if (event.key === "ArrowDown") this.#active = (this.#active + 1) % length;
    else if (event.key === "ArrowUp") this.#active = (this.#active + length - 1) % length;
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") {
      this.#insert(this.offered[this.#active], field);
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    this.desk.ask("composer");
    return true;
  }

  render(field) {
    const { t } = this.desk;
    const choices = this.offered;
    if (!choices.length) return "";
    return html`<div class="canned" id="canned" role="listbox" aria-label=${t("canned.title")}>
      ${choices.map(({ shortcut, body }, index) => html`<div class="canned-choice" role="option"
        id="canned-${index}" aria-selected=${String(index === this.#active)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => this.#insert(choices[index], field())}
        ><b>/${shortcut}</b><span dir="auto">${body}</span></div>`)}</div>`;
  }

  #insert({ body }, field) {
    const filled = fill(body, this.#facts());
    const { text, caret } = insert(field.value, field.selectionStart, filled);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.close();
    field.dispatchEvent(new Event("input"));
    field.focus();
  }

  #facts() {
    const { row, t, admin, threadId } = this.desk;
    return {
      "customer.name": row ? nameOf(row, t) : "",
      "admin.name": admin.name,
      "thread.id": String(threadId),
    };
  }
}
