// The texts of the page in one language; switching fetches the other file, without a reload.

import { delayMs } from "../../core/backoff.js";
import { LOCALES, regional, translator } from "../../core/i18n.js";
import { timeWords } from "../../core/time.js";

export class Language {
  locale = "en";
  region = "en"; // of dates and numbers, as "en-GB"
  t = translator("en", {});
  words = timeWords("en");
  /** @type {Map<string, string>} keys to names that people wrote, which no file has */
  given = new Map();
  /** @type {Set<string>} */
  #further = new Set();
  #adding = Promise.resolve();

  // urls: of the files of texts, by language; later: those of parts that are loaded when they are
  // asked for, by part.
  /** @param {Record<string, string[]>} urls @param {Record<string, Record<string, string[]>>} later */
  constructor(urls, later = {}) {
    this.urls = urls;
    this.later = later;
  }

  // Adds the texts of a part; of several one after the other, so that none is lost.
  /** @param {string} part @returns {Promise<void>} */
  add(part) {
    const add = () => this.#add(part);
    this.#adding = this.#adding.then(add, add);
    return this.#adding;
  }

  async #add(part) {
    if (this.#further.has(part)) return;
    this.#further.add(part);
    try {
      await this.choose(this.locale);
    } catch (error) {
      this.#further.delete(part);
      throw error;
    }
  }

  // The page shows nothing without texts: tries until they are loaded.
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

  /** @param {string} locale */
  async choose(locale) {
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
