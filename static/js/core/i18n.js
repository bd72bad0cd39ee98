// Texts in one language, with plural forms by Intl and placeholders in braces.

import { shown } from "./names.js";

export const LOCALES = ["en", "vi", "ja"];

// Returns the name of a language in another one, or its code if there is no name.
export function languageName(code, locale = code) {
  try {
    return new Intl.DisplayNames(locale, { type: "language" }).of(code);
  } catch {
    return code;
  }
}

const NO_LANGUAGE = { code: "", name: "", tag: "" };
const languages = new Map(); // "TAG in LOCALE" → result of languageOf, which rows need often

// Returns the language of a tag such as `vi-vn`: {code: "VI", name: "Vietnamese", tag: "vi-VN"}: a label,
// and the `lang` of its texts. All are empty for the page's own language, or without a tag.
/** @param {string | null | undefined} tag @param {string} locale */
export function languageOf(tag, locale) {
  if (!tag) return NO_LANGUAGE;
  const key = `${tag} in ${locale}`;
  if (!languages.has(key)) languages.set(key, labelOf(tag, locale));
  return languages.get(key);
}

function labelOf(tag, locale) {
  try {
    const found = new Intl.Locale(tag);
    const { language } = found;
    if (language === "und" || language === new Intl.Locale(locale).language) return NO_LANGUAGE;
    return { code: language.toUpperCase(), name: languageName(language, locale), tag: String(found) };
  } catch {
    return NO_LANGUAGE;
  }
}

// Returns the regional form of the language, such as "en-GB", that the browser names, for dates and
// numbers.
/** @param {string} locale */
export const regional = (locale, tags = globalThis.navigator?.languages ?? []) => (
  tags.find((tag) => tag.toLowerCase().startsWith(`${locale}-`)) ?? locale
);

// given: maps keys to names given by people, such as the title of a saved sort; they are shown
// unchanged.
/** @param {string} locale @param {Map<string, string>} given */
export function translator(locale, texts, region = locale, given = new Map()) {
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(region);
  const compacts = {};
  const compact = (digits) => {
    compacts[digits] ??= new Intl.NumberFormat(region, { notation: "compact", maximumFractionDigits: digits });
    return compacts[digits];
  };

  // An entry is a text, or an object of plural forms that `count` chooses from.
  function t(key, values = {}) {
    const entry = texts[key];
    if (entry === undefined) return given.has(key) ? shown(given.get(key)) : key;
    const text = typeof entry === "string" ? entry
      : entry[plural.select(values.count)] ?? entry.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? number.format(value) : shown(String(value ?? ""));
    });
  }
  // Returns the text for a name from the server, or the name if there is no text.
  const named = (kind, name, values) => {
    const text = t(`${kind}.${name}`, values);
    return text === `${kind}.${name}` ? name : text;
  };
  return Object.assign(t, {
    locale, named, number: (value) => number.format(value),
    // For places with room for only a few digits.
    compact: (value, digits = 0) => (value < 1000 ? number : compact(digits)).format(value),
  });
}
