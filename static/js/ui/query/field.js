// A field for queries: suggestions are shown below it (the combobox pattern of ARIA APG, a list with manual
// selection), and mistakes are underlined.

import { html } from "lit-html";

import { languageName } from "../../core/i18n.js";
import { Completion, fieldAt } from "../../core/query/completion.js";
import { FIELDS } from "../../core/query/fields.js";
import { aroundMistake, aroundWord, LENGTH_MAX, plainValue } from "../../core/query/text.js";

const GAP_PX = 4;
// More than a query may have, so that a text that is too long is told and not cut off.
const TYPED_MAX = 4000;
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class QueryField {
  text = "";
  /** @type {QueryMistake | null} */
  mistake = null;

  // id: of the input; typed(text) and entered() are called for what the admin does; begins: whether an empty
  // field that gets the focus suggests how to begin.
  /** @param {QueryFieldOptions} options */
  constructor({ id, api, language, changed, typed, entered = () => {}, completion = null, begins = false }) {
    this.id = id;
    this.language = language;
    this.typed = typed;
    this.entered = entered;
    this.begins = begins;
    this.completion = completion ?? new Completion({
      ask: (text, at) => api.complete(text, at), changed,
    });
  }

  /** @returns {HTMLInputElement | null} */
  get #input() { return /** @type {any} */ (document.getElementById(this.id)); }
  get #list() { return document.getElementById(`${this.id}-list`); }

  // controls and active name a list of results and the active one; key(event) takes keys while there are no
  // suggestions.
  /** @param {QueryFieldLook} look */
  content({
    label, placeholder = "", className = "", describedBy = "", controls = "", active = "", key = () => {},
  }) {
    const { completion, mistake, id } = this;
    const open = completion.shown;
    const at = completion.active < 0 ? "" : `${id}-${completion.active}`;
    return html`<div class="query-box ${className}">
      <div class="query-mirror" aria-hidden="true">${mistake ? this.#marked(mistake) : ""}</div>
      <input class="query-field" id=${id} type="search" role="combobox" dir="auto"
        aria-label=${label} aria-autocomplete="list" aria-expanded=${String(open || active !== "")}
        aria-controls=${open || !controls ? `${id}-list` : controls}
        aria-activedescendant=${open ? at : active}
        aria-invalid=${String(mistake !== null)} aria-describedby=${describedBy}
        autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" maxlength=${TYPED_MAX}
        placeholder=${placeholder} .value=${this.text}
        @input=${(event) => this.#typed(event.target)} @keydown=${(event) => this.#key(event, key)}
        @focus=${() => this.#begin()} @click=${() => this.#begin() || completion.close()} @blur=${() => completion.close()}
        @scroll=${() => this.#follow()}>
      <div class="menu query-list" id="${id}-list" popover="manual" role="listbox"
        aria-label=${this.language.t("query.suggestions")} @pointerdown=${(event) => event.preventDefault()}
        >${completion.suggestions.map((one, index) => this.#option(one, index))}</div></div>`;
  }

  // Shows or hides the list; call it after the result of content() was rendered.
  after() {
    const list = this.#list;
    const input = this.#input;
    if (!list || !input) return;
    const shown = this.completion.shown && document.activeElement === input;
    list.togglePopover(shown);
    if (shown) place(list, input.getBoundingClientRect());
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    this.#follow();
  }

  focus() {
    this.#input?.focus();
    this.#input?.select();
  }

  // Takes a text that was changed elsewhere.
  /** @param {string} text */
  set(text) {
    this.text = text;
    this.completion.close();
    this.#hide();
  }

  // Hides the list before the next painting, so that the next Esc is not meant for it.
  #hide() { this.#list?.togglePopover(false); }

  #marked(mistake) {
    const [before, wrong, behind] = aroundMistake(this.text, mistake);
    return html`${before}<u class="query-wrong">${wrong || "\u00a0"}</u>${behind}`;
  }

  #option(one, index) {
    const active = index === this.completion.active;
    return html`<div class="menu-item query-option" role="option" id="${this.id}-${index}"
      aria-selected=${String(active)} @click=${() => this.#take(index)}
      ><bdi translate="no" class="query-option-text">${one.text}</bdi><span class="query-option-about"
      >${aboutSuggestion(one, this.text, this.language)}</span></div>`;
  }

  // Returns whether it suggests something to begin with.
  #begin() {
    const begins = this.begins && !this.text;
    if (begins && !this.completion.shown) this.completion.look("", 0, { all: true });
    return begins;
  }

  #typed(input) {
    this.text = input.value;
    this.completion.look(this.text, input.selectionStart);
    if (!this.completion.shown) this.#hide();
    this.typed(this.text);
  }

  #take(index) {
    const { text, at } = this.completion.taken(this.text, index);
    this.text = text;
    const input = this.#input;
    input.value = text;
    input.setSelectionRange(at, at);
    // After the name of a field, its values are suggested.
    if (/[:<>=]$/.test(text.slice(0, at))) this.completion.look(text, at);
    else this.completion.close();
    this.typed(text);
  }

  // otherwise: takes the keys that have no meaning here, such as arrows when there are results.
  #key(event, otherwise) {
    if (event.isComposing || event.keyCode === 229) return;
    const { completion } = this;
    const { key, altKey } = event;
    if (!completion.shown && !altKey) otherwise(event);
    if (event.defaultPrevented) return;
    if (STEPS[key]) this.#step(event);
    else if (key === "Escape" && completion.shown) completion.close();
    else if (key === "Enter" && completion.isAwaited && completion.ahead) completion.afterAnswer(() => this.#chosen());
    else if (key === "Enter") this.#chosen();
    else if (key === "Tab" && !event.shiftKey && this.#indexFor(key) >= 0) this.#take(this.#indexFor(key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step({ key, target }) {
    if (this.completion.shown || this.completion.isAwaited) this.completion.step(STEPS[key]);
    else this.completion.look(this.text, target.selectionStart, { all: true });
  }

  #chosen() {
    const index = this.#indexFor("Enter");
    if (index >= 0) return this.#take(index);
    this.completion.close();
    return this.entered();
  }

  // Returns the index of the suggestion that the key takes, or -1: the active one, or the only one. Enter takes
  // no field by itself, for the text may be a word to search for, and no language: `lang:vi` holds for vi-VN, too.
  #indexFor(key) {
    const { active, shown, suggestions } = this.completion;
    if (active >= 0 || !shown) return active;
    const [{ kind, from }] = suggestions;
    const isWhole = kind === "value" && FIELDS[fieldAt(this.text, from)]?.kind !== "language";
    return suggestions.length === 1 && (key === "Tab" || isWhole) ? 0 : -1;
  }

  // Scrolls the underlining together with the text.
  #follow() {
    const input = this.#input;
    if (!input) return;
    /** @type {HTMLElement} */ (input.previousElementSibling).scrollLeft = input.scrollLeft;
  }
}

