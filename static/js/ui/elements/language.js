// The texts of the page in one language; another language is loaded without reloading the page.

import { LOCALES, regional, translator } from "../../core/i18n.js";
import { delayMs, timeWords } from "../../core/time.js";

export class Language {
  locale = "en";
  region = "en"; // of dates and numbers, as "en-GB"
  t = translator("en", {});
  words = timeWords("en");
  /** @type {Map<string, string>} keys to names that people wrote, which no file has */
  given = new Map();
  /** @type {Set<string>} */
  #further = new Set();
  #loading = Promise.resolve();

  // urls: of the files of texts, by language; later: by part, the same for parts that are loaded when they
  // are needed.
  /** @param {Record<string, string[]>} urls @param {Record<string, Record<string, string[]>>} later */
  constructor(urls, later = {}) {
    this.urls = urls;
    this.later = later;
  }

  // Adds the texts of a part.
  /** @param {string} part @returns {Promise<void>} */
  add(part) { return this.#inTurn(() => this.#add(part)); }

  // Shows another language.
  /** @param {string} locale @returns {Promise<void>} */
  choose(locale) { return this.#inTurn(() => this.#choose(locale)); }

  // Parts and languages are loaded one after the other, so that none is lost.
  #inTurn(run) {
    this.#loading = this.#loading.then(run, run);
    return this.#loading;
  }

  async #add(part) {
    if (this.#further.has(part)) return;
    this.#further.add(part);
    try {
      await this.#choose(this.locale);
    } catch (error) {
      this.#further.delete(part);
      throw error;
    }
  }

  // The page shows nothing without texts, so this tries until they are loaded.
  /** @param {string} locale */
  async begin(locale) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.choose(locale);
        return;
      } catch {
        await new Promise((resolve) => { setTimeout(resolve, delayMs(attempt)); });
      }
    }
  }

  async #choose(locale) {
    const known = LOCALES.includes(locale) ? locale : "en";
    const urls = [this.urls, ...[...this.#further].map((part) => this.later[part])];
    const texts = await Promise.all(urls.flatMap((of) => of[known]).map(load));
    this.locale = known;
    this.region = regional(known);
    this.t = translator(known, Object.assign({}, ...texts), this.region, this.given);
    this.words = timeWords(this.region);
    document.documentElement.lang = known;
  }
}

async function load(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`no texts: ${url}`);
  return answer.json();
}

// The reason of a refusal, in the admin's language if there is a text for it.

// problem: from the answer, or null without an answer.
/** @param {Translate} t */
export function refusal(problem, t) {
  if (!problem) return t("error.network");
  const { code, detail, assignee, by, errors } = problem;
  const field = errors?.[0]?.pointer?.match(/^\/(\w+)$/)?.[1];
  const unnamed = by === null ? t("did.bot") : t("author.team");
  const name = (assignee ?? by)?.name ?? unnamed;
  // At some fields the same code has a more special text.
  const key = [`${code}.${field}`, code].find((one) => t.named("error", one) !== one);
  const said = key && t.named("error", key, { name });
  if (!said) return t.locale === "en" && detail ? detail : t("error.other");
  const named = field ? t.named("refused", field) : field;
  return named === field ? said : t("refused.at", { field: named, text: said });
}

/** @param {Translate} t */
export const refusalOf = (error, t) => refusal(
  error.status === 0 ? null : error.body ?? { detail: error.detail }, t,
);

// Keeps the page right while the browser translates it. A translation replaces texts by <font> elements, and
// the page would go on writing into the removed texts. Here each removed text is put back, empty, before
// its element; when the page writes into it, the new text replaces the element.
/** @type {WeakMap<Node, {text: Text, said: string}>} element of the translation to what it stands for */
const standing = new WeakMap();
/** @type {WeakMap<Node, Element>} the other way round */
const elements = new WeakMap();

const isText = (node) => node?.nodeType === Node.TEXT_NODE;
const isFont = (node) => node?.nodeName === "FONT";

export function followTranslation(root = document.body) {
  const observer = new MutationObserver((records) => {
    const added = new Set(records.flatMap((record) => [...record.addedNodes].filter(isFont)));
    // Handles new content of removed texts first, and texts that were removed now second.
    for (const { type, target } of records) if (type === "characterData") written(target);
    for (const record of records) {
      for (const node of record.removedNodes) removed(node, record, added);
    }
    observer.takeRecords(); // records of the changes made here
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
}

function removed(node, { addedNodes, previousSibling, nextSibling, target }, added) {
  if (isFont(node)) return restored(node, [...addedNodes].find(isText));
  if (!isText(node)) return undefined;
  const element = [...addedNodes, previousSibling, nextSibling].find((other) => (
    added.has(other) && other.parentNode === target && !standing.has(other)));
  if (!element || (node.isConnected && !element.contains(node))) return undefined;
  if (element.contains(node)) node.replaceWith(node.cloneNode());
  standing.set(element, { text: node, said: node.data });
  elements.set(node, element);
  node.data = "";
  element.before(node);
  return undefined;
}

// A text that a translation stands for has new content.
function written(text) {
  const element = elements.get(text);
  if (!element) return;
  forget(element);
  element.remove();
}

// The translation of a text was removed.
function restored(element, text) {
  const stood = standing.get(element);
  if (!stood?.text.isConnected) return;
  forget(element);
  if (text && text !== stood.text) text.remove();
  stood.text.data ||= stood.said;
}

function forget(element) {
  elements.delete(standing.get(element).text);
  standing.delete(element);
}
