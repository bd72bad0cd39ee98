// The profile page: name and time zone, what colleagues see, password, second factor and sessions.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { zones } from "../browser.js";
import { allZones, offsetText, todaysName } from "../core/hours/zones.js";
import { chooseZone, isZone, zoneText } from "../core/time.js";
import { copyButton } from "../ui/elements/lacking.js";
import { refusalOf } from "../ui/elements/language.js";
import { field, given, person, SettingsPage } from "./elements.js";

const API = "/admin/api/profile";
const NAME_MAX = 128;
const AGAIN_MS = 1_000;
// Settings of what colleagues may see, named as in `presence:set`.
const SHOWN = ["show_typing", "show_last_seen"];

export class ProfilePage extends SettingsPage {
  async begin() {
    const profile = await this.http.get(API);
    const sessions = new Sessions(this);
    // Each of these changes ends the other sessions.
    const changed = () => sessions.load();
    this.cards = [
      new Account(this, profile), new Seen(this), new Email(this, profile, changed),
      new Password(this, profile, changed),
      new SecondFactor(this, profile, changed), sessions,
    ];
    this.area.paint();
    await Promise.all(this.cards.map((card) => card.begin()));
  }

  // Gives all cards the new address of the account.
  /** @param {string} email */
  renamed(email) {
    for (const card of this.cards) card.email = email;
  }

  content() {
    return html`${repeat(this.cards ?? [], ({ id }) => id, (card) => html`<section class="set-card"
      id=${card.id}>
      <h2>${this.t(card.title)}</h2>${card.content()}
      <p class="settings-note" role="status" ?data-bad=${card.isBad}>${card.text}</p></section>`)}`;
  }
}

// A part of the page with a line for its results.
class Card {
  id = "";
  title = "";
  text = "";
  email = "";
  isBad = false;
  #isBusy = false;

  /** @param {ProfilePage} page */
  constructor(page) {
    this.page = page;
  }

  get t() { return this.page.t; }
  get http() { return this.page.http; }

  async begin() {}
  /** @returns {Content} */
  content() { return ""; }

  say(text, isBad = false) {
    Object.assign(this, { text, isBad });
    this.page.area.paint();
  }

  // Shows why the work was refused; resolves when it has ended; meanwhile it takes no other work.
  async run(work) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      this.say("");
      await work();
      this.page.area.paint();
    } catch (error) {
      this.say(refusalOf(error, this.t), true);
    } finally {
      this.#isBusy = false;
    }
  }
}

// Returns the values of a form by name; the form is not sent.
/** @param {SubmitEvent} event @returns {Record<string, string>} */
const values = (event) => Object.fromEntries([...given(event)].map(([name, value]) => [name, String(value)]));

// Name and time zone, and how the admin's picture looks to others.
class Account extends Card {
  id = "account";
  title = "profile.account";
  #written = ""; // the name, while it is written

  constructor(page, profile) {
    super(page);
    this.current = profile;
    this.email = profile.email;
    this.#written = profile.name;
  }