// Places the list below the field and inside the window.
/** @param {HTMLElement} list */
function place(list, { left, bottom, width }) {
  list.style.minWidth = `${Math.min(width, innerWidth - 16)}px`;
  list.style.maxHeight = `${Math.max(96, innerHeight - bottom - GAP_PX - 8)}px`;
  list.style.left = `${Math.max(8, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${bottom + GAP_PX}px`;
}

// The text about a mistake in a query: what is wrong, and what would be right.
/** @param {QueryMistake} mistake @param {string} text @param {Translate} t */
export function saidOf(mistake, text, t) {
  const { at, end, expected, isLong } = mistake;
  if (isLong) return html`<span class="query-said">${t("query.long", { count: LENGTH_MAX })}</span>`;
  const wrong = at < end ? aroundWord(text, mistake) : "";
  const said = wrong ? t("query.wrong", { text: wrong }) : t("query.unfinished");
  return html`<span class="query-said">${said}</span> ${expected.length
    ? html`<span class="query-expected">${t("query.expected")} ${expectedTexts(expected, t)
      .map(({ text: one, isCode }, index) => html`${index ? ", " : ""}${isCode
        ? html`<code>${one}</code>` : one}`)}</span>` : wrong ? t("query.end") : ""}`;
}

// The meaning of the parts of queries, in the admin's language.
const UNITS = { s: "second", m: "minute", h: "hour", d: "day" };
const TIME = /^([<>]=?)(\d+)([smhd])$/i;
const COMPARED = { ">": "more", ">=": "least", "<": "less", "<=": "most" };
// Descriptions by the server of what may stand at a place (scoring/conditions/language/values.py).
const DESCRIBED = {
  "a time such as 10m": "time", "a day such as 2026-11-20": "day", "an e-mail address": "address",
  "a name": "name", "some text": "text", "a language such as vi": "language", "a blank": "blank",
};
const EXPECTED_MAX = 8;

