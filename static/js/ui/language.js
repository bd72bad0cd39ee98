// The texts of the page: fetched once a language, switched without loading anew.

import { delayMs } from "../core/backoff.js";
import { LOCALES, translator } from "../core/i18n.js";
import { timeWords } from "../core/time.js";

const FOLDER = new URL("../../i18n/", import.meta.url);

export class Language {
  locale = "en";
  t = translator("en", {});
  words = timeWords("en");

  // more: folders of texts beside those of every page.
  constructor(...more) {
    this.folders = ["", ...more];
  }

  // At the start there is nothing to show without texts: tried until they come.
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

  async choose(locale) {
    const known = LOCALES.includes(locale) ? locale : "en";
    const texts = await Promise.all(this.folders.map((folder) => load(`${folder}${known}.json`)));
    this.locale = known;
    this.t = translator(known, Object.assign({}, ...texts));
    this.words = timeWords(known);
    document.documentElement.lang = known;
  }
}

async function load(name) {
  const answer = await fetch(new URL(name, FOLDER));
  if (!answer.ok) throw new Error(`no texts: ${name}`);
  return answer.json();
}
