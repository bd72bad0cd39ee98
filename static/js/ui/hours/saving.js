// What becomes of a form that is saved: what was refused and at which field, and what somebody else has
// saved meanwhile, to be taken or replaced. Everything that is written stays.

import { html } from "lit-html";

import { elsewhere, faultsOf } from "../../core/hours/refused.js";
import { refusalOf } from "../elements/refusal.js";

export class Saving {
  /** @type {{pointer: string, code: string}[]} */
  faults = [];
  problem = "";
  busy = false;
  #theirs = null;

  // kind: names what is saved, in answers and classes; fields: the pointers that have a place in the form;
  // gone(): what is saved was deleted, returns what is said then; changed() paints.
  /** @param {SavingParts} parts */
  constructor({ kind, fields, root, language, gone, changed }) {
    this.kind = kind;
    this.fields = fields;
    this.root = root;
    this.language = language;
    this.gone = gone;
    this.changed = changed;
  }

  /** @param {{pointer: string, code: string}[]} faults */
  clear(faults = []) {
    this.faults = faults;
    this.problem = "";
  }

  // Resolves to why it was not saved; null where it was.
  /** @param {() => Promise<void>} work */
  async run(work) {
    let refused = null;
    this.busy = true;
    this.problem = "";
    this.changed();
    try {
      await work();
    } catch (error) {
      refused = error;
      this.#refused(error);
    }
    this.busy = false;
    this.changed();
    return refused;
  }

  #refused(error) {
    const { code, body, status } = error;
    this.#theirs = code === "changed_meanwhile" ? body[this.kind] ?? null : null;
    this.faults = code === "name_taken" ? [{ pointer: "/name", code }] : faultsOf(body);
    const isShown = this.#theirs || (this.faults.length && !elsewhere(this.faults, this.fields).length);
    if (status === 404) this.problem = this.gone();
    else if (!isShown) this.problem = refusalOf(error, this.language.t);
  }

  // The first field of these that is wrong.
  /** @param {string} selector */
  focus(selector) {
    const field = this.root().querySelector(selector);
    /** @type {HTMLElement | null} */ (field)?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }

  // The end of the form. shown(theirs): [label, text] of what they have saved.
  /** @param {SavingFoot} given */
  foot({ shown, take, replace, cancel }) {
    const { t } = this.language;
    return html`${this.#theirs ? this.#conflict(shown(this.#theirs), take, replace) : ""}
      <p class="form-problem" role="alert">${this.problem}</p>
      <div class="form-acts"><button type="button" class="button ${this.kind}-cancel" @click=${cancel}>${t("cancel")}</button>
        <button type="submit" class="button button-accent" ?disabled=${this.busy}>${t("save")}</button></div>`;
  }

  #conflict(shown, take, replace) {
    const { t } = this.language;
    const decided = (decide) => () => {
      const theirs = this.#theirs;
      this.#theirs = null;
      decide(theirs);
    };
    return html`<div class="view-conflict" role="alert">
      <p>${t("unsaved.conflict")}</p>
      <dl>${shown.map(([label, text]) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`)}</dl>
      <div class="form-acts"><button type="button" class="button conflict-take" @click=${decided(take)}
          >${t("unsaved.conflict.take")}</button>
        <button type="button" class="button conflict-replace" @click=${decided(replace)}
          >${t("unsaved.conflict.replace")}</button></div></div>`;
  }
}
