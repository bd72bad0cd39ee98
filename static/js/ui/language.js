// The texts of the page: fetched once a language, switched without loading anew.

import { delayMs } from "../core/backoff.js";
import { LOCALES, translator } from "../core/i18n.js";
import { timeWords } from "../core/time.js";

const FOLDER = new URL("../../i18n/", import.meta.url);

export class Language {
  locale = "en";
  t = translator("en", {});
  words = timeWords("en");

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
    const answer = await fetch(new URL(`${known}.json`, FOLDER));
    if (!answer.ok) throw new Error(`no texts for ${known}`);
    this.locale = known;
    this.t = translator(known, await answer.json());
    this.words = timeWords(known);
    document.documentElement.lang = known;
  }
}
