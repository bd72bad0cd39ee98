// What the pages of settings consist of: lines with a control, tables, menus of rows, times and forms.

import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { initial, shown } from "../core/names.js";
import { age } from "../core/time.js";
import { hueStep } from "../ui/elements/avatar.js";
import { blurIn } from "../ui/elements/dialog.js";
import { ICONS } from "../ui/elements/icons.js";
import { refusalOf } from "../ui/elements/language.js";
import { menu } from "../ui/elements/menu.js";
import { PageModule } from "../ui/elements/page-module.js";
import { ask } from "../ui/elements/popover.js";

// A page of the area: begin() loads what it shows, content() is what it shows now, action the button at its
// top, back() leaves a form inside of it. A page with moved() follows its address by that; others begin again.
export class SettingsPage extends PageModule {
  /** @type {{title: string, content(): Content, isDirty?: boolean, end?(): void} | null} */
  form = null; // shown in place of the list
  hasEnded = false; // whether the page was left
  #timers = [];
  #isSending = false;

  /** @param {Page & { area: import("./area.js").SettingsArea }} page */
  constructor({ area, ...page }) {
    super(page);
    this.area = area;
  }

  get t() { return this.ui.language.t; }
  get http() { return this.net.api.http; }

  // Whether the content needs more than the width of lines.
  get isWide() { return false; }
  /** @type {{text: string, run(): void} | null} the button at the top right */
  get action() { return null; }
  // Whether something is written that is not saved, besides what stands in fields of forms.
  get isDirty() { return this.form?.isDirty ?? false; }

  async begin() {}
  /** @returns {Content} */
  content() { return ""; }
  end() {
    this.hasEnded = true;
    this.#timers.forEach(clearInterval);
    this.form?.end?.();
  }

  // Repeats the work until the page is left. Nothing is said if it fails: the next time it may not.
  /** @param {number} ms @param {() => unknown} work */
  every(ms, work) {
    if (!this.hasEnded) this.#timers.push(setInterval(() => Promise.resolve(work()).catch(() => {}), ms));
  }

  // Shows a form in place of the list; its first field gets the focus.
  /** @param {NonNullable<SettingsPage["form"]>} form */
  openForm(form) {
    blurIn(this.area.root);
    this.form = form;
    this.area.say("");
    this.area.paint();
    const field = this.area.root.querySelector(
      ".area-page form :is(input:not([type=hidden], [type=checkbox], [readonly]), textarea)");
    /** @type {HTMLInputElement | null} */ (field)?.select();
  }

  closeForm() {
    blurIn(this.area.root);
    this.form?.end?.();
    this.form = null;
    this.area.paint();
    this.area.focus();
  }

  // Runs the work, and paints; shows why it was refused.
  /** @param {() => Promise<unknown>} work */
  async run(work) {
    try {
      await work();
    } catch (error) {
      this.area.say(refusalOf(error, this.t));
    }
    this.area.paint();
  }

