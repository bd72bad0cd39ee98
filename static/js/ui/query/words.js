// What the parts of queries mean, in the admin's language.

import { languageName } from "../../core/i18n.js";
import { FIELDS } from "../../core/query/fields.js";
import { fieldAt } from "../../core/query/suggest.js";
import { plainValue } from "../../core/query/text.js";

const UNITS = { s: "second", m: "minute", h: "hour", d: "day" };
const TIME = /^([<>]=?)(\d+)([smhd])$/i;
const COMPARED = { ">": "more", ">=": "least", "<": "less", "<=": "most" };
// What the server says about a place, by its name (scoring/conditions/language/values.py).
const DESCRIBED = {
  "a time such as 10m": "time", "a day such as 2026-11-20": "day", "an e-mail address": "address",
  "a name": "name", "some text": "text", "a language such as vi": "language", "a blank": "blank",
};
const EXPECTED_MAX = 8;

/** @param {string} time as ">10m" @param {Parts["language"]} language */
function timeText(time, { t, region }) {
  const [, operator, number, unit] = TIME.exec(time) ?? [];
  if (!operator) return time;
  const words = new Intl.NumberFormat(region, {
    style: "unit", unit: UNITS[unit.toLowerCase()], unitDisplay: "long",
  }).format(Number(number));
  // Intl writes a blank that Japanese has not.
  return t(`query.${COMPARED[operator]}`, { time: t.locale === "ja" ? words.replace(/\s/g, "") : words });
}

// A value of a field in words; the value itself where there are none.
/** @param {string} field @param {string} value @param {Parts["language"]} language */
export function valueText(field, value, language) {
  const { t, locale } = language;
  const kind = FIELDS[field]?.kind;
  const word = value.toLowerCase();
  if (kind === "duration") return timeText(value, language);
  if (field === "member") return word === "none" ? t("member.none") : t("member.tier", { tier: word });
  if (field === "priority") return t.named("priority", word);
  if (FIELDS[field]?.words.includes(word)) return t(`query.${field}.${word}`);
  return kind === "language" ? languageName(value, locale) : value;
}

// What a suggestion means; empty where it says it itself.
/** @param {Suggestion} suggestion @param {string} text @param {Parts["language"]} language */
export function aboutSuggestion({ text: given, from, kind }, text, language) {
  const { t } = language;
  if (kind === "field") return t(`query.field.${given.slice(0, -1)}`);
  const field = fieldAt(text, from);
  if (kind === "operator" && !field) return t(`query.${{ or: "or", "-": "not", "(": "open", ")": "close" }[given]}`);
  if (kind === "operator") return t(`query.${FIELDS[field].kind}.${COMPARED[given]}`);
  const value = plainValue(given);
  const said = field ? valueText(field, value, language) : "";
  return said === value ? "" : said;
}

// What would be right at a mistake: names and values as they are written, the rest in words.
/** @param {string[]} expected @param {Translate} t @returns {{text: string, isCode: boolean}[]} */
export function expectedTexts(expected, t) {
  const shown = expected.slice(0, EXPECTED_MAX).map((one) => (DESCRIBED[one]
    ? { text: t(`query.say.${DESCRIBED[one]}`), isCode: false } : { text: one, isCode: true }));
  return expected.length > EXPECTED_MAX ? [...shown, { text: "…", isCode: false }] : shown;
}