/** @param {string} time as ">10m" @param {Ui["language"]} language */
function timeText(time, { t, region }) {
  const [, operator, number, unit] = TIME.exec(time) ?? [];
  if (!operator) return time;
  const words = new Intl.NumberFormat(region, {
    style: "unit", unit: UNITS[unit.toLowerCase()], unitDisplay: "long",
  }).format(Number(number));
  // Intl adds a blank that Japanese does not have.
  return t(`query.${COMPARED[operator]}`, { time: t.locale === "ja" ? words.replace(/\s/g, "") : words });
}

// The sort by member status begins with 0.
const HIGHEST = "0";
const LOWEST = "5";

function memberWord(word, t) {
  if (word === "none") return t("member.none");
  const end = { [HIGHEST]: "query.member.highest", [LOWEST]: "query.member.lowest" }[word];
  return t(end ?? "member.tier", { tier: word });
}

// Returns a value of a field in words, or the value itself.
/** @param {string} field @param {string} value @param {Ui["language"]} language */
export function valueText(field, value, language) {
  const { t, locale } = language;
  const kind = FIELDS[field]?.kind;
  const word = value.toLowerCase();
  if (kind === "duration") return timeText(value, language);
  if (field === "member") return memberWord(word, t);
  if (field === "priority") return t.named("priority", word);
  if (FIELDS[field]?.words.includes(word)) return t(`query.${field}.${word}`);
  return kind === "language" ? languageName(value, locale) : value;
}

// Returns the meaning of a suggestion; empty if its text says it.
/** @param {Suggestion} suggestion @param {string} text @param {Ui["language"]} language */
function aboutSuggestion({ text: given, from, kind }, text, language) {
  const { t } = language;
  if (kind === "field") return t(`query.field.${given.slice(0, -1)}`);
  const field = fieldAt(text, from);
  if (kind === "operator" && !field) return t(`query.${{ or: "or", "-": "not", "(": "open", ")": "close" }[given]}`);
  if (kind === "operator") return t(`query.${FIELDS[field].kind}.${COMPARED[given]}`);
  const value = plainValue(given);
  const said = field ? valueText(field, value, language) : "";
  return said === value ? "" : said;
}

// Returns what would be right at a mistake: names and values as they are written, the rest in words.
/** @param {string[]} expected @param {Translate} t @returns {{text: string, isCode: boolean}[]} */
function expectedTexts(expected, t) {
  const shown = expected.slice(0, EXPECTED_MAX).map((one) => (DESCRIBED[one]
    ? { text: t(`query.say.${DESCRIBED[one]}`), isCode: false } : { text: one, isCode: true }));
  return expected.length > EXPECTED_MAX ? [...shown, { text: "…", isCode: false }] : shown;
}