  // The same for the work of a form: a second press meanwhile does nothing.
  /** @param {() => Promise<unknown>} work */
  async send(work) {
    if (this.#isSending) return;
    this.#isSending = true;
    await this.run(work);
    this.#isSending = false;
  }

  // Asks before something that cannot be undone.
  /** @param {{title: string, text: string, yes: string}} given */
  sure(given) { return ask(this.ui.dialog, { ...given, isRed: true }, this.t); }

  // "2 hours ago", with the exact time as its title.
  /** @param {number} at */
  when(at) {
    const { words } = this.ui.language;
    return html`<time datetime=${new Date(at).toISOString()} title=${words.exact(at)}>${
      words.long(age(at, this.net.now()))}</time>`;
  }

  // A line with a switch, which has its effect at once.
  /** @param {{name: string, label: string, help?: string, on: boolean, run(on: boolean): void}} given */
  switch({ name, label, help, on, run }) {
    return line({ name, label, help, control: html`<button type="button" role="switch" class="switch"
      id=${`set-${name}`} ?disabled=${on === undefined}
      aria-checked=${String(on ?? false)} aria-labelledby=${`set-${name}-label`}
      aria-describedby=${help ? `set-${name}-help` : nothing}
      @click=${() => this.run(async () => run(!on))}></button>` });
  }

  // A line with a list to choose from. options: [value, text].
  /** @param {{name: string, label: string, help?: string, options: string[][], chosen: string,
   *   run(value: string): void}} given */
  choice({ name, label, help, options, chosen, run }) {
    return line({ name, label, help, control: html`<select id=${`set-${name}`}
      aria-describedby=${help ? `set-${name}-help` : nothing}
      @change=${({ target }) => this.run(async () => run(target.value))}>${options.map(([value,
        text]) => html`<option
        value=${value} .selected=${live(value === chosen)}>${text}</option>`)}</select>` });
  }
}

// A line: the label and its help on the left, the control on the right.
/** @param {{name: string, label: string, help?: string, control: Content}} given */
export const line = ({ name, label, help = "", control }) => html`<div class="set-line">
  <div class="set-text"><label class="set-label" for=${`set-${name}`}
    id=${`set-${name}-label`}>${label}</label>
    ${help ? html`<span class="set-help" id=${`set-${name}-help`}>${help}</span>`
      : ""}</div>${control}</div>`;

// A field of a form, below its label.
/** @param {string} label @param {Content} control @param {Content} help */
export const field = (label, control, help = "") => html`<label class="set-field"><span
  class="set-label">${label}</span>
  ${control}${help ? html`<span class="set-help">${help}</span>` : ""}</label>`;

// The buttons at the end of a form.
/** @param {{save: string, cancel(): void, t: Translate}} given */
export const formActs = ({ save, cancel, t }) => html`<div class="form-acts">
  <button type="button" class="button set-cancel" @click=${cancel}>${t("cancel")}</button>
  <button type="submit" class="button button-accent">${save}</button></div>`;

// actions: the name of the last column, of menus, for screen readers.
/** @param {{className: string, columns: string[], rows: Content[], label: string, actions?: string}} given */
export const table = ({ className, columns, rows, label, actions = "" }) => html`<div class="set-scroll"
  tabindex="0" role="region"
  aria-label=${label}><table class="set-table ${className}"
    ?data-acts=${actions}><thead><tr>${columns.map((text) => html`<th scope="col">${text}</th>`)}
    ${actions ? html`<th scope="col"><span class="unseen">${actions}</span></th>`
      : ""}</tr></thead><tbody>${rows}</tbody></table></div>`;

// The menu of a row. The last items are red: they end something.
/** @param {{id: string, label: string, items: any[]}} given */
export const rowMenu = ({ id, label, items }) => (items.length ? menu({
  id, label, text: ICONS.more, items, className: "icon-button set-more",
}) : "");

// A person with the letter that stands for them; open(), if given, is called for a press on the name.
/** @param {{id: string, name: string, below: Content, after?: Content, open?: (() => void) | null}} given */
export function person({ id, name, below, after = "", open = null }) {
  const called = html`<bdi translate="no">${shown(name)}</bdi>`;
  return html`<div class="set-person">
  <span class="avatar" data-hue=${hueStep(id)} aria-hidden="true"><span
    class="avatar-letter">${initial(name)}</span></span>
  <span class="set-name"><span>${open ? html`<button type="button" class="set-open" @click=${open}
    >${called}</button>` : called}${after}</span><span class="set-help">${below}</span></span></div>`;
}

// Returns the values of a form by name; the form is not sent.
/** @param {SubmitEvent} event */
export function given(event) {
  event.preventDefault();
  return new FormData(/** @type {HTMLFormElement} */ (event.target));
}

// Whether somebody has written into the form: a field is not as it was painted.
/** @param {HTMLFormElement} form */
export const isChanged = (form) => [...form.elements].some((each) => {
  if (each instanceof HTMLSelectElement) {
    const options = [...each.options];
    const first = options.findIndex(({ defaultSelected }) => defaultSelected);
    return options.length > 0 && each.selectedIndex !== Math.max(0, first);
  }
  if (each instanceof HTMLTextAreaElement) return each.value !== each.defaultValue;
  if (!(each instanceof HTMLInputElement)) return false;
  return /^(checkbox|radio)$/.test(each.type) ? each.checked !== each.defaultChecked
    : each.value !== each.defaultValue;
});
