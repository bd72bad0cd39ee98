// The picker of tags: for the open thread, each press takes effect at once; for the selected threads, the
// changes are applied together.

import { html, nothing, render } from "lit-html";

import { matching, plain } from "../../core/find.js";
import { FIELDS } from "../../core/query/fields.js";
import { plainValue } from "../../core/query/text.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";
import { onListKey, Popover } from "../elements/popover.js";

// The picker is placed below the first of these that is on screen.
const OPENERS = [
  "#bulk-menu", ".act-more", "#thread-head", "#list-header",
];
const NONE = { add: [], remove: [] };
const UNTAGGED = "none"; // a word of queries that means no tag; in a query a tag of this name is quoted

export class TagPicker extends PageModule {
  #ids = []; // the threads for which it was opened
  #isBulk = false; // whether these are the selected threads
  #tags = []; // in the order in which they are shown
  #changes = NONE; // changes of selected threads that are not applied yet
  #query = "";
  #active = 0; // index of the tag that Enter switches
  #failed = false;
  #popover;

  /** @param {Page & { element: HTMLDialogElement }} page */
  constructor({ element, ...page }) {
    super(page);
    this.element = element;
    this.element.addEventListener("keydown", (event) => onListKey(event, {
      walk: (step) => this.#walk(step), choose: (press) => this.#entered(press),
    }));
    this.#popover = new Popover({ element: this.element, openers: OPENERS });
  }

