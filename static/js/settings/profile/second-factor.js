// The second factor: set up with an app, confirmed by its first code, and removed; recovery codes.

import { html } from "lit-html";

import { copyButton } from "../../ui/elements/copy.js";
import { account, API, card, given, passwordField } from "./card.js";

const PATH = `${API}/second-factor`;

export function secondFactorCard(page, profile, changed) {
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