  content() {
    const { t, current } = this;
    const { id, name, role, timezone } = current;
    const browsers = todaysName(zones().find((zone) => zone && isZone(zone)) ?? "UTC");
    return html`${person({ id: `admin/${id}`, name: this.#written || name,
      below: `${this.email} · ${t(`profile.role.${role}`)}` })}
      <form class="set-form" @submit=${(event) => this.#save(event)}>
        ${field(t("profile.name"), html`<input name="name" required maxlength=${NAME_MAX} autocomplete="name"
          value=${name}
          @input=${({ target }) => { this.#written = target.value; this.page.area.paint(); }}>`)}
        ${field(t("profile.timezone"), html`<select name="timezone">
          <option value="">${t("profile.timezone.browser", { zone: browsers })}</option>
          ${offered(timezone).map((zone) => html`<option value=${zone} ?selected=${zone === timezone}
            >${zoneText(zone)} · ${offsetText(zone, Date.now())}</option>`)}</select>`)}
        <div class="form-acts"><button class="button button-accent"
          type="submit">${t("profile.save")}</button></div></form>`;
  }

  #save(event) {
    const { name, timezone } = values(event);
    const { data, ui: { language, painter, alerts } } = this.page;
    this.run(async () => {
      this.current = await this.http.put(API, { name, locale: language.locale, timezone: timezone || null });
      this.#written = this.current.name;
      data.admin.name = this.current.name;
      chooseZone(this.current.timezone, ...zones());
      await language.choose(language.locale); // its words are of the time zone
      painter.askAll();
      alerts.write();
      this.say(this.t("profile.saved"));
    });
  }
}

// The chosen zone may be unknown to the browser, or have another name there.
function offered(chosen) {
  const all = allZones();
  return chosen && !all.includes(chosen) ? [chosen, ...all] : all;
}

// What colleagues see. The switches do nothing until the settings are known: the page may come before the
// connection.
class Seen extends Card {
  id = "seen";
  title = "seen_by_others";
  #settings = null;

  async begin() {
    await this.#set({});
    if (!this.#settings && !this.page.hasEnded) setTimeout(() => this.begin(), AGAIN_MS);
  }

  // Without changes, reads the settings.
  async #set(changes) {
    const { net, area } = this.page;
    try {
      this.#settings = (await net.call("presence:set", changes)).settings;
    } catch {
      if (Object.keys(changes).length) this.say(this.t("presence.not_set"), true);
    }
    area.paint();
  }

  content() {
    const { t } = this;
    return html`<div class="set-lines">${SHOWN.map((name) => this.page.switch({
      name, label: t(`own.${name}`), help: t(`settings.${name}.help`), on: this.#settings?.[name],
      run: (on) => this.#set({ [name]: on }),
    }))}</div>${!this.#settings && this.page.data.presence.late
      ? html`<p class="set-help">${t("presence.delayed")}</p>` : ""}`;
  }
}

// Tells password managers to which account the password belongs.
/** @param {string} email */
const account = (email) => html`<input type="text" name="account" autocomplete="username"
  value=${email} readonly hidden>`;

/** @param {string} label @param {string} name */
const passwordField = (label, name, autocomplete = "current-password") => field(label, html`<input
  type="password" name=${name}
  required maxlength="1024" autocomplete=${autocomplete}>`);

// Sets a new e-mail address; needs the password.
class Email extends Card {
  id = "email";
  title = "profile.email";

  constructor(page, { email }, changed) {
    super(page);
    this.email = email;
    this.changed = changed;
  }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("profile.email.about", { email: this.email })}</p>
      <form class="set-form" @submit=${(event) => this.#save(event)}>${account(this.email)}
        ${field(t("profile.email.new"), html`<input type="email" name="email" required maxlength="254"
          autocomplete="email">`)}
        ${passwordField(t("profile.password.current"), "password")}
        <div class="form-acts"><button class="button button-accent"
          type="submit">${t("profile.email.change")}</button></div>
      </form>`;
  }

  #save(event) {
    const { email, password } = values(event);
    const form = event.target;
    this.run(async () => {
      await this.http.post(`${API}/email`, { email, password });
      form.reset();
      this.page.renamed((await this.http.get(API)).email);
      await this.changed();
      this.say(this.t("profile.email.changed"));
    });
  }
}

// Sets a new password; needs the current one.
class Password extends Card {
  id = "password";
  title = "profile.password";

