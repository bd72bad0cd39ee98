import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { languageOf, LOCALES, translator } from "../../static/js/core/i18n.js";
import { Keymap } from "../../static/js/core/keymap.js";
import { PLACES } from "../../static/js/core/places.js";
import { DENSITIES, FOLLOW, SEND_KEYS } from "../../static/js/core/prefs.js";
import { CHOICES } from "./support.mjs";

const root = new URL("../../static/", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const textsIn = (folder) => Object.fromEntries(LOCALES.map((locale) => [
  locale, JSON.parse(read(`i18n/${folder}${locale}.json`)),
]));
// Texts that are loaded with a part of the page when it is asked for.
const SETTINGS = readdirSync(new URL("i18n/settings/", root), { withFileTypes: true })
  .filter((each) => each.isDirectory()).map(({ name }) => `settings/${name}/`);
const LATER = ["advice/", "query/", "views/", "hours/", "queues/", "past/", "reports/", "settings/", ...SETTINGS].map(textsIn);
const first = textsIn("");
const texts = Object.fromEntries(LOCALES.map((locale) => [
  locale, Object.assign({}, first[locale], ...LATER.map((part) => part[locale])),
]));
const loginTexts = textsIn("login/");
const source = readdirSync(new URL("js/", root), { recursive: true })
  .filter((name) => name.includes("/") && name.endsWith(".js"))
  .map((name) => read(`js/${name}`)).join("\n");

test("the name of a queue stands in quotes in each sentence", () => {
  for (const locale of LOCALES) {
    for (const [key, entry] of Object.entries(texts[locale])) {
      assert.doesNotMatch(JSON.stringify(entry), /(?<![“「])\{queue\}|\{queue\}(?![”」])/, `${locale} ${key}`);
    }
  }
});

test("every language has the same texts, with the same names in braces", () => {
  const namesIn = (entry) => [...JSON.stringify(entry).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  for (const some of [first, ...LATER, loginTexts]) {
    for (const locale of LOCALES) {
      assert.deepEqual(Object.keys(some[locale]), Object.keys(some.en), locale);
      for (const [key, entry] of Object.entries(some[locale])) {
        assert.deepEqual(new Set(namesIn(entry)), new Set(namesIn(some.en[key])), `${locale} ${key}`);
      }
    }
  }
});

test("every plural has the forms that its language asks for", () => {
  for (const locale of LOCALES) {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    for (const [key, entry] of Object.entries(texts[locale])) {
      if (typeof entry === "object") {
        assert.deepEqual(Object.keys(entry).sort(), [...forms].sort(), `${locale} ${key}`);
      }
    }
  }
});

// Keys that the pages of settings put together.
const MADE = {
  webhooks: () => {
    const poster = read("../dashboard/webhooks/http_client.py");
    const failures = [...poster.matchAll(/return "([a-z_]+)"|Answer\(None, "([a-z_]+)"/g)]
      .map(([, one, other]) => `webhooks.error.${one ?? other}`);
    assert.ok(failures.length > 5);
    const columns = ["when", "event", "answer", "took"].map((name) => `webhooks.log.${name}`);
    return [...failures, ...columns, "webhooks.why.gone"];
  },
  ordered: () => ["policies", "queues"].flatMap((kind) => [
    "empty", "order", "order.undo", "order.save", "order.saved", "order.other", "up", "down", "drag", "open",
    "delete", "moved",
  ].map((name) => `${kind}.${name}`)),
  keys: () => ["events", "presence", "read", "reports"].map((scope) => `keys.scope.${scope}`),
  team: () => ["admin", "supervisor"].map((role) => `team.as.${role}`),
  profile: () => ["admin", "supervisor"].map((role) => `profile.role.${role}`),
  audit: () => {
    const declared = read("../dashboard/db/audit.py");
    const acts = [...declared.matchAll(/_action\(\s*"([a-z_.]+)",\s*"([a-z_]+)"([^)]*)\)/g)];
    assert.ok(acts.length > 40 && acts.length === declared.match(/= _action\(/g).length);
    const kinds = acts.flatMap(([, name, target]) => [name.split(".")[0], target]);
    const named = [...declared.matchAll(/^_(?:POLICY|QUEUE) = \((.*)\)$/gm)].map(([, names]) => names);
    const fields = [...acts.map(([, , , names]) => names), ...named]
      .flatMap((names) => [...names.matchAll(/"([a-z_]+)"/g)].map(([, field]) => field));
    const reasons = ["wrong_password", "wrong_code", "unknown_account", "disabled", "rate_limited", "others"];
    const ofProviders = [
      "provider_refused", "provider_answer_invalid", "signin_not_begun", "no_access", "email_unverified",
      "account_conflict", "account_disabled", "signed_out_meanwhile",
    ];
    const ways = ["password", "oidc", "invitation", "totp", "recovery_code"];
    const values = ["admin", "supervisor", "all", "push", "pull", "waiting", "open", ...ways, ...reasons, ...ofProviders];
    return [
      ...acts.map(([, name]) => `audit.action.${name}`), ...kinds.map((kind) => `audit.kind.${kind}`),
      ...fields.map((field) => `audit.field.${field}`), ...values.map((value) => `audit.value.${value}`),
      ...["changed", "none", "yes", "no"].map((name) => `audit.${name}`),
    ];
  },
};

test("every text that the page asks for exists, and every text is asked for", () => {
  const asked = new Set([...source.matchAll(/"([a-z_]+(?:[.-][a-z_-]+)*)"/g)].map(([, key]) => key));
  const families = [...source.matchAll(/`([a-z_]+(?:\.[a-z_]+)*\.)\$\{/g)].map(([, family]) => family);
  const made = [
    ...PLACES.map((name) => `view.${name}`), ...CHOICES.sorts.map((name) => `sort.${name}`),
    ...new Keymap(CHOICES).helpOf().map(([, verb]) => verb).filter((verb) => !/^(view|sort):/.test(verb))
      .map((verb) => `key.${verb}`),
    ...["live", "held", "paused", "waiting"].flatMap((name) => [`live.${name}`, `live.${name}.title`]),
    ...["sending", "failed", "moved", "signed-out"].map((name) => `sending.${name}`),
    ...CHOICES.priorities.map((name) => `priority.${name}`),
    ...["system", "light", "dark"].map((name) => `theme.${name}`),
    ...DENSITIES.map((name) => `density.${name}`), ...FOLLOW.map((name) => `follow.${name}`),
    ...SEND_KEYS.map((name) => `send_key.${name}`), ...Object.values(MADE).flatMap((keys) => keys()),
  ];
  for (const key of made) assert.ok(texts.en[key], `missing: ${key}`);
  for (const [, key] of source.matchAll(/\bt\("([^"]+)"/g)) assert.ok(texts.en[key], `missing: ${key}`);
  for (const key of Object.keys(texts.en)) {
    const used = asked.has(key) || made.includes(key) || families.some((family) => key.startsWith(family))
      || /^(rule|fact|error|refused)\./.test(key);
    assert.ok(used, `never asked for: ${key}`);
  }
});

test("no word of presence is a word of assigning work: away is not off duty (case E10)", () => {
  const presence = /^(status|activity|seen|viewer)\./;
  const work = /^(act\.(claim|release)|filter\.|view\.(mine|unassigned)|row\.mine|thread\.assignee|did\.(claimed|released))/;
  for (const locale of LOCALES) {
    const said = (family) => Object.entries(texts[locale]).filter(([key]) => family.test(key))
      .map(([, entry]) => JSON.stringify(entry).toLowerCase());
    assert.ok(said(presence).length > 10 && said(work).length > 6);
    assert.deepEqual(said(presence).filter((text) => said(work).includes(text)), [], locale);
  }
});

test("plurals and numbers are of the language", () => {
  const english = translator("en", texts.en);
  assert.equal(english("row.unanswered", { count: 1 }), "1 unanswered message");
  assert.equal(english("row.unanswered", { count: 1200 }), "1,200 unanswered messages");
  assert.equal(translator("vi", texts.vi).number(1200), "1.200");
  assert.equal(english("no.such.text"), "no.such.text");
  assert.equal(english.named("fact", "recent_at"), "Latest message");
  assert.equal(english.named("fact", "other_at"), "other_at");
});

test("a name that somebody gave is shown as it is, unless the page has a text of its own", () => {
  const given = new Map([["sort.vip", "VIPs {first}"], ["sort.arrival", "Mine"]]);
  const english = translator("en", texts.en, "en", given);
  assert.equal(english("sort.vip"), "VIPs {first}");
  assert.equal(english.named("sort", "vip"), "VIPs {first}");
  assert.equal(english("sort.arrival"), texts.en["sort.arrival"]);
  given.delete("sort.vip");
  assert.equal(english("sort.vip"), "sort.vip");
});

test("a name from outside cannot bring braces of its own to life", () => {
  const english = translator("en", texts.en);
  assert.equal(english("preview.bot", { body: "{name} $& $1" }), "Bot: {name} $& $1");
});

test("a customer's language is named where it is not the page's", () => {
  assert.deepEqual(languageOf("vi-VN", "en"), { code: "VI", name: "Vietnamese", tag: "vi-VN" });
  assert.deepEqual(languageOf("ja", "vi"), { code: "JA", name: "Tiếng Nhật", tag: "ja" });
  assert.equal(languageOf("zh-Hant-TW", "ja").code, "ZH");
  assert.equal(languageOf("zh-hant-tw", "ja").tag, "zh-Hant-TW");
  for (const none of ["en-GB", null, undefined, "", "und", "not a tag", "x-private"]) {
    assert.equal(languageOf(none, "en").code, "", String(none));
    assert.equal(languageOf(none, "en").tag, "", String(none));
  }
});
