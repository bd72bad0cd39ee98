// Parts that all pages of settings share: texts, requests, times, and the line for results.

import { html, render } from "lit-html";

import { zones } from "../browser.js";
import { chooseZone, ownZone } from "../core/time.js";
import { Http } from "../net/http.js";
import { copyButton } from "../ui/elements/lacking.js";
import { followTranslation, Language, refusalOf } from "../ui/elements/language.js";

export const at = (id) => document.getElementById(id);

// Opens the page in the language of its document; sets its texts and its title.
export async function openPage() {
  const { page } = document.body.dataset;
  followTranslation();
  const http = new Http({ signedOut: () => location.assign(`/login?next=/${page}`) });
  chooseZone(document.body.dataset.timezone, ...zones());
  const language = new Language(JSON.parse(at("assets").textContent).texts);
  await language.begin(document.documentElement.lang);
  const { t, region } = language;
  setTexts(t);
  document.title = `${t(`settings.${page}`)} · Lineup`;
  at("sign-out").addEventListener("click", () => signOut(http));
  const time = new Intl.DateTimeFormat(region, {
    dateStyle: "short", timeStyle: "medium", timeZone: ownZone(),
  });
  return { http, language, t, region, time, ...notes(t) };
}

export async function signOut(http) {
  await http.post("/logout").catch(() => {});
  location.assign("/login");
}

function setTexts(t) {
  /** @type {NodeListOf<HTMLElement>} */
  const named = document.querySelectorAll("[data-text]");
  for (const element of named) element.textContent = t(element.dataset.text);
  /** @type {NodeListOf<HTMLElement>} */
  const labelled = document.querySelectorAll("[data-label]");
  for (const element of labelled) element.ariaLabel = t(element.dataset.label);
  /** @type {NodeListOf<HTMLInputElement>} */
  const hinted = document.querySelectorAll("[data-placeholder]");
  for (const element of hinted) element.placeholder = t(element.dataset.placeholder);
}

// say: shows a text in the page's line, or the line with this id, and a secret with a copy button.
// doing: runs the work, then `after`; shows an error of either.
export function notes(t, id = "note") {
  const say = (text, secret = "", copy = "") => render(
    html`${text} ${secret ? html`<code class="settings-secret">${secret}</code>
      ${copyButton(secret, copy, t)}` : ""}`, at(id),
  );
  const doing = async (work, after = async () => {}) => {
    try {
      await work();
      await after();
    } catch (error) {
      say(refusalOf(error, t));
    }
  };
  return { say, doing };
}