  constructor(page, { email }, changed) {
    super(page);
    this.email = email;
    this.changed = changed;
  }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("profile.password.about")}</p>
      <form class="set-form" @submit=${(event) => this.#save(event)}>${account(this.email)}
        ${passwordField(t("profile.password.current"), "current")}
        ${passwordField(t("profile.password.new"), "password", "new-password")}
        <div class="form-acts"><button class="button button-accent"
          type="submit">${t("profile.password.change")}</button></div>
      </form>`;
  }

  #save(event) {
    const { current, password } = values(event);
    const form = event.target;
    this.run(async () => {
      await this.http.post(`${API}/password`, { current, password });
      form.reset();
      await this.changed();
      this.say(this.t("profile.password.changed"));
    });
  }
}

// The second factor: set up with an app and confirmed by its first code; removal; recovery codes.
const PATH = `${API}/second-factor`;

class SecondFactor extends Card {
  id = "second-factor";
  title = "profile.factor";
  #given = null; // shown once: the key to set it up, or the recovery codes

  constructor(page, profile, changed) {
    super(page);
    this.email = profile.email;
    this.state = profile.second_factor;
    this.changed = changed;
  }

  content() {
    if (this.#given?.secret) return this.#setUp(this.#given);
    if (this.#given) return this.#codes(this.#given);
    return this.state.enabled ? this.#whileOn() : this.#whileOff();
  }

  async #load() {
    this.state = (await this.http.get(API)).second_factor;
    this.#given = null;
    this.page.area.paint();
  }

  #whileOff() {
    const { t } = this;
    return html`<p class="set-help">${t("profile.factor.off")}</p>
      <form class="set-form" @submit=${(event) => this.#begin(event)}>${account(this.email)}
        ${passwordField(t("profile.password.current"), "password")}
        <div class="form-acts"><button class="button button-accent"
          type="submit">${t("profile.factor.begin")}</button></div></form>`;
  }

  #whileOn() {
    const { t, page, state } = this;
    return html`<p class="set-help">${t("profile.factor.on",
      { time: page.ui.language.words.exact(state.since) })}
        ${t("profile.factor.left", { count: state.recovery_codes })}</p>
      <form class="set-form" @submit=${(event) => this.#change(event)}>${account(this.email)}
        ${passwordField(t("profile.password.current"), "password")}
        ${codeField(t("profile.factor.any_code"))}
        <div class="form-acts"><button class="button" type="submit"
          value="recovery-codes">${t("profile.factor.renew")}</button>
          <button class="button button-red" type="submit"
            value="remove">${t("profile.factor.remove")}</button></div></form>`;
  }

  #setUp({ secret, qr_code: picture }) {
    const { t } = this;
    return html`<div class="profile-set-up">
      <img class="profile-qr" src=${picture} alt=${t("profile.factor.qr")} width="200" height="200">
      <ol class="profile-steps">
        <li>${t("profile.factor.scan")} <code class="settings-secret">${grouped(secret)}</code>
          ${copyButton(secret, t("profile.factor.copy"), t)}</li>
        <li>${t("profile.factor.type")}
          <form class="set-form" @submit=${(event) => this.#confirm(event)}>
            ${codeField(t("profile.factor.code"), true)}
            <div class="form-acts"><button class="button" type="button"
              @click=${() => this.run(() => this.#load())}
              >${t("cancel")}</button><button class="button button-accent"
                type="submit">${t("profile.factor.confirm")}</button></div>
          </form></li></ol></div>`;
  }

  #codes(codes) {
    const { t } = this;
    return html`<p><b>${t("profile.factor.codes")}</b></p>
      <ul class="profile-codes" id="recovery-codes">${
        codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <div class="form-acts">${copyButton(codes.join("\n"), t("profile.factor.codes.copy"), t)}
        <button class="button button-accent" type="button" @click=${() => this.run(() => this.#load())}
          >${t("profile.factor.codes.stored")}</button></div>`;
  }

  #begin(event) {
    const { password } = values(event);
    this.run(async () => {
      this.#given = await this.http.post(PATH, { password });
      this.page.area.paint();
      /** @type {HTMLElement | null} */ (document.querySelector("#second-factor [name=code]"))?.focus();
    });
  }

  #confirm(event) {
    const { code } = values(event);
    this.run(async () => {
      this.#given = (await this.http.post(`${PATH}/confirm`, { code })).recovery_codes;
      await this.changed();
      this.say(this.t("profile.factor.confirmed"));
    });
  }

  async #change(event) {
    const { password, code } = values(event);
    const { t } = this;
    const what = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value ?? "recovery-codes";
    if (what === "remove" && !await this.page.sure({
      title: t("profile.factor"), text: t("profile.factor.remove.sure"), yes: t("profile.factor.remove"),
    })) return;
    this.run(async () => {
      const answer = await this.http.post(`${PATH}/${what}`, { password, code });
      if (answer) {
        this.#given = answer.recovery_codes;
        return;
      }
      await this.#load();
      await this.changed();
      this.say(t("profile.factor.removed"));
    });
  }
}

const codeField = (label, byApp = false) => field(label, html`<input name="code" required maxlength="64"
  autocomplete="one-time-code" spellcheck="false" inputmode=${byApp ? "numeric" : "text"}>`);

const grouped = (secret) => secret.match(/.{1,4}/g).join(" ");

// The admin's sessions, which can be ended here.
class Sessions extends Card {
  id = "sessions";
  title = "profile.sessions";
  #list = [];

  begin() { return this.load(); }
  load() { return this.run(() => this.#load()); }

  async #load() { this.#list = (await this.http.get(`${API}/sessions`)).sessions; }

  content() {
    const { t } = this;
    return html`<p class="set-help">${t("profile.sessions.about")}</p>
      <ul class="profile-sessions">${this.#list.map((session) => this.#item(session))}</ul>
      <div class="form-acts">
        <button type="button" class="button" ?disabled=${this.#list.length < 2}
          @click=${() => this.run(() => this.#everywhere(false))}
          >${t("profile.sessions.others")}</button>
        <button type="button" class="button" @click=${() => this.run(() => this.#everywhere(true))}
          >${t("profile.sessions.all")}</button></div>`;
  }

  #item({ id, current, browser, system, address, created_at: began, last_used_at: used }) {
    const { t, page } = this;
    const { exact } = page.ui.language.words;
    const device = deviceText({ browser, system }, t);
    const times = t("profile.session.times", { began: exact(began), used: exact(used) });
    return html`<li class="profile-session" data-id=${id}>
      <span class="set-name"><span><b>${device}</b>${current ? html` · ${t("profile.session.this")}`
        : ""}</span>
        <span class="set-help">${address ? html`<bdi
          translate="no">${address}</bdi> · ` : ""}${times}</span></span>
      ${current ? "" : html`<button type="button" class="button"
        aria-label=${t("profile.session.end.of", { device })}
        @click=${() => this.run(() => this.#end(id))}>${t("profile.session.end")}</button>`}</li>`;
  }

  async #end(id) {
    await this.http.delete(`${API}/sessions/${id}`);
    await this.#load();
    this.say(this.t("profile.session.ended"));
  }

  async #everywhere(thisToo) {
    const { ended } = await this.http.post(`${API}/sign-out-everywhere`, { this_too: thisToo });
    if (thisToo) {
      location.assign("/login");
      return;
    }
    await this.#load();
    this.say(this.t("profile.sessions.ended", { count: ended }));
  }
}

// Returns "Firefox, Windows", or the known part of it.
/** @param {{browser: string | null, system: string | null}} session @param {Translate} t */
function deviceText({ browser, system }, t) {
  if (browser && system) return t("profile.session.device", { browser, system });
  return browser ?? system ?? t("profile.session.unknown");
}
