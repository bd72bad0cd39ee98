// The profile page: the admin's name, language, time zone, password, second factor and sessions.

import { html, render } from "lit-html";

import { zones } from "../browser.js";
import { allZones, offsetText, todaysName } from "../core/hours/zones.js";
import { languageName, LOCALES } from "../core/i18n.js";
import { initial, shown } from "../core/names.js";
import { isZone } from "../core/time.js";
import { openPage } from "./page.js";
import { hueStep } from "../ui/elements/avatar.js";
import { copyButton } from "../ui/elements/lacking.js";
import { refusalOf } from "../ui/elements/language.js";

// Name, language and time zone, and how the admin's picture looks to others.
const NAME_MAX = 128;

function accountCard(page, profile) {
  const { http, t } = page;
  const own = card("account", t("profile.account"), page);
  let current = profile;

  function paint(name = current.name) {
    own.show(html`<div class="profile-head">
        <span class="avatar" data-hue=${hueStep(`admin/${current.id}`)} aria-hidden="true"
          ><span class="avatar-letter">${initial(name)}</span></span>
        <p><b><bdi translate="no">${shown(name)}</bdi></b><br>${current.email} · ${t(`profile.role.${current.role}`)}</p></div>
      <form class="settings-form" @submit=${save}>
        <label class="profile-field"><span>${t("profile.name")}</span> <input name="name" required
          maxlength=${NAME_MAX} autocomplete="name" .value=${current.name}
          @input=${({ target }) => paint(target.value)}></label>
        <label class="profile-field"><span>${t("profile.language")}</span> <select name="locale">${
          LOCALES.map((locale) => html`<option value=${locale} lang=${locale}
            ?selected=${locale === current.locale}>${languageName(locale)}</option>`)}</select></label>
        <label class="profile-field"><span>${t("profile.timezone")}</span> <select name="timezone">
          <option value="">${t("profile.timezone.browser", { zone: todaysName(zones().find((zone) => zone && isZone(zone)) ?? "UTC") })}</option>
          ${offered(current.timezone).map((zone) => html`<option value=${zone}
            ?selected=${zone === current.timezone}>${zone.replaceAll("_", " ")} · ${offsetText(zone, Date.now())}</option>`)
        }</select></label>
        <button class="button button-accent" type="submit">${t("profile.save")}</button>
      </form>`);
  }

  function save(event) {
    const { name, locale, timezone } = given(event);
    own.run(async () => {
      const { locale: before } = current;
      current = await http.put(API, { name, locale, timezone: timezone || null });
      if (current.locale !== before) location.reload();
      paint();
      own.say(t("profile.saved"));
    });
  }

  paint();
}

// The chosen zone may be unknown to the browser, or have another name there.
function offered(chosen) {
  const all = allZones();
  return chosen && !all.includes(chosen) ? [chosen, ...all] : all;
}

// A card of the profile page: its content, and the line for results.
export const API = "/admin/api/profile";

// {show(content), say(text), run(work)}: `content` is shown below the card's title. `run` shows why the
// work was refused, and resolves when it has ended; meanwhile it takes no other work.
/** @param {string} id @param {string} title */
export function card(id, title, { t }) {
  let shown = "";
  let text = "";
  let isBad = false;
  let isBusy = false;
  const paint = () => render(html`<h2>${title}</h2>${shown}
    <p class="settings-note" role="status" ?data-bad=${isBad}>${text}</p>`, document.getElementById(id));
  const say = (given, bad = false) => {
    text = given;
    isBad = bad;
    paint();
  };
  return {
    show(content) {
      shown = content;
      paint();
    },
    say,
    async run(work) {
      if (isBusy) return;
      isBusy = true;
      try {
        say("");
        await work();
      } catch (error) {
        say(refusalOf(error, t), true);
      } finally {
        isBusy = false;
      }
    },
  };
}

