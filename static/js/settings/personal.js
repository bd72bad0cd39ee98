// The pages of what concerns the admin alone: appearance and language, notifications, the keyboard.

import { html } from "lit-html";

import { languageName, LOCALES } from "../core/i18n.js";
import { DENSITIES, FOLLOW, SEND_KEYS, THEMES } from "../core/prefs.js";
import { AWAKE } from "../core/query/sorts.js";
import { keyList } from "../ui/dialogs/help.js";
import { lacking } from "../ui/elements/lacking.js";
import { SettingsPage } from "./elements.js";

export class AppearancePage extends SettingsPage {
  content() {
    const { t, data: { prefs }, ui: { theme, language, density }, area: { settings } } = this;
    return html`<section class="set-lines">
      ${this.named("theme", THEMES, theme.name, (name) => settings.setTheme(name))}
      ${this.choice({
        name: "language", label: t("language"), help: t("settings.language.help"), chosen: language.locale,
        options: LOCALES.map((name) => [name, languageName(name)]), run: (name) => settings.setLanguage(name),
      })}
      ${this.named("density", DENSITIES, prefs.kept.density, (name) => density.choose(name))}
      ${this.named("follow", FOLLOW, prefs.kept.follow, (follow) => settings.change({ follow }))}</section>`;
  }

  // A choice with texts that begin with its name.
  named(name, names, chosen, run) {
    const { t } = this;
    const help = t(`settings.${name}.help`);
    return this.choice({
      name, label: t(name), help, chosen, options: names.map((each) => [each, t(`${name}.${each}`)]), run,
    });
  }
}

export class NotificationsPage extends SettingsPage {
  content() {
    const { t, data: { choices, prefs: { kept, notify } }, ui: { alerts }, area: { settings } } = this;
    const views = choices.views.filter((view) => AWAKE.has(view));
    const has = (name) => notify.views.includes(name);
    const change = (changes) => settings.setNotify({ ...notify, ...changes });
    const own = (name, label, on, run) => this.switch({ name, label, help: t(`settings.${name}.help`), on,
      run });
    return html`
      ${alerts.quiet ? html`<p class="panel-note">${t("notify.quiet")}</p>` : ""}
      ${lacking().map((name) => html`<p class="panel-note">${t(`lacking.${name}`)}</p>`)}
      <section class="set-lines"><h2>${t("settings.how")}</h2>
        ${own("desktop", t("notify.desktop"), notify.desktop, (on) => change({ desktop: on }))}
        ${own("text", t("notify.text"), kept.notify_text, (on) => settings.change({ notify_text: on }))}
        ${own("sound", t("notify.sound"), notify.sound, (on) => change({ sound: on }))}
        ${own("title", t("notify.title"), notify.title, (on) => change({ title: on }))}</section>
      <section class="set-lines"><h2>${t("notify.views")}</h2>
        ${own("own", t("notify.own.switch"), kept.notify_own, (on) => settings.change({ notify_own: on }))}
        ${views.map((view) => this.switch({
          name: `view-${view}`, label: t(`view.${view}`), on: has(view),
          run: (on) => change({ views: views.filter((other) => (other === view ? on : has(other))) }),
        }))}</section>`;
  }
}

export class KeyboardPage extends SettingsPage {
  content() {
    const { t, data: { prefs }, ui: { keymap }, area: { settings } } = this;
    return html`<section class="set-lines">
        ${this.choice({
          name: "send_key", label: t("send_key"), help: t("settings.send_key.help"),
            chosen: prefs.kept.send_key,
          options: SEND_KEYS.map((key) => [key, t(`send_key.${key}`)]),
            run: (key) => settings.change({ send_key: key }),
        })}
        ${this.switch({
          name: "single_keys", label: t("keys"), help: t("settings.single_keys.help"), on: keymap.lettersOn,
          run: (on) => settings.setKeys(on),
        })}</section>
      <section><h2>${t("help.title")}</h2>${keyList(t, keymap)}</section>`;
  }
}