  get shown() { return this.#popover.shown; }

  // event: the press on a button.
  /** @param {MouseEvent | null} event @param {Target | null} target */
  open(event = null, target = this.ui.picks.target) {
    const { element } = this;
    if (!target || !this.#popover.mayOpen(event)) return undefined;
    this.#isBulk = target.isPicked;
    this.#ids = target.ids;
    this.#tags = ordered(this.#tagsOfThreads(), []);
    this.#changes = NONE;
    this.#query = "";
    this.#active = 0;
    this.#paint();
    element.querySelector("input").value = "";
    element.showPopover();
    this.#popover.place();
    element.querySelector("input").focus();
    return this.#load();
  }

  paint() { if (this.shown) this.#paint(); }

  #tagsOfThreads() {
    const { rows } = this.data;
    return this.#ids.map((id) => rows.get(id)?.tags).filter(Boolean);
  }

  #choices() { return offered(this.#tags, this.#query, this.data.limits.tag_characters); }

  // Returns the state of a tag's box, including changes that are not applied yet.
  #share(tag) {
    if (this.#changes.add.includes(tag)) return "all";
    if (this.#changes.remove.includes(tag)) return "none";
    return shareOf(this.#tagsOfThreads(), tag);
  }

  #paint() {
    const { language: { t } } = this.ui;
    const title = this.#isBulk ? t("tags.many", { count: this.#ids.length }) : t("tags");
    this.element.setAttribute("aria-label", title);
    const choices = this.#choices();
    this.#active = Math.max(0, Math.min(this.#active, choices.length - 1));
    render(html`
      <label class="menu-heading" for="tag-find">${title}</label>
      <input id="tag-find" class="tag-find" type="text" role="combobox" autocomplete="off"
        autocapitalize="none" spellcheck="false" aria-expanded="true" aria-controls="tag-list"
        aria-autocomplete="list" aria-activedescendant=${choices.length ? `tag-${this.#active}` : nothing}
        placeholder=${t("tags.find")} @input=${(event) => this.#find(event.target.value)}>
      <div id="tag-list" class="tag-list" role="listbox" aria-multiselectable="true" aria-label=${title}>
        ${choices.map((choice, at) => this.#option(choice, at))}</div>
      ${this.#note(choices)}
      ${this.#isBulk ? this.#applyButton() : ""}`, this.element);
  }

  #option({ tag, isNew }, at) {
    const { language: { t } } = this.ui;
    const share = this.#share(tag);
    return html`<div class="tag-option" id=${`tag-${at}`} role="option"
      aria-selected=${String(share === "all")} data-active=${String(at === this.#active)}
      data-share=${share} @click=${() => this.#switch(tag)}
      @pointermove=${() => { if (at !== this.#active) this.#walk(at - this.#active); }}>
      <span class="tag-box" aria-hidden="true">${share === "all" ? ICONS.check : ""}</span>
      <bdi>${isNew ? t("tags.new", { tag }) : tag}</bdi>
      ${share === "some" ? html`<span class="tag-some">${t("tags.some")}</span>` : ""}</div>`;
  }

  #note(choices) {
    const { language: { t } } = this.ui;
    if (this.#failed) return html`<p class="tag-note" role="status">${t("error.network")}</p>`;
    if (choices.length) return "";
    return html`<p class="tag-note" role="status">${t(this.#query ? "tags.wrong" : "tags.none")}</p>`;
  }

  #applyButton() {
    const { language: { t } } = this.ui;
    const { add, remove } = this.#changes;
    return html`<button type="button" class="button button-accent tag-apply"
      ?disabled=${!add.length && !remove.length} @click=${() => this.#apply()}
      >${t("tags.apply")}<kbd>Ctrl Enter</kbd></button>`;
  }

  #find(query) {
    this.#query = query;
    this.#active = 0;
    this.#paint();
  }

  #walk(step) {
    const { length } = this.#choices();
    if (!length) return;
    this.#active = (this.#active + step + length) % length;
    this.#paint();
    this.element.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }

  // Adds the tags in use below those of the threads; shown tags keep their places.
  async #load() {
    const { api } = this.net;
    try {
      const { suggestions } = await api.complete("tag:", "tag:".length);
      const inUse = suggestions.filter(({ kind, text }) => kind === "value" && text !== UNTAGGED)
        .map(({ text }) => plainValue(text)).filter((tag) => !this.#tags.includes(tag));
      this.#tags = [...this.#tags, ...ordered([], inUse)];
      this.#failed = false;
    } catch {
      this.#failed = true;
    }
    if (!this.shown) return;
    this.#paint();
    this.#popover.place();
  }

  #switch(tag) {
    const share = shareOf(this.#tagsOfThreads(), tag);
    if (!this.#tags.includes(tag)) this.#tags = [...this.#tags, tag];
    this.#query = "";
    this.element.querySelector("input").value = "";
    this.#active = this.#choices().findIndex((choice) => choice.tag === tag);
    if (this.#isBulk) this.#changes = switched(this.#changes, tag, share);
    else void this.#tagThread(share === "all" ? { add: [], remove: [tag] } : { add: [tag], remove: [] });
    this.#paint();
    this.element.querySelector("input").focus();
  }

  // Tags the thread for which the picker was opened, even if another one is open by now.
  async #tagThread(changes) {
    const { acting } = this.acts;
    await (await acting.get())?.actions.tag(this.#ids[0], changes);
    this.paint();
  }

  async #apply() {
    const changes = this.#changes;
    this.element.hidePopover();
    (await this.ui.bulk.get())?.run("tag", changes, this.#ids);
  }

  #entered({ ctrlKey, metaKey }) {
    const chosen = this.#choices()[this.#active];
    if (ctrlKey || metaKey) return void (this.#isBulk && this.#apply());
    if (chosen) this.#switch(chosen.tag);
    return undefined;
  }
}

// Tags of threads: allowed tags, how many of some threads have one, and the tags to offer.
const ALLOWED = /^[\p{L}\p{M}\p{N}-]+$/u;

// Returns the tag for a text, in one width, with hyphens in place of blanks; "" if it cannot be a tag.
/** @param {string} text @param {number} charactersMax */
export function tagOf(text, charactersMax) {
  const tag = [...text].map((one) => (ALLOWED.test(plain(one)) ? plain(one) : one)).join("")
    .normalize("NFC").trim().toLowerCase().replace(/[\s_]+/gu, "-");
  const isOne = ALLOWED.test(tag) && !FIELDS.tag.words.includes(tag);
  return isOne && [...tag].length <= charactersMax ? tag : "";
}

// Returns how many of the threads have a tag: "all", "some" or "none".
/** @param {string[][]} tagsOfThreads @param {string} tag @returns {TagShare} */
export function shareOf(tagsOfThreads, tag) {
  const count = tagsOfThreads.filter((tags) => tags.includes(tag)).length;
  if (!count) return "none";
  return count === tagsOfThreads.length ? "all" : "some";
}

// Returns the tags of the threads, then the others in use; each group by name.
/** @param {string[][]} tagsOfThreads @param {string[]} inUse @returns {string[]} */
export function ordered(tagsOfThreads, inUse) {
  const own = new Set(tagsOfThreads.flat());
  const others = new Set(inUse.filter((tag) => !own.has(tag)));
  const byName = (one, other) => one.localeCompare(other);
  return [...[...own].sort(byName), ...[...others].sort(byName)];
}

// Returns the tags that match the typed text and, if it would be another tag, that one as a new one.
/** @param {string[]} tags @param {string} query @param {number} charactersMax */
export function offered(tags, query, charactersMax) {
  const found = matching(tags.map((tag) => ({ text: tag })), query)
    .map(({ text }) => ({ tag: text, isNew: false }));
  const typed = tagOf(query, charactersMax);
  return typed && !tags.includes(typed) ? [...found, { tag: typed, isNew: true }] : found;
}

// Returns the tags to add and to remove after a tag was switched: on for all threads, or off if all have
// it.
/** @param {TagChanges} changes @param {string} tag @param {TagShare} share @returns {TagChanges} */
export function switched({ add, remove }, tag, share) {
  const isOn = add.includes(tag) || (share === "all" && !remove.includes(tag));
  const without = (tags) => tags.filter((one) => one !== tag);
  return {
    add: isOn || share === "all" ? without(add) : [...add, tag],
    remove: isOn && share !== "none" ? [...without(remove), tag] : without(remove),
  };
}
