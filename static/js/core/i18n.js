// Texts in the chosen language: plural forms by Intl, names in braces.

export const LOCALES = ["en", "vi", "ja"];

// The name of a language in a language, or its code where it has none.
export function languageName(code, locale = code) {
  try {
    return new Intl.DisplayNames(locale, { type: "language" }).of(code);
  } catch {
    return code;
  }
}

export function translator(locale, texts) {
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(locale);

  // An entry is a text, or an object of plural forms that `count` chooses from.
  function t(key, values = {}) {
    const entry = texts[key];
    if (entry === undefined) return key;
    const text = typeof entry === "string" ? entry
      : entry[plural.select(values.count)] ?? entry.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? number.format(value) : value ?? "";
    });
  }
  // A name that came from the server: its text where there is one, else itself.
  const named = (kind, name, values) => (texts[`${kind}.${name}`] ? t(`${kind}.${name}`, values)
    : name);
  return Object.assign(t, { locale, named, number: (value) => number.format(value) });
}
