// Removes everything from the page when the session has ended: whoever sits there now may be somebody
// else. What was written and not sent is kept, see app/unsent.js.

import { html, render } from "lit-html";

const signIn = () => location.assign(`/login?next=${encodeURIComponent(`/${location.hash}`)}`);

/** @param {Translate} t @param {string | null} reason "disabled", or null where there is none to tell */
export function showSessionEnd(t, reason) {
  // The parts of the page are gone: no key may reach them.
  window.addEventListener("keydown", (event) => event.stopImmediatePropagation(), true);
  const place = document.createElement("main");
  place.className = "session-end";
  document.body.replaceChildren(place);
  document.title = "Lineup";
  render(html`<div class="banner" data-kind="error" role="alert">
    <span class="banner-text">${t(reason === "disabled" ? "banner.disabled" : "banner.session")}</span>
    <button type="button" class="button" @click=${signIn}>${t("banner.sign_in")}</button></div>`, place);
  place.querySelector("button").focus();
}
