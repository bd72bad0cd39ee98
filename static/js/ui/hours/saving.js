// Saves a form: shows refusals at their fields, and what somebody else has saved meanwhile, to be taken or
// replaced. All typed values stay.

import { html } from "lit-html";

import { elsewhere, faultsOf } from "../../core/hours/policies.js";
import { refusalOf } from "../elements/language.js";

// Opening hours and policies on the server.
export const CALENDARS = "/admin/api/calendars";
export const POLICIES = "/admin/api/policies";

// Saves the fields of a new object at this path, or of the one that was edited, as it was read.
/** @param {Page["net"]["api"]["http"]} http @param {string} path @param {{id?: number, changed_at?: number | null}} edited */
export const store = (http, path, { id, changed_at }, fields) => (id === undefined ? http.post(path, fields)
  : http.put(`${path}/${id}`, { ...fields, ...(changed_at && { changed_at }) }));

// Asks how many threads would be late by these policies: all, in order. `calendar` of each is an id, or the fields of
// an unsaved calendar.
/** @param {Page["net"]["api"]["http"]} http @returns {(policies: object[]) => Promise<any>} */
export const lateBy = (http) => (policies) => http.post(`${POLICIES}/preview`, { policies });

export class Saving {
  /** @type {{pointer: string, code: string}[]} */
  faults = [];
  problem = "";
  busy = false;
  #theirs = null;

  // kind: names the saved object in answers and classes; fields: the pointers of fields in the form; gone():
  // called if the object was deleted, returns the text to show; changed() paints.
  /** @param {SavingOptions} options */
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

  // Resolves to the error if it was not saved; else to null.
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

  // Focuses the first of these fields that is wrong.
  /** @param {string} selector */
  focus(selector) {
    const field = this.root().querySelector(selector);
    /** @type {HTMLElement | null} */ (field)?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }

  // The end of the form. shown(theirs): [label, text] of the version that somebody else has saved.
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

// "This would make n threads late", shown beside a change.

// A change that makes more threads late gets a warning, and is not refused.
/** @param {import("../../core/hours/policies.js").LateCheck} check @param {Translate} t */
export function lateLine({ state, answer, error }, t) {
  const waiting = state === "asking";
  return html`<p class="late-line" role="status" aria-busy=${String(waiting)} data-more=${(answer?.newly_late ?? 0) > 0}
    >${error ? refusalOf(error, t) : answer ? said(answer, t) : waiting ? t("loading") : ""}</p>`;
}

function said({ waiting, late_now: now, late_after: then, newly_late: newly }, t) {
  if (!waiting) return t("late.nobody");
  const first = newly ? t("late.newly", { count: newly }) : t("late.none");
  return html`<strong>${first}</strong> <span>${t("late.compared", { now, count: then, waiting })}</span>`;
}
