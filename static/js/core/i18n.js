// Texts in one language: plural forms by Intl, placeholders in braces.

import { shown } from "./names.js";

export const LOCALES = ["en", "vi", "ja"];

// The name of a language in a language, or its code where it has none.
export function languageName(code, locale = code) {
  try {
    return new Intl.DisplayNames(locale, { type: "language" }).of(code);
  } catch {
    return code;
  }
}

const NO_LANGUAGE = { code: "", name: "", tag: "" };
const languages = new Map(); // "TAG in LOCALE" → what languageOf returns: rows ask for it often

// The language of a tag such as `vi-vn`: {code: "VI", name: "Vietnamese", tag: "vi-VN"}, a label and what
// `lang` says of texts; empty where it is the page's own, or none.
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

// How the browser's user writes this language: as "en-GB", where their browser says so. Dates and
// numbers go by it.
/** @param {string} locale */
export const regional = (locale, tags = globalThis.navigator?.languages ?? []) => (
  tags.find((tag) => tag.toLowerCase().startsWith(`${locale}-`)) ?? locale
);

// given: keys to names that people wrote, such as the title of a sort that was saved; they are shown
// as they are.
/** @param {string} locale @param {Map<string, string>} given */
export function translator(locale, texts, region = locale, given = new Map()) {
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(region);
  const compact = new Intl.NumberFormat(region, { notation: "compact", maximumFractionDigits: 0 });

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
  // The text for a name that came from the server, or the name if there is no text for it.
  const named = (kind, name, values) => {
    const text = t(`${kind}.${name}`, values);
    return text === `${kind}.${name}` ? name : text;
  };
  return Object.assign(t, {
    locale, named, number: (value) => number.format(value),
    // For where there is room for a few digits alone.
    compact: (value) => (value < 1000 ? number : compact).format(value),
  });
}