// Returns the values of a form by name; the form is not sent.
/** @param {SubmitEvent} event @returns {Record<string, string>} */
export function given(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

// Tells password managers to which account the password belongs.
/** @param {string} email */
export const account = (email) => html`<input type="text" name="account" autocomplete="username"
  .value=${email} readonly hidden>`;

/** @param {string} label @param {string} name @param {string} autocomplete */
const passwordField = (label, name, autocomplete = "current-password") => html`<label
  class="profile-field"><span>${label}</span> <input type="password" name=${name} required
  maxlength="1024" autocomplete=${autocomplete}></label>`;

// Sets a new password; needs the current one.
function passwordCard(page, { email }, changed) {
  const { http, t } = page;
  const own = card("password", t("profile.password"), page);

  function save(event) {
    const { current, password } = given(event);
    const form = event.target;
    own.run(async () => {
      await http.post(`${API}/password`, { current, password });
      form.reset();
      own.say(t("profile.password.changed"));
      await changed();
    });
  }

  own.show(html`<p class="profile-about">${t("profile.password.about")}</p>
    <form class="settings-form" @submit=${save}>${account(email)}
      ${passwordField(t("profile.password.current"), "current")}
      ${passwordField(t("profile.password.new"), "password", "new-password")}
      <button class="button button-accent" type="submit">${t("profile.password.change")}</button>
    </form>`);
}

// The second factor: set up with an app and confirmed by its first code; removal; recovery codes.
const PATH = `${API}/second-factor`;

function secondFactorCard(page, profile, changed) {
  const { http, t, time } = page;
  const own = card("second-factor", t("profile.factor"), page);
  let state = profile.second_factor;

  async function load() {
    state = (await http.get(API)).second_factor;
    paint();
  }

  const paint = () => own.show(state.enabled ? whileOn() : whileOff());

  const whileOff = () => html`<p class="profile-about">${t("profile.factor.off")}</p>
    <form class="settings-form" @submit=${begin}>${account(profile.email)}
      ${passwordField(t("profile.password.current"), "password")}
      <button class="button button-accent" type="submit">${t("profile.factor.begin")}</button></form>`;

  const whileOn = () => html`<p class="profile-about">${t("profile.factor.on", { time: time.format(state.since) })}
      ${t("profile.factor.left", { count: state.recovery_codes })}</p>
    <form class="settings-form" @submit=${change}>${account(profile.email)}
      ${passwordField(t("profile.password.current"), "password")}
      ${codeField(t("profile.factor.any_code"))}
      <button class="button" type="submit" value="recovery-codes">${t("profile.factor.renew")}</button>
      <button class="button" type="submit" value="remove">${t("profile.factor.remove")}</button></form>`;

  const setUp = ({ secret, qr_code: picture }) => html`<div class="profile-set-up">
      <img class="profile-qr" src=${picture} alt=${t("profile.factor.qr")} width="200" height="200">
      <ol class="profile-steps">
        <li>${t("profile.factor.scan")} <code class="settings-secret">${grouped(secret)}</code>
          ${copyButton(secret, t("profile.factor.copy"), t)}</li>
        <li>${t("profile.factor.type")}
          <form class="settings-form" @submit=${confirm}>
            ${codeField(t("profile.factor.code"), true)}
            <button class="button button-accent" type="submit">${t("profile.factor.confirm")}</button>
            <button class="button" type="button" @click=${() => own.run(load)}>${t("profile.cancel")}</button>
          </form></li></ol></div>`;

  const shownOnce = (codes) => html`<p class="profile-about"><b>${t("profile.factor.codes")}</b></p>
    <ul class="profile-codes" id="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    ${copyButton(codes.join("\n"), t("profile.factor.codes.copy"), t)}
    <div class="settings-acts"><button class="button button-accent" type="button" @click=${() => own.run(load)}
        >${t("profile.factor.codes.stored")}</button></div>`;

  function begin(event) {
    const { password } = given(event);
    own.run(async () => {
      own.show(setUp(await http.post(PATH, { password })));
      focus("#second-factor [name=code]");
    });
  }

  function confirm(event) {
    const { code } = given(event);
    own.run(async () => {
      const { recovery_codes: codes } = await http.post(`${PATH}/confirm`, { code });
      own.show(shownOnce(codes));
      own.say(t("profile.factor.confirmed"));
      await changed();
    });
  }

  function change(event) {
    const { password, code } = given(event);
    const what = event.submitter?.value ?? "recovery-codes";
    if (what === "remove" && !window.confirm(t("profile.factor.remove.sure"))) return;
    own.run(async () => {
      const answer = await http.post(`${PATH}/${what}`, { password, code });
      if (answer) {
        own.show(shownOnce(answer.recovery_codes));
        return;
      }
      await load();
      own.say(t("profile.factor.removed"));
      await changed();
    });
  }

  paint();
}

const codeField = (label, byApp = false) => html`<label class="profile-field"><span>${label}</span>
  <input name="code" required maxlength="64" autocomplete="one-time-code" spellcheck="false"
    inputmode=${byApp ? "numeric" : "text"}></label>`;

const grouped = (secret) => secret.match(/.{1,4}/g).join(" ");

/** @param {string} selector */
function focus(selector) {
  /** @type {HTMLElement | null} */
  const element = document.querySelector(selector);
  element?.focus();
}

// The admin's sessions, which can be ended here.
function sessionsCard(page) {
  const { http, t } = page;
  const own = card("sessions", t("profile.sessions"), page);

  async function load() {
    const { sessions } = await http.get(`${API}/sessions`);
    own.show(html`<p class="profile-about">${t("profile.sessions.about")}</p>
      <ul class="profile-sessions">${sessions.map(item)}</ul>
      <div class="settings-acts">
        <button type="button" class="button" ?disabled=${sessions.length < 2} @click=${() => own.run(() => everywhere(false))}
          >${t("profile.sessions.others")}</button>
        <button type="button" class="button" @click=${() => own.run(() => everywhere(true))}
          >${t("profile.sessions.all")}</button></div>`);
  }

  function item(session) {
    const { id, current, browser, system, address, created_at: began, last_used_at: used } = session;
    const device = deviceText({ browser, system }, t);
    const times = { began: page.time.format(began), used: page.time.format(used) };
    return html`<li class="profile-session" data-id=${id}>
      <div><b>${device}</b>${current ? html` · ${t("profile.session.this")}` : ""}
        <p>${address ? html`<bdi translate="no">${address}</bdi> · ` : ""}${t("profile.session.times", times)}</p></div>
      ${current ? "" : html`<button type="button" class="button" aria-label=${t("profile.session.end.of", { device })}
        @click=${() => own.run(() => end(id))}>${t("profile.session.end")}</button>`}</li>`;
  }

  async function end(id) {
    await http.delete(`${API}/sessions/${id}`);
    await load();
    own.say(t("profile.session.ended"));
  }

  async function everywhere(thisToo) {
    const { ended } = await http.post(`${API}/sign-out-everywhere`, { this_too: thisToo });
    if (thisToo) {
      location.assign("/login");
      return;
    }
    await load();
    own.say(t("profile.sessions.ended", { count: ended }));
  }

  return { load: () => own.run(load) };
}

// Returns "Firefox, Windows", or the known part of it.
/** @param {{browser: string | null, system: string | null}} session @param {Translate} t */
function deviceText({ browser, system }, t) {
  if (browser && system) return t("profile.session.device", { browser, system });
  return browser ?? system ?? t("profile.session.unknown");
}

const page = await openPage();

await page.doing(async () => {
  const profile = await page.http.get(API);
  const sessions = sessionsCard(page);
  // Each of these changes ends the other sessions.
  const changed = () => sessions.load();
  accountCard(page, profile);
  passwordCard(page, profile, changed);
  secondFactorCard(page, profile, changed);
  await sessions.load();
});
