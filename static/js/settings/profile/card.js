// A card of the profile page: what it shows, and the line that says what happened.

import { html, render } from "lit-html";

import { refusalOf } from "../../ui/elements/refusal.js";

export const API = "/admin/api/profile";

// {show(content), say(text), run(work)}: `content` stands below the card's title. `run` says why the
// work was refused, and is done once it is; meanwhile it takes no other.
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

// What a form holds, by name; the form is not sent.
/** @param {SubmitEvent} event @returns {Record<string, string>} */
export function given(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

// Password managers find out by it whose password it is.
/** @param {string} email */
export const account = (email) => html`<input type="text" name="account" autocomplete="username"
  .value=${email} readonly hidden>`;

/** @param {string} label @param {string} name @param {string} autocomplete */
export const passwordField = (label, name, autocomplete = "current-password") => html`<label
  class="profile-field"><span>${label}</span> <input type="password" name=${name} required
  maxlength="1024" autocomplete=${autocomplete}></label>`;
